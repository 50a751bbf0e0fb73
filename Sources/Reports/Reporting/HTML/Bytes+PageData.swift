import ATSEvaluation
import ByteParsing
import CertificateParsing
import SessionModel
import SessionRecords
import TLSParsing
import Values

// What the page lists, counts and searches, as objects whose members the script reads by name.
extension ContiguousArray where Element == UInt8 {
  /// Appends a session's row.
  mutating func appendSessionSummary(_ session: ObservedSession, _ judgement: Judgement?) {
    let content = judgement?.content
    let failing = content.map { HTMLReport.rules(of: $0) { $0.outcome == .fail && $0.required } } ?? []
    let severity = Severity(failing)
    let answer = session.tls?.answer?.content
    append(0x7B)
    appendJSONKey("verdict")
    appendJSONString(content?.verdict.rawValue)
    appendJSONKey("relaxed")
    appendJSON(content?.verdict == .pass && judgement?.isRelaxed == true)
    appendJSONKey("host")
    appendJSONText(session.serverName ?? session.hostAddress.description)
    appendJSONKey("port")
    appendJSON(UInt64(session.hostPort))
    appendJSONKey("process")
    appendJSONText(session.processLabel)
    appendJSONKey("protocol")
    appendJSONString(session.protocolWords)
    appendJSONKey("version")
    appendJSONString(session.tls == nil ? "cleartext" : answer.map { Wording.version($0.version) })
    appendJSONKey("keyExchange")
    appendJSONString(session.keyExchangeWords)
    appendJSONKey("score")
    appendJSON(content?.score)
    appendJSONKey("grade")
    appendJSONString(content?.grade)
    appendJSONKey("severity")
    appendJSON((2 - severity.rank) * 1000 + severity.weight)
    appendJSONKey("start")
    appendJSON(session.start)
    appendJSONKey("file")
    appendJSONText(session.file)
    appendJSONKey("frame")
    appendJSON(session.firstFrame)
    appendJSONKey("failing")
    appendJSONTexts(failing)
    appendJSONKey("undecided")
    appendJSONTexts(content.map { HTMLReport.rules(of: $0) { $0.outcome == .unknown && $0.required } } ?? [])
    appendJSONKey("relaxedRules")
    appendJSONTexts(content.map { HTMLReport.rules(of: $0) { $0.outcome == .relaxed } } ?? [])
    appendJSONKey("advice")
    appendJSONTexts(content.map { HTMLReport.rules(of: $0) { $0.outcome == .fail && !$0.required } } ?? [])
    appendJSONKey("address")
    appendJSONText(session.server.address.description)
    appendJSONKey("subject")
    let leaf = session.tls?.chain?.certificates.first?.certificate
    appendJSONText(leaf?.subject)
    appendJSONKey("notAfter")
    appendJSON(leaf?.notAfter)
    appendJSONKey("remarks")
    appendJSONStrings(session.remarks)
    append(0x7D)
  }

  /// Appends a host's row.
  mutating func appendHostSummary(_ host: HostReport) {
    appendRaw("{\"label\":")
    appendJSONText(host.label)
    appendJSONKey("record")
    appendJSON(host)
    appendJSONKey("grade")
    appendJSONString(host.leastScore?.grade)
    appendJSONKey("protocols")
    var protocols: [String] = []
    for group in host.groups {
      let name = HostBlock.protocolName(of: group)
      if !protocols.contains(name) { protocols.append(name) }
    }
    appendJSONStrings(protocols)
    appendJSONKey("remarks")
    appendJSONStrings(host.remarkPhrases)
    append(0x7D)
  }

  /// Appends things to do.
  mutating func appendJSON(_ items: [FixList.Item]) {
    append(0x5B)
    for item in items {
      appendJSONComma()
      appendRaw("{\"text\":")
      appendJSONString(item.text)
      appendJSONKey("rules")
      appendJSONTexts(item.rules)
      appendJSONKey("hosts")
      appendJSONNumbers(item.hosts.lazy.map(UInt64.init))
      append(0x7D)
    }
    append(0x5D)
  }

  /// Appends texts that have been made safe to show.
  mutating func appendJSONStrings(_ texts: [String]) {
    append(0x5B)
    for text in texts {
      appendJSONComma()
      appendJSONString(text)
    }
    append(0x5D)
  }
}

extension HTMLReport {
  /// The rules of a judgement with a certain outcome.
  static func rules(of content: Judgement.Content, _ isMeant: (Finding) -> Bool) -> [String] {
    content.findings.lazy.filter(isMeant).map(\.id)
  }
}

extension ObservedSession {
  /// `TLS 1.2 ECDHE_RSA_WITH_AES_128_GCM_SHA256 x25519`, or `cleartext HTTP`.
  fileprivate var protocolWords: String {
    guard let tls else { return "cleartext HTTP" }
    guard let answer = tls.answer?.content else { return "no ServerHello observed" }
    var words = [Wording.version(answer.version)]
    if let suite = answer.cipherSuite { words.append(Wording.suite(suite)) }
    if let group = tls.group { words.append(Wording.group(group)) }
    return words.joined(separator: " ")
  }

  /// `x25519`, or how else a key is agreed on, such as `RSA`; nil where that is not known.
  fileprivate var keyExchangeWords: String? {
    guard let tls, let answer = tls.answer?.content else { return nil }
    if let group = tls.group { return Wording.group(group) }
    let isWhole = evidence.serverHello == .complete
    return KeyExchangeName.name(answer: answer, isWhole: isWhole, group: nil)?.uppercased()
  }

  /// How the handshake failed, whose certificates are judged, and the client's certificate; made safe to show.
  fileprivate var remarks: [String] {
    var remarks: [String] = []
    if let ending, ending.isFailure { remarks.append(Wording.ending(ending)) }
    if hasJudgedAssumption {
      if let origin = assumedChain?.origin {
        remarks.append(
          "inherits the certificate of the session at \(Wording.place(of: origin, from: file))")
      } else if assumedChain?.source == .supplied {
        remarks.append("the certificate is from --chain")
      }
    }
    if let subject = tls?.clientChain?.certificates.first?.certificate.subject {
      remarks.append("client certificate \(DisplayText.escaped(subject))")
    }
    return remarks
  }
}
