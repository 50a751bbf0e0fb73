public import ATSEvaluation
import ByteParsing

/// What the sessions of one process come to.
public struct ProcessSummary: Hashable, Sendable {
  /// Its name; nil where the captures do not tell.
  public var name: String?
  /// Its number; nil where the captures do not tell.
  public var pid: Int32?
  /// Its sessions by verdict.
  public var verdicts = VerdictCounts()
  /// The least score of a session; nil where none has one.
  public var leastScore: Int?
  /// The greatest score of a session; nil where none has one.
  public var greatestScore: Int?

  /// Creates the summary of nothing.
  public init(name: String? = nil, pid: Int32? = nil) {
    self.name = name
    self.pid = pid
  }

  /// Counts one more session.
  public mutating func add(_ judgement: Judgement) {
    verdicts.add(judgement.content.verdict, isRelaxed: judgement.isRelaxed)
    guard let score = judgement.content.score else { return }
    leastScore = min(leastScore ?? score, score)
    greatestScore = max(greatestScore ?? score, score)
  }
}

extension ContiguousArray where Element == UInt8 {
  /// Appends what the sessions of a process come to.
  mutating func append(_ process: ProcessSummary) {
    appendRaw("{\"name\":")
    appendJSONText(process.name)
    appendRaw(",\"pid\":")
    if let pid = process.pid { appendRaw("\(pid)") } else { appendRaw("null") }
    appendRaw(
      ",\"verdict\":\"\(process.verdicts.worst.rawValue)\",\"best\":\"\(process.verdicts.best.rawValue)\"")
    appendRaw(",\"relaxed\":")
    appendJSON(process.verdicts.isWorstRelaxed)
    appendRaw(",\"sessions\":")
    appendJSON(process.verdicts.total)
    appendRaw(",\"verdicts\":")
    appendJSON(process.verdicts)
    // What is unknown or exempt as a whole has none.
    let hasScore = process.verdicts.worst == .fail || process.verdicts.worst == .pass
    appendRaw(",\"score\":")
    appendJSON(hasScore ? process.leastScore : nil)
    appendRaw(",\"bestScore\":")
    appendJSON(hasScore ? process.greatestScore : nil)
    append(0x7D)
  }
}
