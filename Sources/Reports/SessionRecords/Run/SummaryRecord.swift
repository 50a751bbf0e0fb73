package import PolicyResolution
public import Values

/// The results of a run and the problems of its inputs: an `atscope.summary/1` record.
public struct SummaryRecord: Hashable, Sendable {
  /// The connections to one server without a byte of a handshake.
  public struct SilentServer: Hashable, Sendable {
    /// The endpoint of the server.
    public package(set) var server: Endpoint
    /// The number of connections.
    public package(set) var connections: UInt64

    package init(server: Endpoint, connections: UInt64) {
      self.server = server
      self.connections = connections
    }
  }

  /// The number of sessions in the report.
  public package(set) var sessions = 0
  /// The number of hosts in the report; nil if hosts are not distinguished.
  public package(set) var hosts: Int?
  /// The sessions in the report by verdict; nil for commands that do not judge.
  public package(set) var verdicts: VerdictCounts?
  /// The sessions in the report by process; nil for commands that do not judge, and if no process is known.
  package var processes: [ProcessSummary]?
  /// The sessions in the report that were not judged as requests by the app because of the name of their process, by context.
  package var sessionsByProcessContext: [LoadContext: Int] = [:]
  /// The number of sessions judged and excluded by `--host` or `--process`.
  public package(set) var notShown = 0
  /// What gives exit status 1 because too few sessions were judged; nil if enough were.
  package var shortfall: String?
  /// The inputs in their order.
  public package(set) var inputs: [InputSummary] = []
  /// The connections without a handshake, by server.
  public package(set) var withoutHandshake: [SilentServer] = []
  /// The limits of the whole run that were reached.
  public package(set) var limits: [NamedCount] = []

  /// The name of the limit for connections without a handshake whose servers are not listed.
  package static let serversWithoutHandshake = "serversWithoutHandshake"

  package init() {}
}

extension SummaryRecord {
  /// Returns a sentence that no session in these inputs was judged, with the reason; escaped for display.
  ///
  /// `choices` are the options that select sessions, and `hasProcesses` is whether the process of any session is known.
  package func nothingJudged(of names: [String], choices: [String], hasProcesses: Bool) -> String {
    let name = names.count == 1 ? names.first.map { DisplayText.escaped($0) + ": " } ?? "" : ""
    return "\(name)no session was judged: \(reasonForNothing(choices, hasProcesses: hasProcesses))"
  }

  /// The files that contain packets or sessions, or should. An archive has separate entries for its files.
  private var files: [InputSummary] {
    inputs.filter { [.capture, .sessions, .other].contains($0.kind) || $0.kind == .archive && $0.error != nil }
  }

  /// Whether there are inputs, and nothing of any of them could be read.
  package var isUnread: Bool {
    !files.isEmpty
      && files.allSatisfy { input in
        input.packets == 0 && input.sessions == 0 && input.error.map { !$0.isTruncated && !$0.isOfSavedRun } == true
      }
  }

  /// Returns the reason that no session was judged, as a clause.
  private func reasonForNothing(_ choices: [String], hasProcesses: Bool) -> String {
    let found = inputs.map(\.sessions).clampedSum
    if found > 0 {
      let options = choices.isEmpty ? "the options" : choices.joined(separator: " and ")
      let exclude = options + choices.count.form(of: " exclude{s|}")
      let excluded = found == 1 ? "\(exclude) the only session" : "\(exclude) all \(found) sessions"
      guard choices.contains("--process") else { return excluded }
      let next =
        hasProcesses
        ? "'atscope --group-by process' lists the processes of the input"
        : "the input contains no process names; choose with --host, or record them on macOS with tcpdump -P"
      return "\(excluded): \(next)"
    }
    // A fault with an offset may follow a part that was read.
    if files.isEmpty { return "there are no inputs" }
    if files.allSatisfy({ input in
      guard let error = input.error else { return false }
      return error.offset == nil || input.packets == 0 && (input.kind != .sessions || input.health.isEmpty)
    }) {
      return files.count == 1 ? "the input could not be read" : "no input could be read"
    }
    if inputs.contains(where: { $0.health.contains { $0.name == "notChosen" } }) {
      return "the packets selected by --filter, --from or --to contain no TLS handshake and no cleartext HTTP request\(omissions)"
    }
    let silent = withoutHandshake.map(\.connections).clampedSum
    if silent > 0 { return reason(ofSilent: silent) + omissions }
    let content = omissions.isEmpty ? "the input contains" : "what could be read contains"
    return "\(content) no TLS handshake and no cleartext HTTP request\(omissions)"
  }

