package import ATSEvidence
import CertificateParsing
import TrustEvaluation

struct Anchor: Hashable {
  var anchorClass: AnchorClass

  var isLeaf = false

  /// The leaf itself as an added anchor.
  static let addedLeaf = Anchor(anchorClass: .added, isLeaf: true)

  /// Whether the root is part of the system, including Apple's own.
  var isOfSystem: Bool { anchorClass == .system || anchorClass == .apple }

  var name: String {
    if isLeaf { return "the server certificate itself as a trusted certificate" }
    return switch anchorClass {
    case .system: "a system root"
    case .apple: "one of Apple's own roots"
    case .added: "an added root"
    case .none: "a root that only the app's code trusts"
    }
  }
}

extension JudgingContext {
  /// The inputs that distinguish the possible anchors.
  package static let anchorsSettle: [DecidingInput] = [.anchors, .systemAnchors]

  /// The inputs that show the certificate of an issuer that the server did not send.
  static let issuerSettles: [DecidingInput] = [.intermediates, .evidence("record a session that shows the issuer's certificate")]

  /// The inputs that show which path a device uses, if that may differ from the path found.
  var pathSettledBy: [DecidingInput] { certificates.cutOff?.settledBy ?? JudgingContext.anchorsSettle }

  /// Whether the leaf is not trusted because it is signed with its own key and is not an anchor.
  var isSelfSignedLeaf: Bool {
    if case .refused(let failure)? = decision { failure.reason == .selfSignedLeaf } else { false }
  }

  /// The other anchors at which a path that was not examined could end.
  var otherAnchors: [Anchor] {
    guard let trust, let chainTrust, !certificates.isExhaustive else { return [] }
    return chainTrust.anchorClasses.filter { $0 != trust.anchorClass }.map { Anchor(anchorClass: $0) }
  }

  /// The anchors at which the path may end: the one found, otherwise every possible one.
  var possibleAnchors: [Anchor] {
    if let trust { return [Anchor(anchorClass: trust.anchorClass, isLeaf: trust.isLeafAnchor)] }
    if certificates.leaf?.certificate.isSelfIssued == true { return [Anchor(anchorClass: .none), .addedLeaf] }
    return [
      .init(anchorClass: .system), .init(anchorClass: .apple), .init(anchorClass: .added),
      .init(anchorClass: .none),
    ]
  }
}
