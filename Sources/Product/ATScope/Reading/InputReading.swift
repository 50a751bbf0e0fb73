import ByteParsing
import CaptureFormats
import InputSources
import SessionObservation
import SessionRecords

/// Reads inputs one after another and hands on their sessions.
struct InputReading {
  let options: ReadingOptions

  /// What became of each input.
  private(set) var inputs: [InputSummary] = []

  /// Inputs that could not be opened or not be read to their end.
  private(set) var faults: [String] = []

  /// Things worth saying on standard error that are no faults.
  private(set) var warnings: [String] = []

  /// Connections without a handshake, by server.
  private(set) var silentServers = SilentServers()

  /// Whether a limit may have cost a session.
  private(set) var hitLimit = false

  init(_ options: ReadingOptions) { self.options = options }

  /// Reads all inputs.
  mutating func read(_ arguments: [String], into sink: inout some SessionSink & ~Copyable)
    throws(ReadingEnded)
  {
    let found = InputFinder().find(arguments)
    for error in found.errors { refuse(error) }
    for file in found.files { try read(file, &sink) }
    noteSkipped(found)
  }

  private mutating func refuse(_ error: InputError) {
    faults.append("\(DisplayText.escaped(error.path)): \(error.explanation)")
    var summary = InputSummary(file: error.path, kind: "other", format: nil)
    summary.error = InputSummary.Fault(error.explanation, at: nil)
    inputs.append(summary)
  }

  private mutating func noteSkipped(_ found: FoundInputs) {
    guard found.skippedCount > 0 else { return }
    var summary = InputSummary(file: "(below directories)", kind: "directory", format: nil)
    summary.health.append(
      NamedCount("skippedFiles", "files that are no captures", count: UInt64(found.skippedCount)))
    inputs.append(summary)
  }

  private mutating func read(_ file: InputFile, _ sink: inout some SessionSink & ~Copyable)
    throws(ReadingEnded)
  {
    let opened: OpenedInput
    do throws(InputError) {
      opened = try file.open()
    } catch {
      refuse(error)
      return
    }
    let passed = PassedBytes(digesting: options.digest)
    let source = DigestingSource(source: opened.source, passed: passed)
    var summary: InputSummary
    switch opened.kind {
    case .savedSessions:
      summary = InputSummary(file: file.displayName, kind: "sessions", format: "ndjson")
      try readSavedSessions(source, &summary, &sink)
    default:
      summary = InputSummary(file: file.displayName, kind: "capture", format: nil)
      try readCapture(source, &summary, &sink)
    }
    if options.digest {
      var rest = source
      rest.drain()
    }
    summary.bytes = passed.count
    summary.sha256 = passed.sha256
    if let error = summary.error {
      let name = DisplayText.escaped(file.displayName)
      if error.isCutOff, options.allowIncomplete {
        warnings.append("\(name): \(error.text)")
      } else {
        faults.append("\(name): \(error.text)")
      }
    }
    inputs.append(summary)
  }

  // MARK: Captures

  private mutating func readCapture(
    _ source: DigestingSource, _ summary: inout InputSummary, _ sink: inout some SessionSink & ~Copyable
  ) throws(ReadingEnded) {
    var reader: CaptureReader
    do throws(CaptureError) {
      reader = try CaptureReader(source)
    } catch {
      summary.error = InputReading.fault(error)
      return
    }
    var tracker = SessionTracker(file: summary.file)
    while true {
      let next: PacketRecord?
      do throws(CaptureError) {
        next = try reader.next()
      } catch {
        summary.error = InputReading.fault(error)
        break
      }
      guard let record = next else { break }
      if reader.mayNameProcesses { tracker.packetProcess = reader.process(of: record) }
      tracker.process(
        reader.bytes(of: record), linkType: record.linkType.rawValue, originalLength: record.originalLength,
        at: Moment(frame: record.frameNumber, time: record.hasTimestamp ? record.timestamp : nil))
      if !tracker.finished.isEmpty {
        for index in tracker.finished.indices {
          summary.sessions += 1
          try sink.take(tracker.finished[index].session)
        }
        tracker.clearFinished()
      }
    }
    tracker.finish()
    for finished in tracker.finished {
      summary.sessions += 1
      try sink.take(finished.session)
    }
    let account = CaptureAccount(metadata: reader.metadata, health: tracker.health)
    account.complete(&summary)
    if account.nothingDecodable, summary.error == nil {
      summary.error = InputSummary.Fault(account.undecodableReason, at: nil)
    }
    if account.hitLimit { hitLimit = true }
    silentServers.add(tracker.health)
  }

  // MARK: Saved sessions

  private mutating func readSavedSessions(
    _ source: DigestingSource, _ summary: inout InputSummary, _ sink: inout some SessionSink & ~Copyable
  ) throws(ReadingEnded) {
    var shared = SharedFacts()
    var decoder = SessionDecoder { shared.certificate($0.span) }
    var lines = LineReader(source)
    while true {
      do {
        guard let line = try lines.next() else { break }
        guard case .session(let session) = try decoder.decode(line.span, number: lines.number) else {
          continue
        }
        summary.sessions += 1
        try sink.take(session)
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
  }

  private static func fault(_ error: CaptureError) -> InputSummary.Fault {
    var isCutOff = false
    if case .truncated = error.reason { isCutOff = true }
    return InputSummary.Fault(
      error.description, at: UInt64(exactly: error.offset), isCutOff: isCutOff)
  }
}
