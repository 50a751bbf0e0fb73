import ByteParsing
import CertificateParsing
import Reporting
import SessionModel
import SessionRecords
import TLSParsing
import Values

extension SessionDetail {
  /// Returns the hellos, the key exchange, the chains and the alerts of a handshake.
  static func handshake(_ tls: Shared<TLSFacts>, of session: ObservedSession) -> [Section] {
    let evidence = session.evidence
    var sections = [
      Section(title: "ClientHello", note: state(evidence.clientHello, .clientHello, of: session), rows: clientHello(tls)),
      Section(title: "ServerHello", note: state(evidence.serverHello, .serverHello, of: session), rows: serverHello(tls, of: session)),
    ]
    let source = tls.isDecrypted && tls.chain != nil ? ", decrypted" : ""
    sections.append(
      Section(
        title: "Server certificates", note: state(evidence.certificates, .certificates, of: session) + source,
        rows: certificates(tls.chain) + status(tls, of: session)))
    let chains = session.sharedAssumedChain.map { [$0.value] + $0.alternatives } ?? []
    for (index, assumed) in chains.enumerated() {
      let number = chains.count > 1 ? " (\(index + 1) of \(chains.count))" : ""
      let origin = assumed.origin.map { origin in
        ", session \(DisplayText.escaped(origin.session)), \(Wording.location(of: origin, from: session.file))"
      }
      sections.append(
        Section(
          title: "Assumed certificates\(number)", note: "\(assumed.source.rawValue)\(origin ?? "")", rows: certificates(assumed.chain)))
    }
    sections.append(Section(title: "Client certificates", rows: certificates(tls.clientChain)))
    let alerts = [("client", tls.clientAlerts), ("server", tls.serverAlerts)].flatMap { peer, alerts in
      alerts.map { alert in
        TextRow(label: peer, text: Wording.alert(alert), note: Wording.frame(alert.frame, in: session.parts))
      }
    }
    sections.append(Section(title: "Alerts", rows: alerts))
    return sections
  }

  private static func clientHello(_ tls: Shared<TLSFacts>) -> [TextRow] {
    guard let offer = tls.sharedOffer else { return [] }
    var rows: [TextRow] = []
    rows.add("server_name", tls.serverName.map(DisplayText.escaped) ?? "none")
    if let outer = tls.outerHello {
      rows.add("outer server_name", outer.serverName.map(DisplayText.escaped) ?? "none")
    }
    if offer.isSSL2Format { rows.add("format", "SSL 2.0") }
    rows.add("versions", offer.versions.map(Wording.version))
    rows.add("cipher suites", offer.cipherSuites.map(Wording.suite))
    rows.add("groups", offer.groups.map(\.text))
    rows.add("signatures", offer.signatureSchemes.map(\.text))
    rows.add("in certificates", offer.certificateSignatureSchemes.map(\.text))
    rows.add("extensions", offer.extensions.map(\.text))
    rows.add("ALPN", offer.alpn.map(DisplayText.escaped))
    rows.add("compression", offer.compressionMethods.filter { $0 != 0 }.map { "method \($0)" })
    rows.add("random", hexadecimal(tls.clientRandom))
    rows.add("inner random", tls.innerRandom.map { hexadecimal($0) })
    if tls.offeredSessionID != tls.sessionID {
      rows.add("session ID", hexadecimal(tls.offeredSessionID))
    }
    rows.add("ticket digest", hexadecimal(tls.offeredTicket))
    rows.add("JA3", offer.ja3)
    rows.add("JA4", offer.ja4.map(DisplayText.escaped))
    return rows
  }

  private static func serverHello(_ tls: Shared<TLSFacts>, of session: ObservedSession) -> [TextRow] {
    var rows: [TextRow] = []
    if let serverHello = tls.sharedServerHello {
      if serverHello.isHelloRetryRequest {
        rows.add("message", "HelloRetryRequest alone")
      } else if tls.hasHelloRetryRequest {
        rows.add("message", "after a HelloRetryRequest")
      }
      rows.add("version", serverHello.version.map(Wording.version))
      rows.add("cipher suite", serverHello.cipherSuite.map(Wording.suite))
      rows.add("key exchange", keyExchange(tls, serverHello, of: session))
      rows.add("extensions", serverHello.extensions.map(\.text))
      rows.add("ALPN", (serverHello.alpn ?? tls.protectedALPN).map(DisplayText.escaped))
      if let method = serverHello.compressionMethod, method != 0 {
        rows.add("compression", "method \(method)")
      }
      rows.add("random", hexadecimal(tls.serverRandom))
      rows.add("session ID", hexadecimal(tls.sessionID))
      rows.add("ticket digest", hexadecimal(tls.issuedTicket))
      rows.add("JA3S", serverHello.ja3s)
    }
    if tls.isResumed == true {
      let origin = tls.resumption.map { " by \($0.rawValue)" } ?? ""
      let earlier = session.resumedFrom.map { ", of session \(DisplayText.escaped($0))" } ?? ""
      let capture = session.resumedFromCapture.map { " in \(DisplayText.escaped($0))" } ?? ""
      rows.add("resumed", "yes\(origin)\(earlier)\(capture)")
    }
    if tls.isClientCertificateRequested { rows.add("requests", "a client certificate") }
    return rows
  }

