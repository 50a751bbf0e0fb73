import ATSEvaluation
import ATSRules
import CertificateParsing
import Reporting
import SessionModel
import SessionRecords
import TLSParsing
import Values

// The objects of a line in the order of ECS's field reference.
extension JSONObject {
  mutating func addEvent(_ session: ObservedSession, _ judgement: Shared<Judgement>?) {
    objectUnlessEmpty("event") { event in
      event.add("id", session.identifier)
      event.add("kind", judgement?.verdict == .fail ? "alert" : "event")
      event.add("category", ["network"])
      event.add("type", ["connection", "protocol"])
      event.add("module", "atscope")
      event.add("dataset", "atscope.session")
      event.add(
        "outcome",
        judgement.map { EventValues.outcome(of: $0.verdict) } ?? EventValues.outcome(of: session))
      event.add("start", session.start)
      event.add("end", session.end)
      event.add("duration", EventValues.duration(of: session))
      event.add("reason", judgement.flatMap { EventValues.reason(of: $0) })
    }
  }

  /// Adds both endpoints, each under its two names in ECS.
  mutating func addEnds(_ session: ObservedSession) {
    for key in ["client", "source"] {
      objectUnlessEmpty(key) { object in
        object.add("address", session.client.address.description)
        object.add("ip", session.client.address.description)
        object.add("port", Int(session.client.port))
      }
    }
    let name = session.serverNameSource == .address ? nil : session.serverName
    for key in ["server", "destination"] {
      objectUnlessEmpty(key) { object in
        object.add("address", name ?? session.server.address.description)
        object.add("domain", name)
        object.add("ip", session.server.address.description)
        object.add("port", Int(session.server.port))
      }
    }
  }

  mutating func addNetwork(_ session: ObservedSession) {
    objectUnlessEmpty("network") { network in
      network.add("type", session.client.address.isIPv6 ? "ipv6" : "ipv4")
      network.add("transport", session.transport == .tcp ? "tcp" : "udp")
      network.add("protocol", session.transport == .quic ? "quic" : session.application.rawValue)
      network.add("community_id", SessionEncoder.communityID(of: session))
    }
  }

  // MARK: TLS

  mutating func addTLS(_ tls: Shared<TLSFacts>) {
    objectUnlessEmpty("tls") { object in
      let serverHello = tls.sharedServerHello
      if let version = serverHello?.version?.name { object.addVersion(version) }
      object.add("cipher", serverHello?.cipherSuite?.text)
      object.add("curve", tls.group?.text)
      object.add("established", tls.isEstablished)
      object.add("resumed", tls.isResumed)
      object.add("next_protocol", serverHello?.alpn ?? tls.protectedALPN)
      object.objectUnlessEmpty("client") { client in
        client.add("server_name", tls.serverName)
        client.add("ja3", tls.sharedOffer?.ja3)
        client.add("supported_ciphers", tls.sharedOffer?.cipherSuites.map(\.text) ?? [])
        client.addCertificate(tls.clientChain?.certificates.first)
      }
      object.objectUnlessEmpty("server") { server in
        server.add("ja3s", serverHello?.ja3s)
        server.addCertificate(tls.chain?.certificates.first)
      }
    }
  }

  /// Adds a name such as `TLS 1.2` as a version and a protocol.
  private mutating func addVersion(_ name: String) {
    let words = name.split(separator: " ", maxSplits: 1)
    guard words.count == 2 else { return }
    add("version", String(words[1]))
    add("version_protocol", words[0].lowercased())
  }

  private mutating func addCertificate(_ observed: ObservedCertificate?) {
    guard let observed else { return }
    let certificate = observed.certificate
    add("subject", certificate.subject)
    add("issuer", certificate.issuer)
    add("not_before", certificate.notBefore)
    add("not_after", certificate.notAfter)
    objectUnlessEmpty("hash") { $0.add("sha256", observed.sha256.uppercased()) }
    objectUnlessEmpty("x509") { x509 in
      x509.add("version_number", certificate.version.map { "\($0)" })
      x509.add("serial_number", certificate.serial.uppercased())
      x509.add("alternative_names", certificate.dnsNames + certificate.ipAddresses.map(\.description))
      x509.add("not_before", certificate.notBefore)
      x509.add("not_after", certificate.notAfter)
      x509.add("signature_algorithm", certificate.signatureAlgorithm)
      x509.add("public_key_algorithm", certificate.publicKey.algorithm)
      x509.add("public_key_size", certificate.publicKey.bits)
      x509.add("public_key_curve", certificate.publicKey.curve)
      x509.objectUnlessEmpty("issuer") { $0.add("distinguished_name", certificate.issuer) }
      x509.objectUnlessEmpty("subject") { subject in
        subject.add("distinguished_name", certificate.subject)
        subject.add("common_name", certificate.commonName.map { [$0] } ?? [])
      }
    }
  }

