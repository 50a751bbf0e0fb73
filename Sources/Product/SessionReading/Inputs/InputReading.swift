import ArchiveReading
import CaptureFormats
import HandshakeDecryption
package import InputSources
import SessionLinking
import SessionModel
package import SessionRecords
import Values

/// Reads inputs one after another and passes on their sessions.
package struct InputReading {
  let options: ReadingOptions

  /// The chains to assume for sessions with hidden chains.
  let chains: SuppliedChains

  /// Whether saved sessions are linked to the handshakes that they resume, if another capture contains these.
  let linksSavedSessions: Bool

  /// Whether captures are first read for their secrets, then for their sessions.
  private let looksAhead: Bool

  /// Whether the reading ended because a capture has secrets after its packets, so that captures must first be read for their secrets.
  package internal(set) var missedSecrets = false

  package internal(set) var inputs: [InputSummary] = []

  /// The inputs that could not be opened or not be read completely.
  package private(set) var faults: [AuditError] = []

  package internal(set) var warnings: [String] = []

  /// The connections without a handshake, by server.
  package private(set) var silentServers = SilentServers()

  /// Whether sessions may be missing because a limit was reached.
  package internal(set) var hitLimit = false

  /// The handshakes that later sessions may resume, across all captures.
  var earlier = EarlierSessions()

  /// What the warnings at the end are about.
  let seen: SeenSessions

  /// The number of captures begun so far, including those of saved sessions.
  private var captures: UInt32 = 0

  /// The number of sessions that were evicted from `earlier`.
  package var forgottenSessions: UInt64 { earlier.forgotten }

  /// Whether the process of a session is known.
  package var hasProcesses: Bool { seen.hasProcesses }

  /// Reports the progress of reading; nil if not requested.
  var meter: ProgressMeter?

  /// The source of interruptions; nil if the reading cannot be interrupted.
  let interruption: Interruption?

  var keyLogs = KeyLogs()

  /// Whether the key logs were read before this reading.
  private let hasKeyLogs: Bool

  /// Whether the key logs contain secrets of a session in the captures.
  var fitsKeyLog = false

  /// The connections without a handshake in the inputs of an isolated run, by the index of the input.
  private var silentServersOfInputs: [Int: SilentServers] = [:]

  /// The captures in archives from pipes.
  var streamed: [InputFile] = []

  /// The number of inputs whose records were passed on.
  private var reported = 0

  /// Creates a reading. The key logs in `keyLogs` have been read and are not read again.
  package init(
    _ options: ReadingOptions, chains: SuppliedChains, linksSavedSessions: Bool, looksAhead: Bool = true, keyLogs: KeyLogs? = nil
  ) {
    hasKeyLogs = keyLogs != nil
    if let keyLogs { self.keyLogs = keyLogs }
    self.options = options
    self.chains = chains
    self.linksSavedSessions = linksSavedSessions
    seen = SeenSessions(chains: chains, comparesInputs: options.countsSessions)
    self.looksAhead = looksAhead
    interruption = options.isInterrupted.map { Interruption($0) }
  }

  package mutating func read(_ inputs: [AuditInput], into sink: inout some SessionSink & ~Copyable) throws(ReadingEnded) {
    readKeyLogs()
    let found = options.find(inputs)
    for error in found.errors { refuse(error) }
    warnings += found.warnings.map { "\(DisplayText.escaped($0.path)): \($0.explanation)" }
    if let progress = options.progress {
      meter = ProgressMeter(totalBytes: InputReading.size(of: found.files), report: progress)
    }
    defer { if !missedSecrets { meter?.end() } }
    // Each keeps an archive open, so that it is not read from its start for every member.
    let opener = InputOpener(interruption: interruption)
    let secretsOpener = InputOpener(interruption: interruption)
    for (index, group) in found.groups.enumerated() {
      if interruption?.isPending == true {
        leaveOut(found.groups[index...].flatMap(\.files))
        break
      }
      if group.isSeries {
        try readSeries(group.files, opener, secretsOpener, &sink)
      } else if let file = group.files.first {
        try read(file, opener, secretsOpener, &sink)
      }
      try report(&sink)
    }
    noteFollowers(found.groups)
    for archive in found.archives { addSummary(of: archive) }
    noteKeyLogOfOthers()
    if interruption?.isPending != true { warnings += seen.warnings }
    noteSkipped(found.skippedByGroup)
    try report(&sink)
  }

  /// Passes on the records of completed inputs in an isolated run.
  private mutating func report(_ sink: inout some SessionSink & ~Copyable) throws(ReadingEnded) {
    guard options.isIsolated else { return }
    for index in reported..<inputs.count {
      var record = InputRecord(unit: options.unit, input: inputs[index])
      if let silent = silentServersOfInputs[index] {
        record.withoutHandshake = silent.records
        record.withoutHandshakeElsewhere = silent.elsewhere
      }
      try sink.take(record)
    }
    reported = inputs.count
    silentServersOfInputs.removeAll()
  }

  /// Removes the handshakes that later sessions may resume.
  mutating func forgetEarlier() { earlier = EarlierSessions() }

  private mutating func readKeyLogs() {
    if !hasKeyLogs { keyLogs.read(options.keyLogs) }
    faults += keyLogs.faults
    warnings += keyLogs.warnings
    inputs += keyLogs.inputs
    if keyLogs.secrets.isTruncated { hitLimit = true }
  }

  /// Returns the size of all files in bytes; nil if that of a file is not known.
  private static func size(of files: [InputFile]) -> UInt64? {
    var size: UInt64 = 0
    for file in files {
      guard let bytes = file.size else { return nil }
      size = size.clampedSum(bytes)
    }
    return size
  }

  mutating func refuse(_ error: InputError) {
    let fault = AuditError(error)
    faults.append(fault)
    if let input = fault.input(.other) { inputs.append(input) }
  }

  /// Adds faults for files that were not begun before the interruption.
  private mutating func leaveOut(_ files: [InputFile]) {
    guard let first = files.first else { return }
    for file in files {
      var summary = InputSummary(file: file.displayName, kind: .other, format: nil)
      summary.error = InputReading.interruptionFault
      inputs.append(summary)
    }
    let others = files.count - 1
    let rest = others == 0 ? "" : ", nor \(others.form(of: "{was|were}")) \(others) more"
    faults.append(AuditError(file: first.displayName, "interrupted before it was read\(rest)", cause: .interrupted))
  }

  private static let interruptionFault = InputSummary.Fault("interrupted; the rest was not read", at: nil, isInterruption: true)

  /// Returns the fault of an input with regard to an interruption: for standard input, the interruption is a normal end.
  func interrupted(_ error: InputSummary.Fault?, _ file: InputFile) -> InputSummary.Fault? {
    guard let interruption, interruption.isPending else { return error }
    if file.isStandardInput { return error?.isTruncated == true ? nil : error }
    return interruption.mayHaveLeftBytes ? InputReading.interruptionFault : error
  }

  /// Adds the summary of an archive whose members were read individually.
  private mutating func addSummary(of archive: InputFile) {
    var summary = InputSummary(file: archive.displayName, kind: .archive, format: nil)
    summary.bytes = archive.size ?? 0
    if options.computesDigests, let source = try? InputOpener().openAsStored(archive) {
      let passed = PassedBytes(digesting: true)
      _ = passed.watch(source)
      passed.drain()
      summary.sha256 = passed.sha256
    }
    inputs.append(summary)
  }

  // MARK: One file

  private mutating func read(
    _ file: InputFile, _ opener: InputOpener, _ secretsOpener: InputOpener, _ sink: inout some SessionSink & ~Copyable
  ) throws(ReadingEnded) {
    let passed = PassedBytes(digesting: options.computesDigests, meter: meter)
    let opened: OpenedInput
    do throws(InputError) {
      opened = try opener.open(file) { passed.watch($0) }
    } catch {
      if interruption?.isPending == true, !file.isStandardInput { leaveOut([file]) } else { refuse(error) }
      return
    }
    if case .archive = opened.kind {
      try readArchive(opened, file, passed, &sink)
      return
    }
    seen.begin(file.displayName)
    var summary: InputSummary
    if opened.kind == .savedSessions {
      guard options.packetOptions.isEmpty else {
        refuse(InputError(.noPackets(options: options.packetOptions), path: file.displayName))
        return
      }
      summary = InputSummary(file: file.displayName, kind: .sessions, format: "ndjson")
      try readSavedSessions(opened.source, &summary, &sink)
    } else {
      summary = InputSummary(file: file.displayName, kind: .capture, format: nil)
      var reading = captureReading(of: summary.file)
      let mayBeReadTwice = opened.kind == .capture(.pcapng) && file.size != nil
      if mayBeReadTwice, looksAhead { gatherSecrets(of: file, secretsOpener, &reading) }
      try readCapture(opened.source, &reading, &summary, &sink, mayBeReadAgain: mayBeReadTwice && !looksAhead)
    }
    summary.compression = opened.compression?.rawValue
    summary.error = interrupted(summary.error, file)
    finish(&summary, passed)
  }

  mutating func finish(_ summary: inout InputSummary, _ passed: PassedBytes) {
    passed.drain()
    summary.bytes = passed.count
    summary.sha256 = passed.sha256
    if let error = summary.error { report(error, of: summary.file) }
    inputs.append(summary)
  }

  mutating func report(_ error: InputSummary.Fault, of file: String) {
    let cause: AuditError.Cause = error.isTruncated ? .truncated : error.isInterruption ? .interrupted : .unusable
    let fault = AuditError(file: file, error.text, cause: cause)
    if error.isTruncated, options.allowsIncomplete {
      warnings.append(fault.description)
    } else {
      faults.append(fault)
    }
  }

  /// Returns a reading of the next capture. It takes the earlier handshakes, and returns them at its end.
  mutating func captureReading(of file: String) -> CaptureReading {
    var taken = EarlierSessions()
    swap(&taken, &earlier)
    taken.beginCapture()
    return CaptureReading(file: file, options, consume taken, chains: chains, number: nextCapture(), secrets: keyLogs.secrets, seen: seen)
  }

  mutating func nextCapture() -> UInt32 {
    captures &+= 1
    return captures
  }

  mutating func addSilentServers(_ servers: [Endpoint: UInt64], elsewhere: UInt64) {
    silentServers.add(servers, elsewhere: elsewhere)
    // The input's summary is appended next, so its index is the current count.
    if options.isIsolated { silentServersOfInputs[inputs.count, default: SilentServers()].add(servers, elsewhere: elsewhere) }
  }
}
