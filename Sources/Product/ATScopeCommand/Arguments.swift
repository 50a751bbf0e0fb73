import ArgumentParser
import ATScope
import ATSEvaluation
import InputSources
import PacketFiltering
import PolicyResolution
import Values

/// What commands that read captures take.
struct ReadingArguments: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "Captures (pcap, pcapng; compressed or not), directories or archives of them, saved sessions (NDJSON), or - for standard input.",
      valueName: "input"),
    completion: .file(extensions: ["pcap", "pcapng", "cap", "ndjson"]))
  var inputs: [String]

  @OptionGroup var choice: ReadingChoiceArguments

  func validate() throws {
    if inputs.isEmpty { throw ValidationError("Name a capture, a directory, or - for standard input.") }
    if inputs.filter({ $0 == "-" }).count > 1 {
      throw ValidationError("The standard input can be read once only.")
    }
  }

  var host: [String] { choice.host }

  var process: [String] { choice.process }

  var options: ReadingOptions { choice.options }
}

/// Whether standard error shows how far the reading has come.
enum ProgressArgument: String, ExpressibleByArgument, CaseIterable {
  case auto
  case always
  case never
}

struct SeriesArgument: ExpressibleByArgument {
  var mode: SeriesMode

  init(mode: SeriesMode) { self.mode = mode }

  init?(argument: String) {
    guard let mode = SeriesMode(rawValue: argument) else { return nil }
    self.mode = mode
  }

  static var allValueStrings: [String] { SeriesMode.allCases.map(\.rawValue) }

  var defaultValueDescription: String { mode.rawValue }
}

/// What commands that judge take.
struct JudgingArguments: ParsableArguments {
  @OptionGroup var policy: PolicyArguments

  @OptionGroup var trust: TrustArguments

  @OptionGroup var status: StatusArguments

  @OptionGroup var chains: SuppliedChainArguments

  @Option(
    help: ArgumentHelp(
      "Judge certificates at this ISO 8601 time with Z or an offset, not at that of each session.",
      valueName: "time"),
    transform: { try TimeArgument($0) })
  var at: TimeArgument?

  @Option(
    help: ArgumentHelp(
      "app-overrides-trust: app code accepts chains that default evaluation refuses, where ATS leaves that to it.",
      valueName: "assumption"))
  var assume: [AssumptionArgument] = []

  func apply(to options: inout AuditOptions) throws {
    options.assumptions.release = try policy.releaseInForce()
    if let context = policy.context {
      options.assumptions.context = context.context
      options.assumptions.contextSource = "option"
    }
    options.assumptions.judgedAt = at?.time
    options.assumptions.appOverridesTrust = assume.contains(.appOverridesTrust)
    options.anchors = try trust.read()
    options.status = try status.read()
    options.reading.chains = try chains.read()
    options.programs = try policy.programs()
  }
}

struct ReleaseArgument: ExpressibleByArgument {
  var release: SystemRelease

  /// Whether it was given, and is not the default.
  var isGiven = false

  init(release: SystemRelease) { self.release = release }

  init?(argument: String) {
    guard let release = try? SystemRelease(named: argument) else { return nil }
    self.release = release
    isGiven = true
  }

  var defaultValueDescription: String { release.name }
}

struct ContextArgument: ExpressibleByArgument {
  var context: LoadContext

  init?(argument: String) {
    guard let context = LoadContext(rawValue: argument) else { return nil }
    self.context = context
  }

  static var allValueStrings: [String] { LoadContext.allCases.map(\.rawValue) }
}

struct TimeArgument {
  var time: Timestamp

  init(_ argument: String) throws {
    guard let time = Timestamp(iso8601: argument) else { throw TimeArgumentError() }
    self.time = time
  }
}

/// A moment that cannot be read.
struct TimeArgumentError: Error, CustomStringConvertible {
  let description = "a time is written like 2026-05-01T10:11:12Z or 2026-05-01T12:11:12.5+02:00"
}

enum AssumptionArgument: String, ExpressibleByArgument {
  case appOverridesTrust = "app-overrides-trust"
}

/// How results are written.
struct OutputArguments: ParsableArguments {
  enum Color: String, ExpressibleByArgument, CaseIterable {
    case auto
    case always
    case never
  }

  @Option(help: "The form of the result.")
  var format = FormatArgument(format: .text)

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Write the result to a file, whole or not at all, and not to standard output.", valueName: "file"),
    completion: .file())
  var output: String?

  @Option(help: "Whether the text is coloured.")
  var color = Color.auto

  func report(_ command: ReportOptions.Command) -> ReportOptions {
    var report = ReportOptions()
    report.command = command
    report.format = format.format
    report.width = Terminal.width(isFile: output != nil)
    report.useColor =
      switch color {
      case .always: true
      case .never: false
      case .auto: output == nil && Terminal.wantsColor
      }
    return report
  }
}

struct FormatArgument: ResultFormat {
  static let standard = FormatArgument(format: .text)

  var format: ReportOptions.Format

  init(format: ReportOptions.Format) { self.format = format }

  init?(argument: String) {
    guard let format = ReportOptions.Format(rawValue: argument) else { return nil }
    self.format = format
  }

  static var allValueStrings: [String] { ReportOptions.Format.allCases.map(\.rawValue) }

  var defaultValueDescription: String { format.rawValue }
}
