import ATSEvaluation
import ATScope
import PolicyResolution

/// The arguments of an audit where they are plain: names of inputs, and options that need no looking up.
///
/// ArgumentParser makes tables of all options of all commands before it looks at an argument, which takes as long as
/// auditing 20 MB. What is read here means the same to it; whatever else there is, mistakes among it, is left to it.
struct PlainArguments {
  private var inputs: [String] = []
  private var format = FormatArgument.standard
  private var output: String?
  private var color = ColorArgument.auto
  private var grouping = ReportOptions.Grouping.host
  private var release: SystemRelease?
  private var progress = ProgressArgument.auto
  private var system = TrustAnchors.System.apple
  private var isStrict = false
  private var onlyFailures = false
  private var detail = ReportOptions.Detail.brief
  private var allowIncomplete = false
  private var digest = false

  /// Reads the arguments behind the program's name; nil where they are not plain.
  init?(_ arguments: [String]) {
    var rest = arguments[...]
    guard let first = rest.first else { return nil }
    if first == "audit" {
      rest = rest.dropFirst()
    } else if PlainArguments.mayBeCommand(first) {
      return nil
    }
    var seen: [String] = []
    while let argument = rest.popFirst() {
      guard argument.utf8.first == UInt8(ascii: "-"), argument != "-" else {
        if argument.isEmpty { return nil }
        inputs.append(argument)
        continue
      }
      // Options that are repeated, joined with their values, shortened or unknown are not plain.
      if seen.contains(argument) { return nil }
      seen.append(argument)
      if !takeFlag(argument) {
        guard let value = rest.popFirst(), let first = value.utf8.first, first != UInt8(ascii: "-"),
          take(argument, value)
        else { return nil }
      }
    }
    let readings = inputs.count { $0 == "-" }
    if inputs.isEmpty || readings > 1 || ProjectArguments.hasDefaultFile { return nil }
    if let output, inputs.contains(where: { OutputGuard.replaces(output, $0) }) { return nil }
  }

  /// Whether this may name a command: their names are of letters alone.
  static func mayBeCommand(_ argument: String) -> Bool {
    argument.utf8.allSatisfy { UInt8(ascii: "a") <= $0 && $0 <= UInt8(ascii: "z") }
  }

  private mutating func takeFlag(_ option: String) -> Bool {
    switch option {
    case "--only-failures": onlyFailures = true
    case "--details" where detail == .brief: detail = .full
    case "--quiet" where detail == .brief: detail = .quiet
    case "--strict": isStrict = true
    case "--allow-incomplete": allowIncomplete = true
    case "--digest": digest = true
    case "--no-system-anchors": system = .none
    default: return false
    }
    return true
  }

  /// Takes an option with its value; false where either is not known.
  private mutating func take(_ option: String, _ value: String) -> Bool {
    switch option {
    case "--format": return PlainArguments.put(FormatArgument(argument: value), into: &format)
    case "--color": return PlainArguments.put(ColorArgument(rawValue: value), into: &color)
    case "--group-by": return PlainArguments.put(ReportOptions.Grouping(rawValue: value), into: &grouping)
    case "--os":
      release = try? SystemRelease(named: value)
      return release != nil
    case "--progress": return PlainArguments.put(ProgressArgument(rawValue: value), into: &progress)
    case "-o", "--output":
      if output != nil { return false }
      output = value
    default: return false
    }
    return true
  }

  private static func put<Value>(_ value: Value?, into place: inout Value) -> Bool {
    guard let value else { return false }
    place = value
    return true
  }

  /// The request that the arguments make.
  func request() throws -> AuditRequest {
    var options = AuditOptions(inputs: inputs)
    options.reading.allowIncomplete = allowIncomplete
    options.reading.digest = digest
    if let bar = ProgressBar(progress) { options.reading.progress = { bar.show($0) } }
    options.reading.isInterrupted = StandardStreams.watchInterruptions()
    if let release { options.assumptions.release = release }
    options.anchors = try Execution.attempt { () throws(AuditError) in try TrustAnchors(system: system) }
    var report = ReportOptions(.audit, format.format, to: output, color: color)
    report.onlyFailures = onlyFailures
    report.grouping = grouping
    report.detail = detail
    return AuditRequest(options: options, report: report, output: output, isStrict: isStrict)
  }
}
