package import ByteParsing
package import Reporting
import SessionModel
package import SessionRecords
import Values

/// The hosts whose chains are hidden in captures, and the commands that collect them.
package struct MissingChainsReport: Sendable {
  private let hosts: [MissingChain]
  private let furtherSessions: Int
  private let inputs: [String]
  /// Whether only the sessions of some hosts or processes were considered.
  private let selectsSessions: Bool

  /// Creates the report of hosts in display order; `inputs` are the names of the inputs as given.
  package init(_ hosts: [MissingChain], furtherSessions: Int, inputs: [String], selectsSessions: Bool = false) {
    self.hosts = hosts
    self.selectsSessions = selectsSessions
    self.furtherSessions = furtherSessions
    self.inputs = inputs
  }

  /// Returns the hosts as text.
  package func text(_ options: TextOptions) -> Bytes {
    var writer = TextWriter(options)
    if hosts.isEmpty {
      let absence =
        selectsSessions ? "No selected session hides a certificate chain." : "No session that hides a certificate chain was found."
      writer.writeFields([(absence, .unstyled)], indent: 0)
      return writer.output
    }
    let sessions = hosts.reduce(0) { $0 + $1.sessions }
    writer.writeFields(
      [
        (Wording.count(hosts.count, "host{s}"), .bold),
        ("\(Wording.count(sessions, "session{s}")) without a certificate chain", .unstyled),
      ], indent: 0)
    let rows = hosts.map { host in
      TextRow(
        label: DisplayText.escaped(Endpoint.text(host.host, host.port)),
        text: MissingChainsReport.remarks(on: host).joined(separator: "; "))
    }
    writer.writeRows(rows, indent: 2, maximum: 40)
    if furtherSessions > 0 {
      writer.writeFields([("not listed: \(Wording.count(furtherSessions, "session{s}")) with further hosts", .yellow)], indent: 0)
    }
    // The chains that servers send now settle no session that is years old.
    let isCollectable = hosts.contains { !$0.isOld && CollectionScript.reasonToLeaveOut($0) == nil }
    let isShown = hosts.contains(where: \.isShownElsewhere)
    if isCollectable || isShown { writer.endLine() }
    if isShown {
      writer.writeFields([("Use the chains that other sessions in these inputs show:", .unstyled)], indent: 0)
      writer.writeCommand(ShellText.capturedCommand(inputs), indent: 2)
    }
    guard isCollectable else { return writer.output }
    writer.writeLine(
      "Collect the chains on a machine with a network. The second command needs the options of your audit, such as --anchors:", indent: 0)
    for command in ShellText.collectingCommands(inputs) { writer.writeCommand(command, indent: 2) }
    return writer.output
  }

  private static func remarks(on host: MissingChain) -> [String] {
    var parts = [Wording.count(host.sessions, "session{s}")]
    let reasons = host.reasons.map { item in
      words(for: item.reason) + (host.reasons.count > 1 ? " (\(Wording.grouped(item.sessions)))" : "")
    }
    parts.append(reasons.joined(separator: ", "))
    if host.transports == [.quic] { parts.append("QUIC") }
    if host.transports == [.udp] { parts.append("DTLS") }
    if let name = host.startTLS { parts.append("STARTTLS (\(DisplayText.escaped(name)))") }
    if host.isShownElsewhere { parts.append("another session shows its chain") }
    if host.isOld { parts.append("record again, since certificates fetched now are newer than the sessions") }
    if host.isRefused { parts.append("refused by the server: the chain alone does not settle it, record a device") }
    if host.isUnnamed { parts.append("the client sent no host name: the chain settles it only if the certificate lists the address") }
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

  /// Returns an object of the schema `atscope.missing/1`.
  package func json() -> Bytes {
    Bytes.jsonDocument { json in
      json.string("schema", "atscope.missing/1")
      json.objects("hosts", hosts)
      json.number("furtherSessions", furtherSessions)
    }
  }

  /// Returns a POSIX shell script that collects the chains with OpenSSL.
  package func script() -> Bytes { CollectionScript(hosts: hosts, furtherSessions: furtherSessions).rendered() }
}

extension MissingChain: JSONRecord {
  package func writeMembers(to json: inout JSONObject) {
    json.text("host", host)
    json.number("port", port)
    json.number("sessions", sessions)
    json.objects("reasons", reasons) { json, item in
      json.string("reason", item.reason.rawValue)
      json.number("sessions", item.sessions)
    }
    json.texts("transports", transports.map(\.rawValue).sorted())
    json.text("startTLS", startTLS)
    json.boolean("shownElsewhere", isShownElsewhere)
    json.boolean("old", isOld)
    let leftOut = CollectionScript.reasonToLeaveOut(self)
    json.string("file", leftOut == nil ? CollectedChainName(host: host, port: port)?.fileName : nil)
    json.string("leftOut", leftOut)
    json.packet("firstSeen", file: file, frame: firstFrame)
  }
}
