import ArgumentParser
import ATScope
import InputSources
import PacketFiltering

/// What of the inputs is read, and how.
struct ReadingChoiceArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Show only sessions with hosts like this (* and ? stand for anything); may be repeated.",
      valueName: "pattern"))
  var host: [String] = []

  @Option(
    help: ArgumentHelp(
      "Show only sessions of processes of this name; may be repeated.", valueName: "name"))
  var process: [String] = []

  @Option(
    help: ArgumentHelp(
      "Read only packets that match, in tcpdump's language; names other than those of services are refused, since nothing is looked up.",
      valueName: "expr"),
    transform: { try PacketFilter($0) })
  var filter: PacketFilter?

  @Option(
    help: ArgumentHelp(
      "Read only packets from this ISO 8601 time on, with Z or an offset.", valueName: "time"),
    transform: { try TimeArgument($0) })
  var from: TimeArgument?

  @Option(
    help: ArgumentHelp("Read only packets up to this ISO 8601 time, with Z or an offset.", valueName: "time"),
    transform: { try TimeArgument($0) })
  var to: TimeArgument?

  @Option(
    help:
      "Whether files whose names differ in one counter or time stamp are one capture: auto if each begins within a minute after the last. Default: auto in folders and archives, never for files that are named one by one."
  )
  var series: SeriesArgument?

  @Option(help: "Whether standard error shows how far the reading has come; auto on a terminal.")
  var progress = ProgressArgument.auto

  @Option(
    help: ArgumentHelp(
      "Open TLS 1.3 and QUIC handshakes with the secrets of this key log (SSLKEYLOGFILE); may be repeated.",
      valueName: "file"),
    completion: .file())
  var keylog: [String] = []

  @Flag(help: "A capture cut off at its end is reported and does not give exit status 2.")
  var allowIncomplete = false

  @Flag(help: "Put the SHA-256 of every input into the summary.")
  var digest = false

  func validate() throws {
    // As a variable that was not set gives it: nothing would be shown, and nothing would fail.
    if host.contains("") { throw ValidationError("--host takes a host or a pattern; '*' stands for all.") }
    if process.contains("") { throw ValidationError("--process takes the name of a process.") }
    if let from, let to, to.time < from.time { throw ValidationError("--to is before --from.") }
  }

  /// Puts what was asked for into the options.
  func apply(to options: inout AuditOptions) {
    options.reading.allowIncomplete = allowIncomplete
    options.reading.digest = digest
    options.reading.keyLogs = keylog
    options.reading.series = series?.mode
    options.reading.filter = filter
    options.reading.from = from?.time
    options.reading.to = to?.time
    if let bar = ProgressBar(progress) { options.reading.progress = { bar.show($0) } }
    options.reading.isInterrupted = StandardStreams.watchInterruptions()
    options.hosts = host.map { HostPattern($0) }
    options.processes = process
  }
}

/// Whether standard error shows how far the reading has come.
enum ProgressArgument: String, ExpressibleByArgument, CaseIterable {
  case auto
  case always
  case never
}

/// What is taken for one capture in parts.
struct SeriesArgument: ExpressibleByArgument {
  var mode: SeriesMode

  init(mode: SeriesMode) { self.mode = mode }

  init?(argument: String) {
    guard let mode = SeriesMode(rawValue: argument) else { return nil }
    self.mode = mode
  }

  static var allValueStrings: [String] { SeriesMode.allCases.map(\.rawValue) }
}
