public import ByteParsing
import SessionModel
import SessionRecords

/// The hosts whose chains captures hide, and how to collect these chains.
public struct MissingChainsReport {
  private let hosts: [MissingChain]
  private let furtherSessions: Int
  private let inputs: [String]

  /// Takes the hosts in the order in which they are listed, and the inputs as they were named.
  public init(_ hosts: [MissingChain], furtherSessions: Int, inputs: [String]) {
    self.hosts = hosts
    self.furtherSessions = furtherSessions
    self.inputs = inputs
  }

  /// The list for people.
  public func text(_ options: TextOptions) -> Bytes {
    var writer = TextWriter(options)
    if hosts.isEmpty {
      writer.writeFields([("No session hides a certificate chain.", .plain)], indent: 0)
      return writer.output
    }
    let sessions = hosts.reduce(0) { $0 + $1.sessions }
    writer.writeFields(
      [
        (Wording.count(hosts.count, "host"), .bold),
        ("\(Wording.count(sessions, "session")) without a certificate chain", .plain),
      ], indent: 0)
    let labels = hosts.map { DisplayText.escaped("\($0.host):\($0.port)") }
    let width = labels.map(TextWidth.of).filter { $0 <= 40 }.max() ?? 0
    for (host, label) in zip(hosts, labels) {
      writer.writeRow(
        TextRow(label: label, text: MissingChainsReport.remarks(on: host).joined(separator: "; ")),
        indent: 2, labelWidth: width)
    }
    if furtherSessions > 0 {
      writer.writeFields(
        [("not listed: \(Wording.count(furtherSessions, "session")) with further hosts", .yellow)], indent: 0)
    }
    writer.endLine()
    if hosts.contains(where: \.isShownElsewhere) {
      writer.writeFields([("Use the chains that other sessions in these inputs show:", .plain)], indent: 0)
      writer.writeCommand(ShellText.capturedCommand(inputs), indent: 2)
    }
    writer.writeFields([("Collect the chains on a machine with a network:", .plain)], indent: 0)
    for command in ShellText.collectingCommands(inputs) { writer.writeCommand(command, indent: 2) }
    return writer.output
  }

  private static func remarks(on host: MissingChain) -> [String] {
    var parts = [Wording.count(host.sessions, "session")]
    let reasons = host.reasons.map { item in
      words(for: item.reason) + (host.reasons.count > 1 ? " (\(Wording.grouped(item.sessions)))" : "")
    }
    parts.append(reasons.joined(separator: ", "))
    if host.transports == [.quic] { parts.append("QUIC") }
    if host.transports == [.udp] { parts.append("DTLS") }
    if let name = host.startTLS { parts.append("STARTTLS (\(DisplayText.escaped(name)))") }
    if host.isShownElsewhere { parts.append("another session shows its chain") }
    if let reason = CollectionScript.reasonToLeaveOut(host) { parts.append("not in the script: \(reason)") }
    return parts
  }

  private static func words(for reason: Evidence.State) -> String {
    switch reason {
    case .encrypted: "encrypted"
    case .resumed: "resumed session"
    case .partial: "partly captured"
    case .missing, .complete: "not captured"
    case .notSent: "not sent"
    }
  }

  /// One object of the form `atscope.missing/1`.
  public func json() -> Bytes {
    var output = Bytes()
    output.appendRaw("{\"schema\":\"atscope.missing/1\",\"hosts\":[")
    for host in hosts {
      output.appendJSONComma()
      append(host, to: &output)
    }
    output.appendRaw("]")
    output.appendJSONKey("furtherSessions")
    output.appendJSON(furtherSessions)
    output.appendRaw("}\n")
    return output
  }

  private func append(_ host: MissingChain, to output: inout Bytes) {
    output.appendRaw("{\"host\":")
    output.appendJSONText(host.host)
    output.appendJSONKey("port")
    output.appendJSON(Int(host.port))
    output.appendJSONKey("sessions")
    output.appendJSON(host.sessions)
    output.appendJSONKey("reasons")
    output.append(0x5B)
    for item in host.reasons {
      output.appendJSONComma()
      output.appendRaw("{\"reason\":")
      output.appendJSONString(item.reason.rawValue)
      output.appendJSONKey("sessions")
      output.appendJSON(item.sessions)
      output.append(0x7D)
    }
    output.append(0x5D)
    output.appendJSONKey("transports")
    output.appendJSONTexts(host.transports.map(\.rawValue).sorted())
    output.appendJSONKey("startTLS")
    output.appendJSONText(host.startTLS)
    output.appendJSONKey("shownElsewhere")
    output.appendJSON(host.isShownElsewhere)
    let leftOut = CollectionScript.reasonToLeaveOut(host)
    output.appendJSONKey("file")
    output.appendJSONString(
      leftOut == nil ? CollectedChainName(host: host.host, port: host.port)?.fileName : nil)
    output.appendJSONKey("leftOut")
    output.appendJSONString(leftOut)
    output.appendJSONKey("firstSeen")
    output.appendRaw("{\"file\":")
    output.appendJSONText(host.file)
    output.appendJSONKey("frame")
    output.appendJSON(host.firstFrame)
    output.appendRaw("}}")
  }

  /// A POSIX shell script that collects the chains with OpenSSL.
  public func script() -> Bytes { CollectionScript(hosts, furtherSessions: furtherSessions).rendered() }
}