  /// Returns a description such as `ecdhe, x25519, 253 bits, signed with rsa_pss_rsae_sha256, signature valid`.
  private static func keyExchange(_ tls: Shared<TLSFacts>, _ serverHello: Shared<ServerHelloFacts>, of session: ObservedSession) -> String {
    var parts: [String] = []
    let isWhole = session.evidence.serverHello == .complete
    if let exchange = KeyExchangeName.name(serverHello.value, isWhole: isWhole, group: tls.group) {
      parts.append(exchange)
    }
    if let group = tls.group { parts.append(group.text) }
    if let exchange = tls.serverKeyExchange {
      if let bits = exchange.bits { parts.append("\(bits) bits") }
      if let scheme = exchange.signatureScheme { parts.append("signed with \(scheme.text)") }
      let frames = Wording.frames([.serverKeyExchange], of: session.evidence, in: session.parts)
      if !frames.isEmpty { parts.append(frames) }
    }
    if let signature = tls.handshakeSignature {
      let word =
        switch signature {
        case .valid: "valid"
        case .invalid: "invalid"
        case .notVerifiable: "not verifiable"
        case .notVerified: "not verified"
        }
      parts.append("signature \(word)")
    }
    return parts.joined(separator: ", ")
  }

  // MARK: Certificates

  private static let shownNames = 12

  private static func certificates(_ chain: CertificateChain?) -> [TextRow] {
    guard let chain else { return [] }
    var rows: [TextRow] = []
    for (index, observed) in chain.certificates.enumerated() {
      let certificate = observed.certificate
      rows.add(
        index == 0 ? "leaf" : "certificate \(index)", certificate.subject.isEmpty ? "no subject" : DisplayText.escaped(certificate.subject))
      if let error = certificate.decodingError {
        rows.add("", "cannot be decoded: \(DisplayText.escaped(error))")
      } else {
        rows.add("", "issued by \(DisplayText.escaped(certificate.issuer))")
        rows.add("", facts(of: certificate))
        rows.add("", names(of: certificate))
      }
      rows.add("SHA-256", observed.sha256)
      if index == 0 { rows.add("SHA-256 of key", observed.spkiSHA256) }
    }
    if !chain.isComplete { rows.add("", "further certificates may be missing") }
    return rows
  }

  private static func facts(of certificate: Certificate) -> String {
    var parts: [String] = []
    if let first = certificate.notBefore, let last = certificate.notAfter {
      parts.append("\(first) to \(last)")
    }
    let key = certificate.publicKey
    if !key.algorithm.isEmpty {
      let bits = key.bits.map { " \($0) bits" } ?? ""
      parts.append(
        DisplayText.escaped(key.algorithm) + (key.curve.map { " \(DisplayText.escaped($0))" } ?? bits))
    }
    parts.append(DisplayText.escaped(certificate.signatureAlgorithm))
    parts.append("serial \(certificate.serial)")
    if certificate.isCA { parts.append("CA") }
    if let usages = certificate.extendedKeyUsage { parts += usages.map(DisplayText.escaped) }
    if certificate.embeddedSCTs > 0 { parts.append(Wording.count(certificate.embeddedSCTs, "SCT{s}")) }
    return parts.filter { !$0.isEmpty }.joined(separator: ", ")
  }

  private static func names(of certificate: Certificate) -> String {
    let names = certificate.dnsNames + certificate.ipAddresses.map(\.description)
    guard !names.isEmpty else { return "" }
    let shown = "names " + Wording.list(Array(names.prefix(shownNames)))
    return names.count > shownNames ? shown + ", and \(names.count - shownNames) more" : shown
  }

  /// Returns rows for the OCSP response and the SCTs that the server delivered outside its certificates.
  private static func status(_ tls: Shared<TLSFacts>, of session: ObservedSession) -> [TextRow] {
    var rows: [TextRow] = []
    if tls.hasStapledOCSPResponse {
      rows.add("stapled", "OCSP response", note: Wording.frames([.certificateStatus], of: session.evidence, in: session.parts))
    }
    if tls.sctList != nil {
      // RFC 8446 §4.4.2.1, RFC 6962 §3.3.1.
      let isTLS13 = tls.sharedServerHello?.hasTLS13Handshake == true
      rows.add("delivered", isTLS13 ? "SCTs in the Certificate message" : "SCTs in the ServerHello's extension")
    }
    return rows
  }
}

extension [TextRow] {
  /// Appends a row with several names, unless there are none.
  fileprivate mutating func add(_ label: String, _ names: [String]) {
    add(label, names.joined(separator: ", "))
  }
}