  /// The maximum number of omissions in a reason; reports list all.
  private static let maximumOmissions = 3

  /// Returns a clause on what was not read, which may contain sessions: `; not read: 1 QUIC datagram of an unsupported version (Q046)`;
  /// empty if nothing was omitted.
  private var omissions: String {
    let counts = NamedCount.sums(of: inputs.flatMap(\.health).filter { $0.meaning == .notRead })
    if counts.isEmpty { return "" }
    let rest = counts.count > SummaryRecord.maximumOmissions ? ", …" : ""
    return "; not read: " + counts.prefix(SummaryRecord.maximumOmissions).map { "\($0.count) \($0.text)" }.joined(separator: ", ") + rest
  }

  /// Returns the reason that `silent` connections contain no handshake, as a clause.
  package func reason(ofSilent silent: UInt64) -> String {
    let counts = NamedCount.sums(of: inputs.flatMap(\.health))
    var rest = silent
    func take(_ name: String, except others: UInt64 = 0) -> UInt64 {
      let count = counts.first { $0.name == name }?.count ?? 0
      let taken = min(rest, count - min(count, others))
      rest -= taken
      return taken
    }
    // These connections are among those with other data.
    let refused = take("refusedConnects")
    let clauses = [
      (refused, "connection{s} ended after {a proxy|proxies} refused {its|their} HTTP CONNECT"),
      (
        take("connectionsReset"),
        "connection{s} {was|were} reset before any data, as by {a server that refuses it|servers that refuse them}"
      ),
      (take("connectionsWithoutData"), "connection{s} carried no data"),
      (
        take("connectionsWithOtherData", except: refused),
        "connection{s} carried neither {a TLS handshake|TLS handshakes} nor {an HTTP request|HTTP requests} (CONNECT does not count)"
      ),
      (rest, "connection{s} show{s|} no handshake"),
    ]
    let text = clauses.filter { $0.0 > 0 }.map { $0.counted($1) }.joined(separator: "; ")
    if rest == 0 { return text }
    let isTruncated = counts.contains { $0.name == "truncatedBySnaplen" }
    return text + "; "
      + (isTruncated
        ? "record whole packets, such as with tcpdump -s 0, from before the connections begin"
        : "start recording before the connections begin")
  }

  /// The sentence for a report without sessions.
  package var absence: String { SummaryRecord.absence(notShown: notShown) }

  /// Returns the sentence for a report without sessions; `notShown` is the number of judged sessions that were excluded.
  package static func absence(notShown: Int) -> String {
    notShown > 0 ? "no sessions were selected" : "no sessions were found"
  }
}

extension SummaryRecord: JSONRecord {
  /// Writes the members of an `atscope.summary/1` object.
  package func writeMembers(to json: inout JSONObject) {
    json.string("schema", "atscope.summary/1")
    json.number("sessions", sessions)
    if let hosts { json.number("hosts", hosts) }
    if let verdicts { json.object("verdicts", verdicts) }
    if let processes { json.objects("processes", processes) }
    json.number("notShown", notShown)
    json.objects("inputs", inputs)
    json.objects("withoutHandshake", withoutHandshake)
    json.counts("limits", limits)
  }
}

extension SummaryRecord.SilentServer: JSONRecord {
  package func writeMembers(to json: inout JSONObject) {
    json.object("server", server)
    json.number("connections", connections)
  }
}
