package import PolicyResolution
package import SessionObservation
import TLSParsing

/// The server chose TLS 1.2 or older although the client offered TLS 1.3.
package struct TLS13Advisory: Advisory {
  package static let id = "ADV-TLS13"
  package static let title = "TLS 1.3 not chosen"

  package init() {}

  /// Looks at what both sides offered and chose.
  package func judge(
    _ session: ObservedSession, under policy: EffectivePolicy, in context: JudgingContext
  ) -> Finding {
    guard let answer = session.tls?.answer?.content, let offer = session.tls?.offer?.content,
      offer.versions.contains(.tls13)
    else { return notApplicable() }
    guard let version = answer.seenVersion else { return notApplicable() }
    if version.rawValue >= TLSVersion.tls13.rawValue {
      return pass(answer.version.text, parts: [.serverHello])
    }
    return advise(
      "the client offered TLS 1.3, the server chose \(answer.version.text)", expected: "TLS 1.3",
      parts: [.clientHello, .serverHello], remedy: "enable TLS 1.3 on the server")
  }
}

/// The server used a classical group although the client offered a post-quantum one.
package struct PostQuantumAdvisory: Advisory {
  package static let id = "ADV-PQ"
  package static let title = "Post-quantum key exchange not used"

  package init() {}

  /// Looks at the groups offered and the one used.
  package func judge(
    _ session: ObservedSession, under policy: EffectivePolicy, in context: JudgingContext
  ) -> Finding {
    guard let group = session.finalAnswer.flatMap({ $0.keyShareGroup ?? session.tls?.group }),
      session.tls?.offer?.content.groups.contains(.x25519MLKEM768) == true
    else { return notApplicable() }
    let name = group.name ?? hexadecimalCode(group.rawValue)
    if group.kind == .hybrid || group.kind == .kem { return pass(name, parts: [.serverHello]) }
    return advise(
      "the client offered X25519MLKEM768, the server used \(name)", expected: "X25519MLKEM768",
      parts: [.clientHello, .serverHello], remedy: "enable X25519MLKEM768 on the server")
  }
}

extension NamedGroup {
  /// X25519 and ML-KEM-768 together, which clients of the 26 releases offer.
  fileprivate static let x25519MLKEM768 = NamedGroup(rawValue: 0x11EC)
}

/// A suite of cipher block chaining is in use.
package struct CBCAdvisory: Advisory {
  package static let id = "ADV-CBC"
  package static let title = "CBC suite in use"

  package init() {}

  /// Looks at the suite.
  package func judge(
    _ session: ObservedSession, under policy: EffectivePolicy, in context: JudgingContext
  ) -> Finding {
    guard let answer = session.tls?.answer?.content, let suite = answer.cipherSuite,
      let structure = suite.structure
    else { return notApplicable() }
    guard structure.mode == .cbc else { return pass(suite.text, parts: [.serverHello]) }
    let isSHA2 = structure.hash == .sha256 || structure.hash == .sha384
    return advise(
      suite.text, expected: "an AEAD suite (AES-GCM, ChaCha20-Poly1305)", parts: [.serverHello],
      remedy: "put AES-GCM suites first on the server"
    ).noting(
      isSHA2 ? "CBC with SHA-2 is refused from iOS 15.4 and macOS 12.3 on." : nil,
      structure.hash == .sha1 && answer.version == .tls12
        ? "A table of Apple's gives CBC_SHA suites an upper limit of TLS 1.1; whether it is enforced is not known."
        : nil)
  }
}

/// TLS 1.2 or older without Extended Master Secret.
package struct ExtendedMasterSecretAdvisory: Advisory {
  package static let id = "ADV-EMS"
  package static let title = "No Extended Master Secret"

  package init() {}

  /// Looks for extension 23 in the ServerHello.
  package func judge(
    _ session: ObservedSession, under policy: EffectivePolicy, in context: JudgingContext
  ) -> Finding {
    guard let answer = session.olderAnswer else { return notApplicable() }
    if answer.extensions.contains(.extendedMasterSecret) {
      return pass("Extended Master Secret", parts: [.serverHello])
    }
    return advise(
      "no Extended Master Secret", expected: "Extended Master Secret (RFC 7627)", parts: [.serverHello],
      remedy: "enable Extended Master Secret on the server"
    ).noting(
      session.tls?.offer?.has(.extendedMasterSecret) == false ? "The client did not offer it." : nil,
      "Announced for system services with the next major release.")
  }
}

