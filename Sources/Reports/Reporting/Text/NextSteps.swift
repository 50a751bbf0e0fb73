package import ATSEvidence
package import SessionModel
package import SessionRecords
import TLSParsing

/// What the inputs of a report allow as the next step for an undecided session.
package struct NextSteps: Sendable {
  /// Whether the captures are years older than the newest root store, so that a chain fetched now does not settle a session.
  package var isOld: Bool

  /// Whether all sessions were saved by earlier runs, so that no key log decrypts them.
  package var isSaved: Bool

  /// The files of options that cannot be used. Commands omit those that are key logs.
  package var unusableFiles: Set<String> = []

  /// What to record instead of the session, if its handshake ended without a ServerHello; otherwise nil.
  private var recording: String?

  package init(isOld: Bool = false, isSaved: Bool = false) {
    self.isOld = isOld
    self.isSaved = isSaved
  }

  package init(_ summary: SummaryRecord, in run: RunRecord) {
    isOld = Wording.isOld(summary, in: run)
    isSaved = summary.inputs.contains { $0.kind == .sessions } && !summary.inputs.contains { $0.kind == .capture }
    unusableFiles = Set(Wording.unusable(in: summary).map(\.file))
  }

  /// Creates the next steps for one session, whose own age counts; `isTimeStated` is whether its certificates are judged at another time,
  /// `isFailing` whether its verdict is FAIL.
  package init(_ session: ObservedSession, isTimeStated: Bool, isFailing: Bool = false) {
    isOld = !isTimeStated && Wording.isOld(session)
    isSaved = session.isSaved
    recording = session.newRecording(isFailing: isFailing)
  }

  /// Returns the inputs that settle a session, of a group if that is given, as far as they can.
  package func possible(_ ways: [DecidingInput], of group: SessionGroup? = nil) -> [DecidingInput] {
    if !ways.isEmpty, let recording = recording ?? group?.newRecording { return [.evidence(recording)] }
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

extension ObservedSession {
  /// What to record instead, if the handshake ended without a ServerHello because the server was unreachable, refused, or ended the
  /// connection; otherwise nil.
  package func newRecording(isFailing: Bool) -> String? {
    sharedTLS?.sharedServerHello?.version == nil ? ending?.newRecording(isFailing: isFailing) : nil
  }
}

extension SessionEnding {
  /// What to record instead of a handshake that ended in this way before a ServerHello; nil if nothing follows from the ending. A refused
  /// session fails if a device would be refused too.
  func newRecording(isFailing: Bool) -> String? {
    switch self {
    case .unreachable, .reset(by: .server), .reset(by: nil), .closed(by: .server), .closed(by: nil):
      "record again when the server responds"
    case .refused(.server, .unrecognizedName): "check the host name, and record again"
    case .refused(.server, _):
      isFailing
        ? "record again when the server is fixed"
        : "record an Apple device that connects to this host; its offer may differ from this client's"
    case .httpResponse: "correct the port in the URL, or enable TLS on this port, and record again"
    default: nil
    }
  }
}
