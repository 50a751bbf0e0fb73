public import ATSEvaluation
public import ByteParsing
public import SessionModel
public import SessionRecords
import TLSParsing
import Values

/// A line a session in the field names of the Elastic Common Schema (ECS 8), for Elasticsearch and what reads it.
///
/// What ECS has no field for is in the object `atscope`. Members without a value are left out.
public struct ECSReport: SessionReport {
  /// The version of ECS whose fields are written.
  static let version = "8.11.0"

  /// Lines leave as sessions end.
  public let needsHosts = false

  private var toolVersion = ""
  private var policyVersion = ""

  /// Creates the writer of one report.
  public init() {}

  /// Remembers the versions of the run.
  public mutating func begin(_ run: RunRecord, to output: inout Bytes) {
    toolVersion = run.toolVersion
    policyVersion = run.policyVersion
  }

  /// Appends the line of a session.
  public mutating func append(
    _ session: ObservedSession, _ judgement: Judgement?, to output: inout Bytes
  ) {
    output.append(0x7B)
    if let start = session.start { output.add("@timestamp", start) }
    output.add("message", ECSReport.message(session, judgement))
    output.appendObject("ecs") { $0.add("version", ECSReport.version) }
    output.appendObject("observer") { observer in
      observer.add("product", "atscope")
      observer.add("version", toolVersion)
    }
    output.appendEvent(session, judgement)
    output.appendEnds(session)
    output.appendNetwork(session)
    if let process = session.process {
      output.appendObject("process") { object in
        object.add("name", process.name)
        object.add("pid", process.pid.map(Int.init))
      }
    }
    if let tls = session.tls { output.appendTLS(tls) }
    if let http = session.http { output.appendHTTP(http, session) }
    if let content = judgement?.content { output.appendRule(content, policyVersion) }
    output.appendRelated(session)
    output.appendOwn(session, judgement)
    output.appendRaw("}\n")
  }

  /// Appends nothing: the lines are all there is.
  public mutating func end(_ hosts: HostCollector?, _ summary: SummaryRecord, to output: inout Bytes) {}

  /// `FAIL api.example.com: ATS-TLS-VERSION, ATS-CIPHER`.
  private static func message(_ session: ObservedSession, _ judgement: Judgement?) -> String {
    let host = session.serverName ?? session.hostAddress.description
    guard let judgement else { return host }
    let content = judgement.content
    let word = HostBlock.word(content.verdict, isRelaxed: judgement.isRelaxed)
    let rules =
      content.verdict == .unknown
      ? content.findings.filter { $0.required && $0.outcome == .unknown } : content.brokenRules
    return rules.isEmpty ? "\(word) \(host)" : "\(word) \(host): \(Wording.rules(rules.map(\.id)))"
  }
}

// MARK: - JSON

extension ContiguousArray where Element == UInt8 {
  /// Appends an object; nothing if it would be empty.
  mutating func appendObject(_ key: String, _ body: (inout Bytes) -> Void) {
    let start = count
    appendJSONKey(key)
    append(0x7B)
    let end = count
    body(&self)
    if count == end { removeLast(count - start) } else { append(0x7D) }
  }

  /// Appends a member with text, which may be from an input; nothing for nil or an empty one.
  mutating func add(_ key: String, _ text: String?) {
    guard let text, !text.isEmpty else { return }
    appendJSONKey(key)
    appendJSONText(text)
  }

  mutating func add(_ key: String, _ number: Int?) {
    guard let number else { return }
    appendJSONKey(key)
    appendJSON(number)
  }

  mutating func add(_ key: String, _ value: Bool?) {
    guard let value else { return }
    appendJSONKey(key)
    appendJSON(value)
  }

  mutating func add(_ key: String, _ time: Timestamp?) {
    guard let time else { return }
    appendJSONKey(key)
    appendJSON(time)
  }

  /// Appends a member with several texts; nothing for none.
  mutating func add(_ key: String, _ texts: [String]) {
    guard !texts.isEmpty else { return }
    appendJSONKey(key)
    appendJSONTexts(texts)
  }
}