/// TLS 1.2 or older without secure renegotiation.
package struct RenegotiationAdvisory: Advisory {
  package static let id = "ADV-RENEG"
  package static let title = "No secure renegotiation"

  package init() {}

  /// Looks for renegotiation_info in the answer to a client that asked for it.
  package func judge(
    _ session: ObservedSession, under policy: EffectivePolicy, in context: JudgingContext
  ) -> Finding {
    guard let answer = session.olderAnswer, let offer = session.tls?.offer,
      offer.has(.renegotiationInfo) || offer.content.cipherSuites.contains(.emptyRenegotiationInfoSCSV)
    else { return notApplicable() }
    if answer.extensions.contains(.renegotiationInfo) {
      return pass("renegotiation_info", parts: [.serverHello])
    }
    return advise(
      "no renegotiation_info", expected: "secure renegotiation (RFC 5746)", parts: [.serverHello],
      remedy: "update the server's TLS library")
  }
}

/// TLS with compression.
package struct CompressionAdvisory: Advisory {
  package static let id = "ADV-COMPRESSION"
  package static let title = "TLS compression in use"

  package init() {}

  /// Looks at the compression method chosen.
  package func judge(
    _ session: ObservedSession, under policy: EffectivePolicy, in context: JudgingContext
  ) -> Finding {
    guard let answer = session.tls?.answer?.content, !answer.version.isTLS13OrDraft,
      answer.version != .unseen, let method = answer.compressionMethod
    else { return notApplicable() }
    if method == 0 { return pass("none", parts: [.serverHello]) }
    return advise(
      CompressionMethod(rawValue: method).name ?? "method \(method)", expected: "no compression",
      parts: [.serverHello], remedy: "switch off TLS compression, which leaks secrets (CRIME)")
  }
}

/// ServerKeyExchange is signed with SHA-1.
package struct KeyExchangeSignatureAdvisory: Advisory {
  package static let id = "ADV-SKE-SHA1"
  package static let title = "ServerKeyExchange signed with SHA-1"

  package init() {}

  /// Looks at the signature's scheme, which TLS 1.2 names.
  package func judge(
    _ session: ObservedSession, under policy: EffectivePolicy, in context: JudgingContext
  ) -> Finding {
    guard let scheme = session.tls?.serverKeyExchange?.signatureScheme else { return notApplicable() }
    let name = scheme.name ?? hexadecimalCode(scheme.rawValue)
    if scheme.hash != .sha1 { return pass(name, parts: [.serverKeyExchange]) }
    return advise(
      name, expected: "a signature with SHA-256 or better", parts: [.serverKeyExchange],
      remedy: "let the server sign with SHA-256 or better; the NIAP package refuses SHA-1")
  }
}

/// The server asked for a client certificate.
package struct ClientCertificateAdvisory: Advisory {
  package static let id = "ADV-MTLS"
  package static let title = "Client certificate requested"

  package init() {}

  /// Looks for a CertificateRequest.
  package func judge(
    _ session: ObservedSession, under policy: EffectivePolicy, in context: JudgingContext
  ) -> Finding {
    guard session.tls?.clientCertificateRequested == true else {
      // The request stands behind the certificates, where the capture may break off or have a gap.
      let isFlightSeen =
        session.evidence.missingBytes == 0
        && (session.tls?.outcome != .incomplete || session.evidence.certificateStatus == .notSent)
      return session.tls?.chain != nil && isFlightSeen
        ? pass(parts: [.certificates]) : notApplicable()
    }
    return advise(
      "the server asked for a client certificate", expected: "a matter between app and server",
      parts: [.certificates]
    ).noting("Errors -1205 and -1206 come from client certificates and not from ATS.")
  }
}

