import ATSEvidence
import ByteParsing
import PolicyResolution
import SessionModel
import TrustEvaluation

/// The path contains a key that NSPinnedDomains lists (policy text D.17).
struct PinRule: Rule {
  static let id = "ATS-PIN"
  static let title = "Pinned keys"
  static let section = "D.17"
  static let setting: EffectivePolicy.Setting? = .leafPins
  static let evidence: Set<Evidence.Part> = [.clientHello, .certificates]
  static let weight = 6
  static let explanation = RuleExplanation(
    demand: "A key in the chain is among those that NSPinnedDomains lists for the host.",
    reason: "The app trusts fewer keys than the system.",
    fix: .app("correct the pins, and keep a backup pin"),
    since: "iOS 14 and macOS 11",
    errors: [.url: [-1200, -1202], .stream: [-9880, -9886], .status: [-9886]],
    sources: [.pinnedDomains, .policy, .policyServer], weaknesses: [295], severity: "8.1", masvsControl: 2)

  /// Checks both kinds of pins; if both are set, both must match.
  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    guard policy.leafPins != nil || policy.caPins != nil else { return notApplicable() }
    if policy.context == .web { return notApplicable("Web views do not enforce NSPinnedDomains.") }
    let findings = [
      policy.leafPins.map { judgeLeaf(context, digests: $0) },
      policy.caPins.map { judgeCA(context, digests: $0) },
    ].compactMap { $0 }
    return findings.first { $0.outcome == .fail } ?? findings.first { $0.outcome == .unknown }
      ?? findings.last ?? notApplicable()
  }

  private func judgeLeaf(_ context: JudgingContext, digests: [String]) -> Finding {
    let expected = "the server certificate's key among \(digests.count) pinned"
    if digests.isEmpty { return mismatch("no readable digest is pinned", expected: expected) }
    if let unseen = unseenCertificates(context, expected: expected) { return unseen }
    guard let digest = context.certificates.leaf?.observed.spkiSHA256 else {
      return unknown(.unreadable, expected: expected, note: "The server certificate's key cannot be read.")
    }
    if Self.contains(digests, digest) { return pass("the server certificate's key is pinned", expected: expected, parts: [.certificates]) }
    return mismatch("the server certificate's key is not pinned", expected: expected, parts: [.certificates], certificate: 0)
  }

  private func judgeCA(_ context: JudgingContext, digests: [String]) -> Finding {
    let expected = "the key of a CA in the chain among \(digests.count) pinned"
    if digests.isEmpty { return mismatch("no readable digest is pinned", expected: expected) }
    if let unseen = unseenCertificates(context, expected: expected) { return unseen }
    let authorities = context.certificates.path.dropFirst()
    let match = authorities.first { $0.observed.spkiSHA256.map { Self.contains(digests, $0) } ?? false }
    if let match {
      var finding = pass("the key of \(match.name) is pinned", expected: expected, parts: [.certificates])
      finding.certificateIndex = match.position
      return finding
    }
    if case .refused(let failure)? = context.decision, failure.reason == .selfSignedLeaf {
      return mismatch(
        "the server certificate is self-signed, so its chain has no CA", expected: expected, parts: [.certificates], certificate: 0)
    }
    guard let trust = context.trust, trust.anchorClass != .none else {
      return unknown(
        Unseen(nil, settledBy: JudgingContext.anchorsSettle), expected: expected, parts: [.certificates],
        note: "No sent certificate has a pinned key; the root, which need not be sent, may have one.")
    }
    if !context.certificates.isExhaustive {
      return unknown(
        Unseen(nil, settledBy: context.pathSettledBy), expected: expected, parts: [.certificates],
        note: "No CA in the chain has a pinned key; a device may have another chain.")
    }
    return mismatch("no CA in the chain has a pinned key", expected: expected, parts: [.certificates])
  }

  private func mismatch(_ observed: String, expected: String, parts: [Evidence.Part] = [], certificate: Int? = nil) -> Finding {
    // Pins without a readable digest reject every certificate, so that a proxy is not the reason.
    let fix =
      parts.isEmpty
      ? Fix.app("correct the pins in NSPinnedDomains, and keep a backup pin")
      : .recording("check that no proxy intercepts the connection").and(
        .app("correct the pins in NSPinnedDomains ('atscope certificates' lists the keys in the chain), and keep a backup pin"))
    var finding = fail(observed, expected: expected, parts: parts, certificate: certificate, fix: fix)
    finding.decidingKey = KeyReference(key: ATSKeys.pinnedDomains, entry: nil)
    return finding
  }

  /// Whether a list of digests in Base64 contains a digest in hexadecimal.
  private static func contains(_ list: [String], _ digest: String) -> Bool {
    // Entries of a list may be of any length; no digest is longer than this.
    list.lazy.filter { $0.utf8.count <= 128 }.contains {
      PinDigest.bytes(of: $0).map { hexadecimal($0) } == digest.lowercased()
    }
  }
}

extension RuleID {
  /// `ATS-PIN`: the certificates contain a pinned key.
  public static let pin = RuleID(rawValue: PinRule.id)
}
