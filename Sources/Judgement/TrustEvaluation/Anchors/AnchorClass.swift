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
