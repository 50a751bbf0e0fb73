package import PolicyResolution
package import SessionModel
package import TrustEvaluation

/// The result of trust evaluation for rules: the path that a device would use, or that there is none.
package struct TrustFindings: Sendable {
  /// The path, from the leaf to the anchor; empty if there is none.
  package var path: [ObservedCertificate]

  package var anchorClass: AnchorClass
  /// Whether the leaf itself is one of the added anchors.
  package var isLeafAnchor = false

  /// The path with the origins of its certificates; nil if there is none.
  package var details: TrustPath?
}

/// Another release's evaluation of a chain.
package struct OtherTrust {
  package let release: SystemRelease

  package let trust: ChainTrust

  /// The path; nil if that release does not trust the chain either. A path that needs another capture does not count, because findings
  /// would not name that capture.
  package var path: TrustPath? { trust.paths.first { $0.completedByOthers.isEmpty } }

  package init(release: SystemRelease, trust: ChainTrust) {
    self.release = release
    self.trust = trust
  }
}
