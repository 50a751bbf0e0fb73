import ATSEvaluation
import ByteParsing
import CertificateParsing
import Foundation
import PolicyResolution
import Revocation
import SessionObservation
import Testing
import TrustEvaluation
import Values

/// The server cases of x509-limbo, where they lie beside the project (`make corpus`; `docs/limbo.md`).
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

  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static let file = root.appending(path: "../shared/x509-limbo/limbo-server.json")

  static let cases: [Case] =
    (try? JSONDecoder().decode(Suite.self, from: Data(contentsOf: file)))?.testcases ?? []

  /// The cases that `docs/limbo.md` explains, by their identifiers.
  static let explained: Set<String> = {
    let text = (try? String(contentsOf: root.appending(path: "docs/limbo.md"), encoding: .utf8)) ?? ""
    return Set(text.split(separator: "`").map(String.init).filter { $0.contains("::") })
  }()

  /// The rules whose failure counts; the others are Apple's own.
  static let rules = [
    "ATS-CERT-TRUST", "ATS-CERT-CHAIN", "ATS-CERT-HOST", "ATS-CERT-SAN", "ATS-CERT-EKU", "ATS-CERT-DATES",
    "ATS-CERT-REVOKED",
  ]

  static func judge(_ test: Case) -> Judgement.Content {
    var facts = SharedFacts()
    let chain = ([test.peer_certificate] + test.untrusted_intermediates).flatMap(certificates).map {
      facts.certificate($0.span)
    }
    let session = SessionBuilder { builder in
      builder.certificates = chain
      builder.host = test.expected_peer_name?.value
      // Cases without a time ask for the present one; any would do, and this one does not move.
      builder.time = Timestamp(test.validation_time ?? "2026-04-01T00:00:00Z")
      if test.expected_peer_name?.kind == "IP", let address = IPAddress(test.expected_peer_name?.value ?? "")
      {
        builder.address = address
        builder.source = .connect
      }
    }.session
    // The suite counts intermediates; leaf and anchor come on top.
    var judge = Judge(
      dictionary: nil, assumptions: JudgingAssumptions(),
      evaluator: TrustEvaluator(
        TrustStore(systemRoots: .none, added: test.trusted_certs.flatMap(certificates)),
        pathLengthLimit: test.max_chain_depth.map { $0 + 2 }),
      status: StatusEvidence(revocations: test.crls.flatMap(revocations)), cacheLimit: 1)
    return judge.judge(session).content
  }

  static func revocations(_ pem: String) -> [RevocationSource] {
    (try? RevocationSource.read(Bytes(pem.utf8).span)) ?? []
  }

  static func certificates(_ pem: String) -> [Bytes] {
    ((try? PEMBlock.read(Bytes(pem.utf8).span)) ?? []).map(\.der)
  }
}

@Suite struct LimboTests {
  @Test(.enabled(if: !Limbo.cases.isEmpty))
  func `four fifths of the cases are judged as expected, and what is accepted wrongly is explained`() {
    var right = 0
    var unexplained: [String] = []
    for test in Limbo.cases {
      let start = ContinuousClock.now
      let content = Limbo.judge(test)
      let seconds = Double((ContinuousClock.now - start).components.seconds)
      let failing = Limbo.rules.filter { content.outcome($0) == .fail }
      let isRefused = !failing.isEmpty
      let isRight = isRefused == (test.expected_result == "FAILURE")
      if isRight {
        right += 1
      } else {
        let notes = Limbo.rules.flatMap { rule in
          content.outcome(rule) == .unknown ? [rule + ": " + content[rule].notes.joined()] : []
        }
        let reasons = failing.map { $0 + ": " + (content[$0].observed ?? "") } + notes
        print("limbo: \(test.id): expected \(test.expected_result): \(reasons.joined(separator: "; "))")
        if !Limbo.explained.contains(test.id) { unexplained.append(test.id) }
      }
      #expect(seconds < 1, "\(test.id)")
    }
    print("limbo: \(right) of \(Limbo.cases.count) right, \(unexplained.count) not explained")
    #expect(right * 5 >= Limbo.cases.count * 4)
    #expect(unexplained.isEmpty, "not explained in docs/limbo.md: \(unexplained)")
  }
}
