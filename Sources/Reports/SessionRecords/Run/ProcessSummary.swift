package import ATSEvaluation
package import SessionModel

/// What the sessions of one process come to.
package struct ProcessSummary: Hashable, Sendable {
  /// Its name; nil where the captures do not tell.
  package var name: String?
  /// Its number; nil where the captures do not tell.
  package var pid: Int32?
  package var verdicts = VerdictCounts()
  /// The least score of a session; nil where none has one.
  package var lowestScore: Int?
  /// The greatest score of a session; nil where none has one.
  package var greatestScore: Int?

  package init(name: String? = nil, pid: Int32? = nil) {
    self.name = name
    self.pid = pid
  }

  package mutating func add(_ judgement: Shared<Judgement>) {
    verdicts.add(judgement.verdict, isRelaxed: judgement.isRelaxed)
    guard let score = judgement.score else { return }
    lowestScore = min(lowestScore ?? score, score)
    greatestScore = max(greatestScore ?? score, score)
  }
}

extension ProcessSummary: JSONRecord {
  package func writeMembers(to json: inout JSONObject) {
    json.text("name", name)
    json.number("pid", pid)
    json.string("verdict", verdicts.worst.rawValue)
    json.string("best", verdicts.best.rawValue)
    json.boolean("relaxed", verdicts.isWorstRelaxed)
    json.number("sessions", verdicts.total)
    json.object("verdicts", verdicts)
    // What is unknown or exempt as a whole has none.
    let hasScore = verdicts.worst == .fail || verdicts.worst == .pass
    json.number("score", hasScore ? lowestScore : nil)
    json.number("bestScore", hasScore ? greatestScore : nil)
  }
}
