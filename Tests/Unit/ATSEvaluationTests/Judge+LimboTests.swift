import ATSEvaluation
import ATSEvidence
import ATSRules
import ByteParsing
import CertificateIssuing
import CertificateParsing
import Foundation
import PolicyResolution
import TestFiles
import Revocation
import SessionBuilding
import SessionModel
import Testing
import TrustEvaluation
import Values

/// The server cases of x509-limbo, if they are present next to the project (`docs/limbo.md`).
enum Limbo {
  struct Case: Decodable, Sendable {
    struct Name: Decodable, Sendable {
      var kind: String
      var value: String
    }
    var id: String
    var trusted_certs: [String]
    var untrusted_intermediates: [String]
    var peer_certificate: String
    var expected_peer_name: Name?
    var validation_time: String?
    var expected_result: String
    var crls: [String]
    var max_chain_depth: Int?
  }

  private struct Suite: Decodable { var testcases: [Case] }

  private static let file = Repository.root.appending(path: "../shared/x509-limbo/limbo-server.json")

  static let cases: [Case] =
    (try? JSONDecoder().decode(Suite.self, from: Data(contentsOf: file)))?.testcases ?? []

  private static let explanations =
    (try? String(contentsOf: Repository.root.appending(path: "docs/limbo.md"), encoding: .utf8)) ?? ""

  /// The identifiers of the cases that have a row in `docs/limbo.md`.
  static let explained = Set(
    explanations.split(separator: "\n").compactMap { line in
      line.hasPrefix("| `") ? line.split(separator: "`").dropFirst().first.map(String.init) : nil
    })

  /// The rules that decide whether a chain is accepted: the certificate rules that apply below an added root. A case
  /// without a host name skips the rules about names.
  static func rules(for test: Case) -> [String] {
    ["TRUST", "CHAIN", "EKU", "DATES", "REVOKED", "KEY", "SIG", "LIFETIME"].map { "ATS-CERT-" + $0 }
      + (test.expected_peer_name == nil ? [] : ["ATS-CERT-HOST", "ATS-CERT-SAN"])
  }

  static func judge(_ test: Case) -> Judgement {
    let chain = ([test.peer_certificate] + test.untrusted_intermediates).flatMap(certificates).map {
      ObservedCertificate(parsing: $0.span)
    }
    let session = SessionBuilder { builder in
      builder.certificates = chain
      builder.host = test.expected_peer_name?.value
      if test.expected_peer_name?.kind == "IP", let address = IPAddress(test.expected_peer_name?.value ?? "") {
        builder.address = address
        builder.source = .connect
      }
    }.session
    var assumptions = JudgingAssumptions()
    // Cases without a time mean the present; a fixed time keeps the results the same.
    assumptions.judgedAt = Timestamp(test.validation_time ?? "2026-04-01T00:00:00Z")
    // The suite counts intermediates only; leaf and anchor add two.
    var judge = Judge(
      dictionary: nil, assumptions: assumptions,
      evaluator: TrustEvaluator(
        TrustStore(systemRoots: .none, added: test.trusted_certs.flatMap(certificates)),
        maximumPathLength: test.max_chain_depth.map { $0 + 2 }),
      status: StatusEvidence(revocations: test.crls.flatMap(revocations)), maximumCacheCount: 1)
    return judge.judge(session).value
  }

  static func revocations(_ pem: String) -> [RevocationSource] {
    (try? RevocationSource.read(Bytes(pem.utf8).span)) ?? []
  }

  static func certificates(_ pem: String) -> [Bytes] {
    ((try? PEMBlock.read(Bytes(pem.utf8).span)) ?? []).map(\.der)
  }
}

@Suite struct JudgeLimboTests {
  @Test(.enabled(if: !Limbo.cases.isEmpty))
  func `most x509-limbo cases match the expected result, and docs explain the others`() {
    var right = 0
    var wrong: [String] = []
    for test in Limbo.cases {
      let start = ContinuousClock.now
      let content = Limbo.judge(test)
      let duration = ContinuousClock.now - start
      let rules = Limbo.rules(for: test)
      let failing = rules.filter { content.outcome($0) == .fail }
      // Devices continue without revocation data; any other unknown outcome is not an acceptance.
      let open = rules.filter { content.outcome($0) == .unknown && $0 != "ATS-CERT-REVOKED" }
      let isTaken = failing.isEmpty && open.isEmpty
      if isTaken == (test.expected_result == "SUCCESS") {
        right += 1
      } else {
        let reasons =
          failing.map { $0 + ": " + (content[$0].observed ?? "") }
          + open.map { $0 + ": " + content[$0].notes.joined() }
        print("limbo: \(test.id): expected \(test.expected_result): \(reasons.joined(separator: "; "))")
        wrong.append(test.id)
      }
      #expect(duration < .seconds(1), "\(test.id)")
    }
    print("limbo: \(right) of \(Limbo.cases.count) right")
    #expect(right * 123 >= Limbo.cases.count * 92)
    let unexplained = wrong.filter { !Limbo.explained.contains($0) }
    #expect(unexplained.isEmpty, "not explained in docs/limbo.md: \(unexplained)")
    let outdated = Limbo.explained.subtracting(wrong)
    #expect(outdated.isEmpty, "explained in docs/limbo.md and judged as expected: \(outdated.sorted())")
  }
}
