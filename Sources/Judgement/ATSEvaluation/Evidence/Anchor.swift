import CertificateParsing
import TrustEvaluation

/// An end that a path can have.
struct Anchor: Hashable {
  /// Its kind.
  var anchorClass: AnchorClass

  /// Whether the leaf itself is the anchor.
  var isLeaf = false

  /// Whether the root comes with the system, Apple's own included.
  var isOfSystem: Bool { anchorClass == .system || anchorClass == .apple }

  /// The anchor in words.
  var name: String {
    if isLeaf { return "the leaf itself as a trusted certificate" }
    return switch anchorClass {
    case .system: "a root of the system"
    case .apple: "one of Apple's own roots"
    case .added: "a root that was added"
    case .none: "a root that only app code knows"
    }
  }
}

extension JudgingContext {
  /// What would tell the anchors apart.
  static let anchorsSettle = ["--anchors FILE", "--system-anchors FILE"]

  /// The ends that the path can have: the one that was found, else every one that is possible.
  var possibleAnchors: [Anchor] {
    if let trust { return [Anchor(anchorClass: trust.anchorClass, isLeaf: trust.isLeafAnchor)] }
    if certificates.leaf?.certificate.isSelfIssued == true {
      return [Anchor(anchorClass: .none), Anchor(anchorClass: .added, isLeaf: true)]
    }
    return [
      .init(anchorClass: .system), .init(anchorClass: .apple), .init(anchorClass: .added),
      .init(anchorClass: .none),
    ]
  }
}
