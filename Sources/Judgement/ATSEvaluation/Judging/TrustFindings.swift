package import PolicyResolution
package import SessionModel
package import TrustEvaluation

/// What trust evaluation found of a chain: the path that a device would use, or that there is none.
package struct TrustFindings: Sendable {
  /// The path, the leaf first and the anchor last; empty where there is none.
  package var path: [ObservedCertificate]

  package var anchorClass: AnchorClass
  /// Whether the leaf itself is among the anchors that were added.
  package var isLeafAnchor: Bool

  /// The path with where its certificates are from; nil where there is none.
  package var details: TrustPath?

  package init(path: [ObservedCertificate], anchorClass: AnchorClass, isLeafAnchor: Bool = false) {
    self.path = path
    self.anchorClass = anchorClass
    self.isLeafAnchor = isLeafAnchor
  }

  package init(_ details: TrustPath) {
    self.init(
      path: details.certificates, anchorClass: details.anchorClass, isLeafAnchor: details.isLeafAnchor)
    self.details = details
  }
}

/// What another release finds of a chain.
package struct OtherTrust {
  package let release: SystemRelease

  /// The path that it finds; nil if it does not trust the chain either.
  package let path: TrustPath?
}
