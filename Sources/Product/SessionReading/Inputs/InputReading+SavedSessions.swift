import ByteParsing
import CaptureFormats
import JSONReading
import SessionLinking
import SessionModel
import SessionRecords
import Values

extension InputReading {
  mutating func readSavedSessions(
    _ source: any ByteSource, _ summary: inout InputSummary, _ sink: inout some SessionSink & ~Copyable
  ) throws(ReadingEnded) {
    var certificates = CertificateCache()
    var decoder = SessionDecoder { certificates.certificate($0.span) }
    var lines = LineReader(source)
    var unknown: (schema: String, line: Int, count: Int)?
    var capture: (file: String, number: UInt32)?
    var runs = SavedRuns()
    reading: while true {
      do {
        guard let line = try lines.next() else { break }
        if lines.number == 1, let other = InputReading.otherContents(line) {
          summary.error = other
          break
        }
        switch try decoder.decode(line.span, number: lines.number) {
        case .session(var session):
          summary.add(session)
          (session.captureNumber, session.isSaved) = (captureNumber(of: session.file, &capture), true)
          if linksSavedSessions { earlier.complete(saved: &session) }
          seen.note(session)
          chains.complete(&session)
          try sink.take(session)
        case .unknown(let schema):
          unknown = (unknown?.schema ?? schema, unknown?.line ?? lines.number, (unknown?.count ?? 0) + 1)
        // A file may contain several runs.
        case .run(let isBare):
          capture = nil
          if !isBare { runs.begun += 1 }
          if runs.begun > 1 { seen.begin("\(summary.file), run \(runs.begun)") }
          if options.isIsolated {
            forgetEarlier()
            sink.beginUnit()
          }
        case .summary(let run):
          capture = nil
          runs.end(run)
          take(run, of: summary.file)
        case .input: capture = nil
        case .notRejudgeable:
          summary.error = InputReading.fault(ofCompactAt: lines.number)
          break reading
        case .blank: continue
        }
      } catch let error as JSONError {
        summary.error = InputSummary.Fault(
          error.description, at: UInt64(exactly: error.line), isTruncated: error.reason == .truncated && lines.isUnterminated)
        break
      } catch let error as CaptureError {
        summary.error = InputReading.fault(error)
        break
      } catch {
        throw ReadingEnded()
      }
    }
    if summary.error == nil { summary.error = unknown.map(InputReading.fault(ofUnknown:)) }
    runs.complete(&summary, lastLine: lines.number)
    if !summary.limits.isEmpty { hitLimit = true }
  }

  /// Returns the number of a session's capture, a new one if the session before it, whose capture is `last`, was of another.
  private mutating func captureNumber(of file: String, _ last: inout (file: String, number: UInt32)?) -> UInt32 {
    if let last, last.file == file { return last.number }
    let number = nextCapture()
    last = (file, number)
    earlier.beginCapture()
    return number
  }

  private mutating func take(_ run: SavedSummary, of file: String) {
    addSilentServers(run.withoutHandshake, elsewhere: run.withoutHandshakeElsewhere)
    guard run.notShown > 0 else { return }
    warnings.append(
      "\(DisplayText.escaped(file)): saved with only some sessions; those left out may show intermediates that chains here lack. "
        + "Save all sessions, and select them when you audit")
  }

  private static func fault(ofCompactAt line: Int) -> InputSummary.Fault {
    InputSummary.Fault(
      "line \(line): saved with --fields compact, without certificates, so it cannot be judged again; use --fields all",
      at: UInt64(exactly: line))
  }

  private static func fault(ofUnknown unknown: (schema: String, line: Int, count: Int)) -> InputSummary.Fault {
    if unknown.line == 1, let other = otherContents(schema: unknown.schema) { return other }
    let others = unknown.count > 1 ? ", nor \((unknown.count - 1).counted("more such line{s}"))" : ""
    return InputSummary.Fault(
      "line \(unknown.line): a record with the schema \(DisplayText.escaped(unknown.schema)), which this version does not read\(others)",
      at: UInt64(exactly: unknown.line))
  }

  /// Returns the fault of a file that this program wrote without saved sessions, determined by its first line; nil for other files.
  private static func otherContents(_ line: Bytes) -> InputSummary.Fault? {
    if line.starts(with: Bytes("{\"run\":".utf8)) {
      return report("a JSON report, which cannot be an input; --format ndjson saves sessions")
    }
    let start = Bytes("{\"schema\":\"".utf8)
    guard line.starts(with: start) else { return nil }
    let name = String(
      decoding: line.dropFirst(start.count).prefix { $0 != UInt8(ascii: "\"") }.prefix(64), as: UTF8.self)
    return otherContents(schema: name)
  }

  private static func report(_ text: String) -> InputSummary.Fault {
    var fault = InputSummary.Fault(text, at: 1)
    fault.isReport = true
    return fault
  }

  /// Returns the fault of a file that begins with a record of this schema; nil if that may be in a file with saved sessions.
  private static func otherContents(schema name: String) -> InputSummary.Fault? {
    guard name.hasPrefix("atscope.") else { return nil }
    switch name.dropFirst(8).prefix(while: { $0 != "/" }) {
    case "run", "session", "summary", "input": return nil
    case "baseline" where name != "atscope.baseline/1":
      return InputSummary.Fault("a baseline with the schema \(DisplayText.escaped(name)); this version reads atscope.baseline/1", at: 1)
    case "baseline": return InputSummary.Fault("a baseline, which only diff reads, from a file that is its first input", at: 1)
    default: return report("\(DisplayText.escaped(name)), which contains no sessions; --format ndjson saves them")
    }
  }
}

extension InputSummary {
  /// Counts a saved session, and extends the span of time to it.
  fileprivate mutating func add(_ session: ObservedSession) {
    sessions += 1
    guard let start = session.start else { return }
    let end = session.end ?? start
    firstTime = firstTime.map { min($0, start) } ?? start
    lastTime = lastTime.map { max($0, end) } ?? end
  }
}
