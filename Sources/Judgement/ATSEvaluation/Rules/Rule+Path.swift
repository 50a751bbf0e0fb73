import SessionModel

enum PathCheck {
  /// The certificate is in order.
  case ok
  /// The certificate breaks the rule; how, whether not even app code can override it, the code with which trust
  /// evaluation ends, where it is another than the usual one of the rule, and whether it does so on this path only.
  /// `fix` where it is another than the usual one of the rule.
  case broken(
    String, isFatal: Bool = false, trustCode: Int? = nil, isOfPath: Bool = false, fix: String? = nil)
  /// The fact that the rule needs cannot be read; how to settle it.
  case unreadable(String, settledBy: [DecidingInput] = Unseen.unreadable.settledBy)
}

extension Rule {
  /// Judges under each anchor that is possible, and decides where they agree.
  func judgeAnchors(of context: JudgingContext, _ judge: (Anchor) -> Finding) -> Finding {
    var findings = context.possibleAnchors.map { ($0, judge($0)) }
    guard let first = findings.first?.1 else { return notApplicable() }
    if first.outcome == .fail, context.trust != nil {
      findings += context.otherAnchors.map { ($0, judge($0)) }
    }
    if findings.allSatisfy({ $0.1.outcome == first.outcome }) { return first }
    let failing = findings.filter { $0.1.outcome == .fail }
    if let failed = failing.first?.1 {
      var finding = failed
      finding.outcome = .unknown
      finding.settledBy = context.pathSettledBy
      finding.fix = nil
      finding.fatality = .none
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

  /// Judges certificate by certificate.
  ///
  /// A fault in the leaf decides, and so does one in a path that trust evaluation built. A fault that app code cannot
  /// override comes first, anywhere in the path. A fault further up a path that only names link does not decide: a device
  /// may have another certificate of the same issuer.
  func judgePath(
    _ elements: [ServerCertificates.Element], of context: JudgingContext, expected: String, fix: String,
    inOrder: String, needsRoot: Bool = false, _ check: (ServerCertificates.Element) -> PathCheck
  ) -> Finding {
    var fault: Finding?
    var doubt: Finding?
    var mayBeFatal = false
    for element in elements {
      switch check(element) {
      case .ok: continue
      case .broken(let text, let isFatal, let trustCode, let isOfPath, let ownFix):
        var finding = fail(text, expected: expected, parts: [.certificates], fix: ownFix ?? fix)
        finding.certificate = element.position
        finding.fatality = isFatal ? .certain : .none
        finding.trustCode = trustCode
        if element.isCertain, !isOfPath || context.certificates.isExhaustive {
          if isFatal { return finding }
          fault = fault ?? finding
          continue
        }
        if isFatal { mayBeFatal = true }
        finding.outcome = .unknown
        finding.fatality = .none
        finding.fix = nil
        finding.settledBy = context.pathSettledBy
        finding.notes = [
          element.isCertain
            ? "A device may have another path."
            : "A device may have another path, without this certificate."
        ]
        doubt = doubt ?? finding
      case .unreadable(let text, let settledBy):
        var finding = unknown(Unseen(nil, settledBy: settledBy), expected: expected, note: text)
        finding.parts = [.certificates]
        finding.certificate = element.position
        doubt = doubt ?? finding
      }
    }
    if var fault {
      if mayBeFatal { fault.fatality = .possible }
      return fault
    }
    if let doubt { return doubt }
    if let cutOff = cutOffPath(context, expected: expected) { return cutOff }
    return pass(inOrder, expected: expected, parts: [.certificates]).noting(
      Self.reach(context, needsRoot: needsRoot))
  }

  /// The finding if a part of the path may be in the unobserved part of the list; nil if it cannot.
  private func cutOffPath(_ context: JudgingContext, expected: String) -> Finding? {
    let certificates = context.certificates
    guard context.trust == nil, !certificates.endsAtRoot, let cutOff = certificates.cutOff else { return nil }
    var finding = unknown(
      cutOff, expected: expected, note: "The list of certificates is incomplete in the capture.")
    finding.parts = [.certificates]
    return finding
  }

  /// What of the path was not looked at; nil where that is nothing.
  private static func reach(_ context: JudgingContext, needsRoot: Bool) -> String? {
    let certificates = context.certificates
    if context.trust != nil || certificates.endsAtRoot { return nil }
    if certificates.path.count == 1 {
      return "No issuer certificate was sent, so only the leaf was checked."
    }
    return needsRoot ? "The root was not sent and was not checked." : nil
  }

  /// The finding where no certificate is visible; nil where one is.
  func unseenCertificates(_ context: JudgingContext, expected: String? = nil) -> Finding? {
    context.certificates.unseen.map { unknown($0, expected: expected) }
  }
}
