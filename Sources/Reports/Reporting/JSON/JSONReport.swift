public import ATSEvaluation
public import ByteParsing
public import SessionModel
public import SessionRecords
import Values

/// The one object that `--format json` writes: `{"run":…,"sessions":[…],"hosts":[…],"summary":…}`.
///
/// It is written as the sessions come, so that only hosts have to be held until the end.
public struct JSONReport: SessionReport {
  private var encoder: SessionEncoder
  private var hasSessions = false

  /// The hosts stand behind the sessions.
  public let needsHosts = true

  /// Creates the writer of one report; its records cannot be judged again if `isCompact`.
  public init(isCompact: Bool = false) { encoder = SessionEncoder(isCompact: isCompact) }

  /// Appends the beginning, with the run.
  public mutating func begin(_ run: RunRecord, to output: inout Bytes) {
    output.appendRaw("{\"run\":")
    output.appendJSON(run)
    output.appendRaw(",\n\"sessions\":[")
  }

  /// Appends a session, on a line of its own.
  public mutating func append(_ session: ObservedSession, _ judgement: Judgement?, to output: inout Bytes) {
    output.appendRaw(hasSessions ? ",\n" : "\n")
    hasSessions = true
    encoder.append(session, judgement, to: &output)
  }

  /// Appends the hosts, the summary and the end; `hosts` is nil for commands that do not judge.
  public mutating func end(_ hosts: HostCollector?, _ summary: SummaryRecord, to output: inout Bytes) {
    output.appendRaw("\n],\n\"hosts\":[")
    if let hosts {
      for host in hosts.report() {
        output.appendJSONComma()
        output.append(0x0A)
        output.appendJSON(host)
      }
    }
    output.appendRaw("\n],\n\"summary\":")
    output.appendJSON(summary)
    output.appendRaw("}\n")
  }
}

extension ContiguousArray where Element == UInt8 {
  /// Appends what was found with a host.
  public mutating func appendJSON(_ host: HostReport) {
    appendRaw("{\"host\":")
    if let name = host.name {
      appendJSONText(name)
    } else {
      append(0x22)
      appendAddress(host.address)
      append(0x22)
    }
    appendRaw(",\"port\":")
    appendJSON(UInt64(host.port))
    if !host.proxies.isEmpty {
      appendRaw(",\"proxies\":")
      appendJSONTexts(host.proxies)
    }
    appendRaw(",\"verdict\":")
    appendJSONString(host.verdict.rawValue)
    appendRaw(",\"best\":")
    appendJSONString(host.best.rawValue)
    appendRaw(",\"relaxed\":")
    appendJSON(host.isRelaxed)
    appendRaw(",\"sessions\":")
    appendJSON(host.sessions)
    appendRaw(",\"verdicts\":")
    appendJSON(host.verdicts)
    appendRaw(",\"score\":")
    appendJSON(host.leastScore?.score)
    appendRaw(",\"bestScore\":")
    appendJSON(host.leastScore == nil ? nil : host.groups.compactMap(\.judgement.content.score).max())
    appendRaw(",\"failingRules\":[")
    var ids: [String] = []
    for group in host.groups {
      for finding in group.judgement.content.findings
      where finding.outcome == .fail && finding.required && !ids.contains(finding.id) {
        ids.append(finding.id)
      }
    }
    for id in ids {
      appendJSONComma()
      appendJSONString(id)
    }
    appendRaw("]}")
  }
}
