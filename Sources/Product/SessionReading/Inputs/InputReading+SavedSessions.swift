import ByteParsing
import CaptureFormats
import JSONReading
import SessionLinking
import SessionModel
import SessionRecords

extension InputReading {
  mutating func readSavedSessions(
    _ source: any ByteSource, _ summary: inout InputSummary, _ sink: inout some SessionSink & ~Copyable
  ) throws(ReadingEnded) {
    var certificates = CertificateCache()
    var decoder = SessionDecoder { certificates.certificate($0.span) }
    var lines = LineReader(source)
    var unknown: (schema: String, line: Int, count: Int)?
    var capture: (file: String, number: UInt32)?
    reading: while true {
      do {
        guard let line = try lines.next() else { break }
        if lines.number == 1, let other = InputReading.otherContents(line) {
          summary.error = InputSummary.Fault(other, at: 1)
          break
        }
        switch try decoder.decode(line.span, number: lines.number) {
        case .session(var session):
          summary.sessions += 1
          let number: UInt32
          if let capture, capture.file == session.file {
            number = capture.number
          } else {
            number = nextCapture()
            capture = (session.file, number)
            earlier.beginCapture()
          }
          session.captureNumber = number
          if options.linksSavedSessions { earlier.complete(saved: &session) }
          try sink.take(options.chains.complete(session) ?? session)
        case .unknown(let schema):
          unknown = (unknown?.schema ?? schema, unknown?.line ?? lines.number, (unknown?.count ?? 0) + 1)
        // A file may contain several runs.
        case .other(let schema):
          capture = nil
          if options.isIsolated, schema == "atscope.run/1" {
            forgetEarlier()
            sink.beginUnit()
          }
        case .notRejudgeable:
          summary.error = InputSummary.Fault(
            "line \(lines.number): saved with --fields compact, without certificates, so it cannot be judged again; use --fields all",
            at: UInt64(exactly: lines.number))
          break reading
        case .blank: continue
        }
      } catch let error as SessionRecordError {
        summary.error = InputSummary.Fault(error.description, at: UInt64(exactly: error.line))
        break
      } catch let error as CaptureError {
        summary.error = InputReading.fault(error)
        break
      } catch {
        throw ReadingEnded()
      }
    }
    if let unknown, summary.error == nil {
      let others = unknown.count > 1 ? ", nor \(unknown.count - 1) more such lines" : ""
      summary.error = InputSummary.Fault(
        "line \(unknown.line): a record with the schema \(DisplayText.escaped(unknown.schema)), which this version does not read\(others)",
        at: UInt64(exactly: unknown.line))
    }
  }

  /// Returns the kind of a file that this program wrote without saved sessions, determined by its first line; nil for other files.
  private static func otherContents(_ line: Bytes) -> String? {
    if line.starts(with: Bytes("{\"run\":".utf8)) {
      return "a JSON report, which cannot be an input; --format ndjson saves sessions"
    }
    let start = Bytes("{\"schema\":\"".utf8)
    guard line.starts(with: start) else { return nil }
    let name = String(
      decoding: line.dropFirst(start.count).prefix { $0 != UInt8(ascii: "\"") }.prefix(64), as: UTF8.self)
    guard name.hasPrefix("atscope.") else { return nil }
    switch name.dropFirst(8).prefix(while: { $0 != "/" }) {
    case "run", "session", "summary", "input": return nil
    case "baseline": return "a baseline, which only diff reads, as its first input"
    default: return "\(DisplayText.escaped(name)), which contains no sessions; --format ndjson saves them"
    }
  }
}
