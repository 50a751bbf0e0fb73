import ATSEvaluation
import ByteParsing
import CertificateParsing
import SessionObservation
import SessionRecords
import TLSParsing
import Values

extension ContiguousArray where Element == UInt8 {
  /// Appends what the page lists and searches of a session, as an array whose places the page's script knows.
  mutating func appendSessionSummary(_ session: ObservedSession, _ judgement: Judgement?) {
    let content = judgement?.content
    append(0x5B)
    appendJSONString(content?.verdict.rawValue)
    append(0x2C)
    appendJSON(content?.verdict == .pass && judgement?.isRelaxed == true)
    append(0x2C)
    appendJSONText(session.serverName ?? session.hostAddress.description)
    append(0x2C)
    appendJSON(UInt64(session.hostPort))
    append(0x2C)
    appendJSONText(session.processLabel)
    append(0x2C)
    appendJSONString(session.protocolWords)
    append(0x2C)
    appendJSON(content?.score)
    append(0x2C)
    appendJSONString(content?.grade)
    append(0x2C)
    appendJSON(session.start)
    append(0x2C)
    appendJSONText(session.file)
    append(0x2C)
    appendJSON(session.firstFrame)
    append(0x2C)
    appendRules(content) { $0.outcome == .fail && $0.required }
    append(0x2C)
    appendRules(content) { $0.outcome == .relaxed || ($0.outcome == .unknown && $0.required) }
    append(0x2C)
    appendRules(content) { $0.outcome == .fail && !$0.required }
    append(0x2C)
    appendJSONText(session.server.address.description)
    append(0x2C)
    appendJSONText(session.tls?.chain?.certificates.first?.certificate.subject)
    append(0x5D)
  }

  private mutating func appendRules(_ content: Judgement.Content?, _ isMeant: (Finding) -> Bool) {
    append(0x5B)
    for finding in content?.findings ?? [] where isMeant(finding) {
      appendJSONComma()
      appendJSONString(finding.id)
    }
    append(0x5D)
  }
}

extension ObservedSession {
  /// `TLS 1.2 ECDHE_RSA_WITH_AES_128_GCM_SHA256 x25519`, or `cleartext HTTP`.
  var protocolWords: String {
    guard let tls else { return "cleartext HTTP" }
    guard let answer = tls.answer?.content else { return "no ServerHello seen" + failureWords }
    var words = [Wording.version(answer.version)]
    if let suite = answer.cipherSuite { words.append(Wording.suite(suite)) }
    if let group = tls.group { words.append(Wording.group(group)) }
    return words.joined(separator: " ") + failureWords
  }

  /// `, refused by the server (handshake_failure)`; empty unless the handshake is known to have failed.
  private var failureWords: String {
    guard let ending, ending.isFailure else { return "" }
    return ", " + Wording.ending(ending)
  }
}
