import ArgumentParser
import ATScope
import InputSources
import PacketFiltering

/// The selection of packets and sessions, and how inputs are read.
struct ReadingChoiceArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp("Report and count only sessions with matching hosts (* and ? are wildcards); may be repeated.", valueName: "pattern")
  ) var host: [String] = []

  @Option(help: ArgumentHelp("Report and count only sessions of this process; may be repeated.", valueName: "name"))
  var process: [String] = []

  @Option(
    help: ArgumentHelp(
      "Read only packets that match this tcpdump filter expression. Host names are not accepted; service names such as https are.",
      valueName: "expr"),
    transform: { try PacketFilter($0) })
  var filter: PacketFilter?

  @Option(
    help: ArgumentHelp("Read only packets from this ISO 8601 time, with Z or an offset.", valueName: "time"),
    transform: { try TimeArgument($0) })
  var from: TimeArgument?

  @Option(
    help: ArgumentHelp("Read only packets up to this ISO 8601 time, with Z or an offset.", valueName: "time"),
    transform: { try TimeArgument($0) })
  var to: TimeArgument?

  @Option(
    help:
      "Whether to read the files of a rotated capture as one; their names are as tcpdump and dumpcap write them (trace.pcap1, trace_00001_20260501101112.pcap). auto: if their numbers are consecutive, and each file begins at most a minute after the previous one ends, or a second before. Default: auto for files in folders and archives, never for files on the command line."
  )
  var series: SeriesMode?

  @Option(help: "Whether to show progress on standard error; auto: on a terminal.")
  var progress = ProgressArgument.auto

  @Option(
    help: ArgumentHelp(
      "Decrypt TLS 1.3 and QUIC handshakes with this key log (SSLKEYLOGFILE); may be repeated.",
      valueName: "file"),
    completion: .file())
  var keylog: [String] = []

  @Flag(help: "Do not exit with status 2 for a capture or saved sessions truncated at the end.")
  var allowIncomplete = false

  @Flag(help: "Include the SHA-256 of every input in the summary.")
  var digest = false

  func validate() throws {
    // From an unset shell variable: nothing would match, and nothing would fail.
    if host.contains("") { throw ValidationError("--host requires a host or a pattern; '*' matches every host.") }
    // It would match nothing, and nothing would fail.
    if let url = host.first(where: { $0.contains("://") }) {
      throw ValidationError("'\(url)' is a URL. Give only its host, such as api.example.com or *.example.com.")
    }
    if process.contains("") { throw ValidationError("--process requires the name of a process.") }
    if let from, let to, to.time < from.time { throw ValidationError("--to is before --from.") }
  }

  func apply(to options: inout AuditOptions) {
    options.reading.allowsIncomplete = allowIncomplete
    options.reading.computesDigests = digest
    options.reading.keyLogs = keylog
    options.reading.series = series
    options.reading.filter = filter
    options.reading.from = from?.time
    options.reading.to = to?.time
    if let bar = ProgressBar(progress) { options.reading.progress = { bar.show($0) } }
    options.reading.isInterrupted = StandardStreams.watchInterruptions()
    options.hosts = host.map { HostPattern($0) }
    options.processes = process
  }
}

enum ProgressArgument: String, ExpressibleByArgument, CaseIterable {
  case auto
  case always
  case never
}
