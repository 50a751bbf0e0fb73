import ATSEvaluation
import ATSRules
import CertificateParsing
import Reporting
import SessionModel
import SessionRecords
import TLSParsing
import Values

// The data that the page lists, counts and searches, as objects whose members the script reads by name.
extension JSONObject {
  mutating func row(of session: ObservedSession, _ judgement: Shared<Judgement>?) {
    let failing = judgement?.failures.map(\.id) ?? []
    let severity = Severity(failing)
    let serverHello = session.sharedTLS?.sharedServerHello
    string("verdict", judgement?.verdict.rawValue)
    boolean("relaxed", judgement?.verdict == .pass && judgement?.isRelaxed == true)
    text("host", session.host)
    number("port", session.hostPort)
    text("process", session.processLabel)
    string("protocol", session.protocolWords)
    string("version", session.sharedTLS == nil ? "cleartext" : serverHello.map { Wording.version($0.version) })
    string("keyExchange", session.keyExchangeWords)
    number("score", judgement?.score)
    string("grade", judgement?.grade)
    boolean("limited", judgement?.isLimitedByOffer == true)
    boolean("errorDependsOnOffer", judgement?.predictedError?.dependsOnOffer == true)
    number("severity", (2 - severity.rank) * 1000 + severity.weight)
    time("start", session.start)
    text("file", session.file)
    number("frame", session.firstFrame)
    texts("failing", failing)
    texts("undecided", judgement?.undecided.map(\.id) ?? [])
    texts("relaxedRules", judgement?.relaxed.map(\.id) ?? [])
    texts("advice", judgement?.advice.map(\.id) ?? [])
    texts("refused", judgement?.rejections.map(\.id) ?? [])
    text("address", session.server.address.description)
    let leaf = session.sharedTLS?.chain?.certificates.first?.certificate
    text("subject", leaf?.subject)
    time("notAfter", leaf?.notAfter)
    string("recording", session.newRecording(isFailing: judgement?.verdict == .fail))
    strings("remarks", session.remarks)
  }

  mutating func row(of host: HostReport) {
    text("label", host.label)
    object("record", host)
    string("grade", host.lowestScore?.grade)
    strings("protocols", host.groups.map(Wording.protocolName).distinct())
    strings("remarks", host.remarkPhrases)
  }
}

extension FixList.Item: JSONRecord {
  package func writeMembers(to json: inout JSONObject) {
    json.string("verdict", verdict.rawValue)
    json.strings("steps", steps)
    json.texts("rules", rules)
    json.numbers("hosts", hosts)
  }
}

extension ObservedSession {
  /// The negotiated parameters: `TLS 1.2 ECDHE_RSA_WITH_AES_128_GCM_SHA256 x25519`, or `cleartext HTTP`.
  fileprivate var protocolWords: String {
    guard let sharedTLS else { return "cleartext HTTP" }
    guard let serverHello = sharedTLS.sharedServerHello else { return "no ServerHello observed" }
    var words = [Wording.version(serverHello.version)]
    if let suite = serverHello.cipherSuite { words.append(Wording.suite(suite)) }
    if let group = sharedTLS.group { words.append(group.text) }
    return words.joined(separator: " ")
  }

  /// The group, such as `x25519`, or another key exchange, such as `RSA`; nil if unknown.
  fileprivate var keyExchangeWords: String? {
    guard let sharedTLS, let serverHello = sharedTLS.sharedServerHello else { return nil }
    if let group = sharedTLS.group { return group.text }
    let isWhole = evidence.serverHello == .complete
    return KeyExchangeName.name(serverHello.value, isWhole: isWhole, group: nil)?.uppercased()
  }

  /// Remarks on a failed handshake, on assumed certificates and on the client's certificate; escaped for display.
  fileprivate var remarks: [String] {
    var remarks: [String] = []
    if let ending, ending.isFailure { remarks.append(Wording.ending(ending)) }
    if let phrase = Wording.assumption(Assumption(self), from: file) { remarks.append(phrase) }
    if let subject = clientSubject {
      remarks.append("client certificate \(DisplayText.escaped(subject))")
    }
    return remarks
  }
}
