import Reporting
import SessionModel

/// Gathers what the sessions come to while they come.
struct SnapshotSink: SessionSink, ~Copyable {
  private(set) var snapshot: AuditSnapshot
  private var judge: ProgramJudges
  private let choice: SessionChoice

  init(_ options: AuditOptions, keepsNotes: Bool) {
    snapshot = AuditSnapshot(keepsNotes: keepsNotes)
    judge = ProgramJudges(options)
    choice = SessionChoice(options)
  }

  var judged: Int? { snapshot.sessions }

  var warning: String? { judge.warning }

  mutating func take(_ session: ObservedSession) {
    let judgement = judge.judge(session)
    if choice.takes(session) { snapshot.add(session, judgement) }
  }
  /// The snapshot, which takes no further sessions.
  consuming func finished() -> AuditSnapshot {
    snapshot.finish()
    return snapshot
  }
}
