package import ATSEvaluation
import ATSRules
package import ByteParsing
import Reporting
package import SessionModel
package import SessionRecords
import Values

/// A line for each session with the field names of the Elastic Common Schema (ECS 8), for Elasticsearch and compatible tools.
///
/// The object `atscope` contains facts for which ECS has no field. Members without a value are omitted.
package struct ECSReport: SessionReport {
  static let version = "8.11.0"

  private var toolVersion = ""
  private var policyVersion = ""

  package init() {}

  package mutating func begin(_ run: RunRecord, to output: inout Bytes) {
    toolVersion = run.toolVersion
    policyVersion = run.policyVersion
  }

  package mutating func append(_ session: ObservedSession, _ judgement: Shared<Judgement>?, to output: inout Bytes) {
    output.appendObject { json in
      json.add("@timestamp", session.start)
      json.add("message", ECSReport.message(session, judgement))
      json.objectUnlessEmpty("ecs") { $0.add("version", ECSReport.version) }
      json.objectUnlessEmpty("observer") { observer in
        observer.add("product", "atscope")
        observer.add("version", toolVersion)
      }
      json.addEvent(session, judgement)
      json.addEnds(session)
      json.addNetwork(session)
      json.objectUnlessEmpty("process") { process in
        process.add("name", session.process?.name)
        process.add("pid", session.process?.pid.map(Int.init))
      }
      if let tls = session.sharedTLS { json.addTLS(tls) }
      if let http = session.http { json.addHTTP(http, session) }
      if let judgement { json.addRule(judgement, policyVersion) }
      json.addRelated(session)
      json.addOwn(session, judgement)
    }
    output.append(0x0A)
  }

  /// Returns a message such as `FAIL api.example.com: ATS-TLS-VERSION, ATS-CIPHER`.
  private static func message(_ session: ObservedSession, _ judgement: Shared<Judgement>?) -> String {
    guard let judgement else { return session.host }
    let word = Wording.word(judgement.verdict, isRelaxed: judgement.isRelaxed)
    let rules = judgement.verdict == .unknown ? judgement.undecided : judgement.failures
    return rules.isEmpty ? "\(word) \(session.host)" : "\(word) \(session.host): \(Wording.rules(rules.map(\.id)))"
  }
}

// MARK: - JSON

// The `add` functions omit members without a value.
extension JSONObject {
  mutating func add(_ key: String, _ text: String?) {
    if let text, !text.isEmpty { self.text(key, text) }
  }

  mutating func add(_ key: String, _ number: Int?) {
    if let number { self.number(key, number) }
  }

  mutating func add(_ key: String, _ value: Bool?) {
    if let value { boolean(key, value) }
  }

  mutating func add(_ key: String, _ time: Timestamp?) {
    if let time { self.time(key, time) }
  }

  mutating func add(_ key: String, _ texts: [String]) {
    if !texts.isEmpty { self.texts(key, texts) }
  }
}
