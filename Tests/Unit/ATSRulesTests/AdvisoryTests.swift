import ATSRules
import CertificateIssuing
import PolicyResolution
import SessionBuilding
import SessionModel
import TLSParsing
import Testing
import Values

@Suite struct AdvisoryTests {
  private func outcome(_ rule: String, _ builder: SessionBuilder) -> Finding.Outcome {
    let finding = judged(builder.session)[rule]
    #expect(!finding.isRequired)
    return finding.outcome
  }

  private func outcome(_ rule: String, _ change: (inout SessionBuilder) -> Void = { _ in }) -> Finding.Outcome {
    outcome(rule, SessionBuilder(change))
  }

  @Test
  func `a server that does not choose the offered TLS 1_3 is advised to support it`() {
    #expect(outcome("ADV-TLS13") == .fail)
    #expect(outcome("ADV-TLS13") { $0.offeredVersions = [0x0303] } == .notApplicable)
    #expect(outcome("ADV-TLS13", .tls13()) == .pass)
  }

  @Test
  func `a server that ignores an offered post-quantum group is advised to choose it`() {
    #expect(outcome("ADV-PQ", .tls13()) == .notApplicable)
    #expect(outcome("ADV-PQ", .tls13 { $0.offeredGroups = [0x11EC, 0x001D] }) == .fail)
    #expect(
      outcome(
        "ADV-PQ",
        .tls13 {
          $0.offeredGroups = [0x11EC, 0x001D]
          $0.keyShare = 0x11EC
        }) == .pass)
  }

  @Test
  func `CBC suites are advised against, with a note on each kind`() {
    #expect(outcome("ADV-CBC") == .pass)
    #expect(outcome("ADV-CBC") { $0.suite = 0xC013 } == .fail)
    #expect(
      judged(SessionBuilder { $0.suite = 0xC013 }.session)["ADV-CBC"].notes
        == ["A table in Apple's source limits CBC_SHA suites to TLS 1.1; whether it is enforced is not known."])
    #expect(
      judged(SessionBuilder { $0.suite = 0xC027 }.session)["ADV-CBC"].notes
        == ["iOS 15.4 and macOS 12.3 and later reject CBC with SHA-2."])
  }

  @Test
  func `a chain out of order or with unneeded certificates is noted`() {
    let (leaf, middle) = (CertificateBuilder.leaf(), CertificateBuilder.intermediate())
    let root = CertificateBuilder.root { $0.issuer = "Test Root" }
    let stray = CertificateBuilder.intermediate { $0.subject = "Stray" }
    func outcomes(_ certificates: [ObservedCertificate]) -> [Finding.Outcome] {
      let content = judged(SessionBuilder { $0.certificates = certificates }.session)
      return ["INCOMPLETE", "ORDER", "EXTRA", "ROOT"].map { content.outcome("ADV-CHAIN-" + $0) }
    }
    #expect(outcomes([leaf, middle]) == [.pass, .pass, .pass, .pass])
    let fetched = CertificateBuilder.leaf { $0.caIssuersURL = "http://ca.example.com/ca.cer" }
    #expect(outcomes([fetched]) == [.fail, .notApplicable, .pass, .pass])
    // The issuer may be a root.
    #expect(outcomes([leaf]) == [.notApplicable, .notApplicable, .pass, .pass])
    #expect(outcomes([leaf, middle, root]) == [.pass, .pass, .pass, .fail])
    #expect(outcomes([leaf, root, middle]) == [.pass, .fail, .pass, .fail])
    #expect(outcomes([leaf, stray, middle]) == [.pass, .pass, .fail, .pass])
    #expect(outcomes([leaf, middle, middle]) == [.pass, .pass, .fail, .pass])
    let hidden = judged(SessionBuilder.tls13().session)
    #expect(hidden.outcome("ADV-CHAIN-INCOMPLETE") == .notApplicable)
  }

  @Test
  func `certificates outside the path are not called unneeded if the capture may lack a part of it`() {
    let root = CertificateBuilder.root { $0.issuer = "Test Root" }
    for isComplete in [true, false] {
      let content = judged(
        SessionBuilder {
          $0.certificates = [CertificateBuilder.leaf(), root]
          $0.isChainComplete = isComplete
        }.session)
      #expect(content.outcome("ADV-CHAIN-EXTRA") == (isComplete ? .fail : .notApplicable))
    }
  }

  @Test
  func `a server that does not staple a requested OCSP response is advised to staple it`() {
    func builder(_ change: @escaping (inout ObservedSession) -> Void) -> SessionBuilder {
      SessionBuilder {
        $0.certificates = [CertificateBuilder.leaf { $0.ocspURL = "http://ocsp.example.com" }]
        $0.finish = change
      }
    }
    #expect(outcome("ADV-OCSP-STAPLE", builder { _ in }) == .fail)
    #expect(outcome("ADV-OCSP-STAPLE", builder { $0.sharedTLS?.hasStapledOCSPResponse = true }) == .pass)
    #expect(
      outcome("ADV-OCSP-STAPLE", builder { $0.evidence.certificateStatus = .missing }) == .notApplicable)
    #expect(outcome("ADV-OCSP-STAPLE") == .notApplicable)
  }

  @Test
  func `a certificate with only the required number of SCTs is advised to have one more`() {
    func builder(_ logs: [UInt8]) -> SessionBuilder {
      SessionBuilder {
        $0.certificates = [
          CertificateBuilder.leaf {
            $0.scts = logs.map { (log: $0, time: Timestamp("2026-01-01T00:00:00Z")) }
          }
        ]
      }
    }
    #expect(outcome("ADV-CT-MARGIN", builder([1])) == .notApplicable)
    #expect(outcome("ADV-CT-MARGIN", builder([1, 2])) == .fail)
    #expect(outcome("ADV-CT-MARGIN", builder([1, 2, 3])) == .pass)
    #expect(outcome("ADV-CT-OPERATORS", builder([1, 2, 3])) == .notApplicable)
  }

  @Test(arguments: [
    ("2026-03-01T23:59:59Z", Finding.Outcome.pass, ""), ("2026-03-02T00:00:00Z", .fail, "within 30 days"),
    ("2026-03-24T23:59:59Z", .fail, "within 30 days"), ("2026-03-25T00:00:00Z", .fail, "within 7 days"),
    ("2026-04-01T00:00:00Z", .fail, "within 7 days"), ("2026-04-01T00:00:01Z", .notApplicable, ""),
  ])
  func `a leaf that expires within 30 or 7 days is noted`(time: String, outcome: Finding.Outcome, text: String) {
    let finding = judged(SessionBuilder { $0.time = Timestamp(time) }.session)["ADV-EXPIRY"]
    #expect(finding.outcome == outcome)
    #expect((finding.observed ?? "").hasSuffix(text))
  }

  @Test(arguments: [
    ("2026-03-14T23:59:59Z", Int64(300), Finding.Outcome.notApplicable), ("2026-03-15T00:00:00Z", 200, .pass),
    ("2026-03-15T00:00:00Z", 201, .fail), ("2027-03-15T00:00:00Z", 100, .pass),
    ("2027-03-15T00:00:00Z", 101, .fail),
    ("2029-03-15T00:00:00Z", 47, .pass), ("2029-03-15T00:00:00Z", 48, .fail),
  ])
  func `a lifetime beyond the limits of ballot SC-081 is noted, with an inclusive notAfter`(
    from: String, days: Int64, outcome: Finding.Outcome
  ) {
    func judge(_ seconds: Int64) -> Finding.Outcome {
      let leaf = CertificateBuilder.leaf {
        $0.notBefore = Timestamp(from)
        $0.notAfter = Timestamp(seconds: Timestamp(from).seconds + seconds)
      }
      return judged(SessionBuilder { $0.certificates = [leaf] }.session).outcome("ADV-SC081")
    }
    #expect(judge(days * 86_400 - 1) == outcome)
    if outcome == .pass { #expect(judge(days * 86_400) == .fail) }
  }

  @Test(arguments: [true, false])
  func `the limits of ballot SC-081 are not applied if the missing certificates may show a private CA`(isComplete: Bool) {
    let leaf = CertificateBuilder.leaf {
      $0.notBefore = Timestamp("2026-03-15T00:00:00Z")
      $0.notAfter = Timestamp("2026-05-15T00:00:00Z")
    }
    let session = SessionBuilder {
      $0.certificates = [leaf]
      $0.isChainComplete = isComplete
    }.session
    #expect(judged(session).outcome("ADV-SC081") == (isComplete ? .pass : .notApplicable))
  }

  @Test
  func `TLS 1_2 without extended master secret or secure renegotiation or with compression is noted`() {
    for (rule, good) in [("ADV-EMS", ExtensionType.extendedMasterSecret), ("ADV-RENEG", .renegotiationInfo)] {
      #expect(outcome(rule) == .pass)
      #expect(outcome(rule) { $0.answerExtensions.removeAll { $0 == good } } == .fail)
      #expect(outcome(rule, .tls13()) == .notApplicable)
    }
    #expect(
      outcome("ADV-RENEG") {
        $0.answerExtensions = []
        $0.offeredExtensions = []
      } == .notApplicable)
    #expect(
      outcome("ADV-RENEG") {
        $0.answerExtensions = []
        $0.offeredExtensions = []
        $0.offeredSuites.append(0x00FF)
      } == .fail)
    #expect(outcome("ADV-COMPRESSION") == .pass)
    #expect(outcome("ADV-COMPRESSION") { $0.compression = 1 } == .fail)
    #expect(outcome("ADV-COMPRESSION", .tls13()) == .notApplicable)
  }

  @Test(arguments: [(UInt16(0x0201), Finding.Outcome.fail), (0x0203, .fail), (0x0401, .pass), (0x0804, .pass)])
  func `a SHA-1 signature on ServerKeyExchange is noted`(scheme: UInt16, outcome: Finding.Outcome) {
    let signed = SessionBuilder { builder in
      builder.finish = {
        $0.sharedTLS?.serverKeyExchange = ServerKeyExchangeFacts(
          bits: 256, group: nil, signatureScheme: SignatureScheme(rawValue: scheme))
      }
    }
    #expect(self.outcome("ADV-SKE-SHA1", signed) == outcome)
    #expect(self.outcome("ADV-SKE-SHA1") == .notApplicable)
  }

  @Test
  func `a CertificateRequest is noted, and the advisory does not apply if one may be missing`() {
    #expect(outcome("ADV-MTLS") == .pass)
    #expect(
      outcome("ADV-MTLS") { builder in builder.finish = { $0.sharedTLS?.isClientCertificateRequested = true } }
        == .fail)
    #expect(outcome("ADV-MTLS", .tls13()) == .notApplicable)
    // The bytes lost after the certificates may contain the request.
    #expect(
      outcome("ADV-MTLS") { builder in builder.finish = { $0.evidence.missingBytes = 40 } } == .notApplicable)
    // The unsent rest of a flight may contain it too; a flight read to its end does not.
    for (forgoes, wanted) in [(false, Finding.Outcome.notApplicable), (true, .pass)] {
      let found = outcome("ADV-MTLS") { builder in
        builder.finish = {
          $0.sharedTLS?.outcome = .refusedByClient
          $0.sharedTLS?.forgoesClientCertificate = forgoes
        }
      }
      #expect(found == wanted)
    }
  }

  @Test
  func `an offered Encrypted ClientHello is noted`() {
    #expect(outcome("ADV-ECH") == .pass)
    #expect(outcome("ADV-ECH") { $0.offeredExtensions.append(.encryptedClientHello) } == .fail)
  }

  @Test
  func `a ClientHello without server_name is noted if the host has a name`() {
    #expect(outcome("ADV-SNI-MISSING") == .pass)
    #expect(
      outcome("ADV-SNI-MISSING") {
        $0.offeredExtensions = []
        $0.source = .connect
      } == .fail)
    #expect(
      outcome("ADV-SNI-MISSING") {
        $0.offeredExtensions = []
        $0.source = .address
      } == .notApplicable)
  }

  @Test
  func `TLS 1_2 that misses the announced requirements for system services is noted`() {
    #expect(outcome("ADV-NEXT") == .pass)
    #expect(outcome("ADV-NEXT") { $0.suite = 0xC013 } == .fail)
    #expect(outcome("ADV-NEXT") { $0.suite = 0xCCA8 } == .fail)
    #expect(outcome("ADV-NEXT") { $0.answerExtensions = [] } == .fail)
    // The extension may be in the part of the ServerHello that the capture lacks.
    for (extensions, expected) in [
      ([], .notApplicable), ([.extendedMasterSecret], .pass),
    ] as [([ExtensionType], Finding.Outcome)] {
      let builder = SessionBuilder {
        $0.answerExtensions = extensions
        $0.finish = { $0.evidence.serverHello = .partial }
      }
      #expect(outcome("ADV-NEXT", builder) == expected)
    }
    #expect(outcome("ADV-NEXT") { $0.suite = 0x009C } == .notApplicable)
    #expect(outcome("ADV-NEXT", .tls13()) == .pass)
  }
}
