public import SessionObservation

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

/// What the evaluation of a chain against trusted roots finds.
public struct TrustFindings: Hashable, Sendable {
  /// The path that was built, the leaf first and the anchor last.
  public var path: [ObservedCertificate]

  /// The kind of its anchor.
  public var anchorClass: AnchorClass

  /// Whether the leaf itself is among the anchors that were added.
  public var isLeafAnchor: Bool

  /// Creates findings.
  public init(path: [ObservedCertificate], anchorClass: AnchorClass, isLeafAnchor: Bool = false) {
    self.path = path
    self.anchorClass = anchorClass
    self.isLeafAnchor = isLeafAnchor
  }
}
