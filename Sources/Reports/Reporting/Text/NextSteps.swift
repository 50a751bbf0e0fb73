package import ATSEvidence
package import SessionModel
package import SessionRecords

/// What the inputs of a report allow as the next step for an undecided session.
package struct NextSteps: Sendable {
  /// Whether the captures are years older than the newest root store, so that a chain fetched now does not settle a session.
  package var isOld: Bool

  /// Whether all sessions were saved by earlier runs, so that no key log decrypts them.
  package var isSaved: Bool

  /// The files of options that cannot be used. Commands omit those that are key logs.
  package var unusableFiles: Set<String> = []

  package init(isOld: Bool = false, isSaved: Bool = false) {
    self.isOld = isOld
    self.isSaved = isSaved
  }

  package init(_ summary: SummaryRecord, in run: RunRecord) {
    isOld = Wording.isOld(summary, in: run)
    isSaved = summary.inputs.contains { $0.kind == .sessions } && !summary.inputs.contains { $0.kind == .capture }
    unusableFiles = Set(Wording.unusable(in: summary).map(\.file))
  }

  /// Creates the next steps for one session, whose own age counts; `isTimeStated` is whether its certificates are judged at another time.
  package init(_ session: ObservedSession, isTimeStated: Bool) {
    isOld = !isTimeStated && Wording.isOld(session)
    isSaved = session.isSaved
  }

  /// Returns the inputs that settle a session, as far as they can.
  package func possible(_ ways: [DecidingInput]) -> [DecidingInput] {
    var ways = ways
    if isSaved, let index = ways.firstIndex(of: .keyLog) {
      ways[index] = .evidence("audit the capture again with --keylog FILE if the app wrote a key log")
      ways.removeAll { $0 == .captureSecrets }
    }
    return isOld ? NextSteps.withoutChains(ways) : ways
  }

  /// Returns the inputs that settle an old session: a new recording, the first of them, instead of a chain.
  private static func withoutChains(_ ways: [DecidingInput]) -> [DecidingInput] {
    let others = ways.filter { if case .chain = $0 { false } else { true } }
    return others.count < ways.count ? [newRecording] + others : ways
  }

  /// What settles an old session instead of the chain that its server sends now.
  private static let newRecording = DecidingInput.evidence("record again, since certificates fetched now are newer than the sessions")
}