  // MARK: HTTP

  /// Adds the first request; `atscope.requests` is the number of requests.
  mutating func addHTTP(_ http: HTTPFacts, _ session: ObservedSession) {
    guard let request = http.requests.first else { return }
    objectUnlessEmpty("http") { object in
      object.objectUnlessEmpty("request") { $0.add("method", request.method) }
      object.objectUnlessEmpty("response") { response in
        response.add("status_code", request.status)
        response.add("mime_type", request.contentType)
      }
    }
    objectUnlessEmpty("url") { url in
      url.add("scheme", "http")
      url.add("domain", request.host)
      url.add("port", Int(session.hostPort))
      url.add("path", request.path)
    }
  }

  // MARK: The judgement

  /// Adds the rule that decides a failing session, or the first undecided rule.
  mutating func addRule(_ judgement: Shared<Judgement>, _ policyVersion: String) {
    let finding =
      judgement.findings.first { $0.rule == judgement.primaryRule }
      ?? (judgement.verdict == .unknown ? judgement.undecided.first : nil)
    guard let finding else { return }
    objectUnlessEmpty("rule") { rule in
      rule.add("id", finding.id)
      rule.add("name", RuleCatalogue.rule(named: finding.id)?.title)
      rule.add("description", Wording.comparison(finding))
      rule.add("ruleset", "App Transport Security")
      rule.add("version", policyVersion)
    }
  }

  mutating func addRelated(_ session: ObservedSession) {
    objectUnlessEmpty("related") { related in
      related.add("ip", [session.client.address.description, session.server.address.description])
      let name = session.serverNameSource == .address ? nil : session.serverName
      related.add("hosts", name.map { [$0] } ?? [])
      let leaf = session.sharedTLS?.chain?.certificates.first?.sha256
      let hashes = [session.sharedTLS?.sharedOffer?.ja3, session.sharedTLS?.sharedServerHello?.ja3s, leaf?.uppercased()]
      related.add("hash", hashes.compactMap { $0 })
    }
  }

  mutating func addOwn(_ session: ObservedSession, _ judgement: Shared<Judgement>?) {
    objectUnlessEmpty("atscope") { own in
      own.objectUnlessEmpty("capture") { capture in
        capture.add("file", session.file)
        capture.add("first_frame", Int(clamping: session.firstFrame))
        capture.add("last_frame", Int(clamping: session.lastFrame))
      }
      own.add("application", session.application.rawValue)
      own.add("ja4", session.sharedTLS?.sharedOffer?.ja4)
      own.add("requests", session.http?.requestCount)
      guard let judgement else { return }
      own.add("verdict", judgement.verdict.rawValue)
      own.add("relaxed", judgement.verdict == .pass && judgement.isRelaxed)
      own.add("score", judgement.score)
      own.add("grade", judgement.grade)
      own.add("confidence_percent", judgement.confidencePercent)
      own.objectUnlessEmpty("rules") { rules in
        rules.add("failed", judgement.failures.map(\.id))
        rules.add("relaxed", judgement.relaxed.map(\.id))
        rules.add("unknown", judgement.undecided.map(\.id))
        rules.add("advice", judgement.advice.map(\.id))
        rules.add("refused", judgement.rejections.map(\.id))
      }
      own.add("fix", judgement.refusals.compactMap(\.fix?.text).distinct())
      own.add("predicted_error", judgement.predictedError.map(Wording.error))
    }
  }
}

private enum EventValues {
  /// Returns `success`, `failure` or `unknown`, the values of ECS; a session that ATS does not govern has no outcome.
  static func outcome(of verdict: Verdict) -> String {
    switch verdict {
    case .pass: "success"
    case .fail: "failure"
    case .unknown, .exempt: "unknown"
    }
  }

  static func outcome(of session: ObservedSession) -> String {
    guard let ending = session.ending else { return "unknown" }
    return ending == .established ? "success" : ending.isFailure ? "failure" : "unknown"
  }

  /// Returns the duration in nanoseconds; nil if it is unknown, or too long for the 64 bits of the field: 292 years.
  static func duration(of session: ObservedSession) -> Int? {
    guard let start = session.start, let end = session.end, start <= end else { return nil }
    let (seconds, isBeyond) = end.seconds.subtractingReportingOverflow(start.seconds)
    guard !isBeyond, seconds < Int64.max / 1_000_000_000 else { return nil }
    return Int(seconds) * 1_000_000_000 + Int(end.nanoseconds) - Int(start.nanoseconds)
  }

  static func reason(of judgement: Shared<Judgement>) -> String? {
    let texts = judgement.refusals.map(Wording.comparison)
    let reasons = texts.isEmpty ? nil : texts.joined(separator: "; ")
    guard let exemption = judgement.exemption else { return reasons }
    return exemption + (reasons.map { " \(Wording.capitalized(Wording.rejected)): \($0)" } ?? "")
  }
}
