package import ATSEvaluation
package import SessionModel

/// The verdicts and scores of the sessions of one process.
package struct ProcessSummary: Hashable, Sendable {
  /// The process name; nil if the captures do not contain it.
  package var name: String?
  /// The process ID; nil if the captures do not contain it.
  package var pid: Int32?
  package var verdicts = VerdictCounts()
  /// The lowest score of a session; nil if no session has one.
  package var lowestScore: Int?
  /// The highest score of a session; nil if no session has one.
  package var greatestScore: Int?

  package init(name: String? = nil, pid: Int32? = nil) {
    self.name = name
    self.pid = pid
  }

  package mutating func add(_ judgement: Shared<Judgement>) {
    verdicts.add(judgement)
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
    // A process without failing or passing sessions has no score.
    let hasScore = verdicts.worst == .fail || verdicts.worst == .pass
    json.number("score", hasScore ? lowestScore : nil)
    json.number("bestScore", hasScore ? greatestScore : nil)
  }
}
