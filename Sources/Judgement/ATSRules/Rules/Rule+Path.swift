import ATSEvidence
import SessionModel

/// The result of checking one certificate of a path against a rule.
enum PathCheck {
  /// The certificate meets the rule.
  case ok
  /// The certificate breaks the rule, in the way that the text describes. `isFatal` is whether app code cannot override the
  /// failure, and `isOfPath` whether it concerns only this path. `trustCode` and `fix` are nil for the usual ones of the rule.
  case broken(
    String, isFatal: Bool = false, trustCode: Int? = nil, isOfPath: Bool = false, fix: Fix? = nil)
  /// The fact that the rule requires cannot be read; `settledBy` are the inputs that decide it.
  case unreadable(String, settledBy: [DecidingInput] = Unseen.unreadable.settledBy)
}

extension Rule {
  /// Judges under each possible anchor, and decides if the outcomes agree.
  func judgeAnchors(of context: JudgingContext, _ judge: (Anchor) -> Finding) -> Finding {
    var findings = context.possibleAnchors.map { ($0, judge($0)) }
    guard var first = findings.first?.1 else { return notApplicable() }
    if first.outcome == .fail, context.trust != nil {
      findings += context.otherAnchors.map { ($0, judge($0)) }
    }
    // The fix of ATS-CERT-TRUST may make the leaf an anchor, for which fewer requirements hold.
    if context.isSelfSignedLeaf,
      judge(.addedLeaf).outcome != .fail
    {
      first.fix = first.fix?.qualified(", unless a configuration profile installs this one on devices")
    }
    if findings.allSatisfy({ $0.1.outcome == first.outcome }) { return first }
    let failing = findings.filter { $0.1.outcome == .fail }
    if let failed = failing.first?.1 {
      var finding = failed
      finding.leaveOpen(settledBy: context.pathSettledBy)
      let others = findings.filter { $0.1.outcome != .fail }
      finding.notes.append(
        "This fails if the chain ends at \(Self.list(failing.map(\.0))), and passes at "
          + "\(Self.list(others.map(\.0))); the end of the chain is not known.")
      return finding
    }
    return findings.first { $0.1.outcome == .unknown }?.1 ?? findings.first { $0.1.outcome == .pass }?.1
      ?? first
  }

  private static func list(_ anchors: [Anchor]) -> String {
    anchors.map(\.name).joined(separator: " or ")
  }

  /// Judges each certificate of a path.
  ///
  /// A fault in the leaf, or in a path that trust evaluation built, is a failure. A fault that app code cannot override has priority
  /// anywhere in such a path. A fault in an issuer that is linked by name only is undecided: a device may have another certificate
  /// of the same issuer. `issuerFix` is the fix for a fault in an issuer; nil if it is the same as for the leaf.
  func judgePath(
    _ elements: [ServerCertificates.Element], of context: JudgingContext, expected: String, fix: Fix, issuerFix: Fix? = nil,
    inOrder: String, needsRoot: Bool = false, _ check: (ServerCertificates.Element) -> PathCheck
  ) -> Finding {
    var fault: Finding?
    var doubt: Finding?
    var mayBeFatal = false
    for element in elements {
      switch check(element) {
      case .ok: continue
      case .broken(let text, let isFatal, let trustCode, let isOfPath, let ownFix):
        let usualFix = element.position == 0 ? fix : issuerFix ?? fix
        var finding = fail(text, expected: expected, parts: [.certificates], certificate: element.position, fix: ownFix ?? usualFix)
        finding.fatality = isFatal ? .certain : .none
        finding.trustCode = trustCode
        if element.isCertain, !isOfPath || context.certificates.isExhaustive {
          if isFatal { return finding }
          fault = fault ?? finding
          continue
        }
        if isFatal { mayBeFatal = true }
        finding.leaveOpen(settledBy: context.pathSettledBy)
        finding.notes = [
          element.isCertain ? "A device may have another chain." : "A device may have another chain, without this certificate."
        ]
        doubt = doubt ?? finding
      case .unreadable(let text, let settledBy):
        let finding = unknown(
          Unseen(nil, settledBy: settledBy), expected: expected, parts: [.certificates], certificate: element.position, note: text)
        doubt = doubt ?? finding
      }
    }
    if var fault {
      if mayBeFatal { fault.fatality = .possible }
      return fault
    }
    if let doubt { return doubt }
    if let cutOff = cutOffPath(context, expected: expected) { return cutOff }
    return pass(inOrder, expected: expected, parts: [.certificates]).noting(Self.reach(context, needsRoot: needsRoot))
  }

  /// Returns a finding if a part of the path may be in the unobserved part of the list; otherwise nil.
  private func cutOffPath(_ context: JudgingContext, expected: String) -> Finding? {
    let certificates = context.certificates
    guard context.trust == nil, !certificates.endsAtRoot, let cutOff = certificates.cutOff else { return nil }
    return unknown(cutOff, expected: expected, parts: [.certificates], note: "The list of certificates is incomplete in the capture.")
  }

  /// Returns a note on the part of the path that was not checked; nil if all of it was.
  private static func reach(_ context: JudgingContext, needsRoot: Bool) -> String? {
    let certificates = context.certificates
    if context.trust != nil || certificates.endsAtRoot { return nil }
    if certificates.path.count == 1 { return "No issuer certificate was sent, so only the server certificate was checked." }
    return needsRoot ? "The root was not sent and was not checked." : nil
  }

  /// Returns the finding if no certificate is visible; otherwise nil.
  func unseenCertificates(_ context: JudgingContext, expected: String? = nil) -> Finding? {
    context.certificates.unseen.map { unknown($0, expected: expected) }
  }
}
