/// What kind of anchor a path ends at (policy text D.6).
public enum AnchorClass: String, Hashable, Sendable, CaseIterable {
  /// A root that comes with the system.
  case system
  /// A root that comes with the system and is Apple's own.
  case apple
  /// A root that a user or administrator installed.
  case added
  /// None of them.
  case none
}

/// Apple's own roots, known by their digests whatever set of roots they came from (policy text D.6).
enum AppleRoots {
  /// SHA-256 of Apple Root CA, its generations 2 and 3, and Apple Root Certificate Authority.
  static let digests: Set<String> = [
    "b0b1730ecbc7ff4505142c49f1295e6eda6bcaed7e2c68c5be91b5a11001f024",
    "c2b9b042dd57830e7d117dac55ac8ae19407d38e41d88f3215bc3a890444a050",
    "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179",
    "0d83b611b648a1a75eb8558400795375cad92e264ed8e9d7a757c1f5ee2bb22d",
  ]
}