/// Encrypted ClientHello was offered, so the name seen may be the public one.
package struct EncryptedClientHelloAdvisory: Advisory {
  package static let id = "ADV-ECH"
  package static let title = "Encrypted ClientHello offered"

  package init() {}

  /// Looks for the extension; GREASE looks the same.
  package func judge(
    _ session: ObservedSession, under policy: EffectivePolicy, in context: JudgingContext
  ) -> Finding {
    guard let offer = session.tls?.offer else { return notApplicable() }
    // Secrets that open the handshake show that the hello which was seen is the one that counts.
    guard offer.has(.encryptedClientHello), session.tls?.isDecrypted != true else {
      return session.evidence.clientHello == .complete ? pass(parts: [.clientHello]) : notApplicable()
    }
    return advise(
      "Encrypted ClientHello was offered", expected: "a name that is certain", parts: [.clientHello]
    ).noting("The name seen may be the public one; an offer that means nothing (GREASE) looks the same.")
  }
}

/// No name was sent by a client that loads by name.
package struct ServerNameAdvisory: Advisory {
  package static let id = "ADV-SNI-MISSING"
  package static let title = "No server name sent"

  package init() {}

  /// Looks for server_name where a CONNECT shows that the client knows a name.
  package func judge(
    _ session: ObservedSession, under policy: EffectivePolicy, in context: JudgingContext
  ) -> Finding {
    guard let offer = session.tls?.offer else { return notApplicable() }
    if offer.has(.serverName) { return pass("server_name", parts: [.clientHello]) }
    guard session.serverNameSource == .connect, context.host.name != nil,
      session.evidence.clientHello == .complete
    else { return notApplicable() }
    return advise(
      "no server_name extension", expected: "the host's name in server_name", parts: [.clientHello],
      remedy: "load by name through URLSession, which sends it")
  }
}

/// A cleartext request was answered by a redirect to HTTPS.
package struct RedirectAdvisory: Advisory {
  package static let id = "ADV-HTTP-REDIRECT"
  package static let title = "Redirect from HTTP to HTTPS"

  package init() {}

  /// Looks at the answers.
  package func judge(
    _ session: ObservedSession, under policy: EffectivePolicy, in context: JudgingContext
  ) -> Finding {
    guard session.application == .http else { return notApplicable() }
    let traffic = HTTPTraffic(session)
    guard traffic.redirectsToHTTPS else {
      return traffic.lacksAnswers ? notApplicable() : pass(parts: [.clientHello])
    }
    return advise(
      "the server redirects to HTTPS", expected: "an https URL in the app", parts: [.clientHello],
      remedy: "use the https URL in the app: ATS stops the load before the redirect")
  }
}

/// The session passes now and would fail the stricter rules that are announced for system processes.
package struct NextReleaseAdvisory: Advisory {
  package static let id = "ADV-NEXT"
  package static let title = "Announced stricter rules"

  package init() {}

  /// Looks at version, suite and Extended Master Secret where the present rules about them are met.
  package func judge(
    _ session: ObservedSession, under policy: EffectivePolicy, in context: JudgingContext
  ) -> Finding {
    let present: [any Rule] = [TLSVersionRule(), CipherSuiteRule(), ForwardSecrecyRule()]
    guard let answer = session.finalAnswer, answer.version != .unseen, let suite = answer.cipherSuite,
      present.allSatisfy({ $0.judge(session, under: policy, in: context).outcome == .pass })
    else { return notApplicable() }
    let expected = "TLS 1.2 or later, ECDHE with AES-GCM, Extended Master Secret"
    func advise(_ text: String) -> Finding {
      self.advise(
        text, expected: expected, parts: [.serverHello], remedy: "meet them before system services ask")
    }
    if answer.version.rawValue < TLSVersion.tls12.rawValue { return advise(answer.version.text) }
    if answer.version == .tls12 {
      guard CipherSuiteGroups.niapTLS12.contains(suite.rawValue) else { return advise(suite.text) }
      if session.evidence.serverHello == .complete, !answer.extensions.contains(.extendedMasterSecret) {
        return advise("no Extended Master Secret")
      }
    }
    return pass(suite.text, expected: expected, parts: [.serverHello])
  }
}
