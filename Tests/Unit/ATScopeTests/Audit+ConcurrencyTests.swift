import ATScope
import ByteParsing
import Testing

/// Tests audits in several concurrent tasks; `make test-threads` runs them under the thread sanitizer.
@Suite struct AuditConcurrencyTests {
  private static let captures = [
    "captures/demo/demo.pcapng", "captures/tls12/ecdhe-rsa-gcm.pcap", "captures/tls10/static-rsa.pcap",
    "captures/variants/hosts/several-hosts.pcap",
  ]

  private static func options(_ capture: String) throws -> AuditOptions {
    var options = AuditOptions(paths: [capture])
    options.judging.anchors = try TrustAnchors(added: ["captures/anchors/example-ca.pem"])
    return options
  }

  /// The results of an audit, a report and a plan of a capture.
  private static func results(_ options: AuditOptions) throws -> [String] {
    var report = ReportOptions()
    report.format = .json
    var output = Bytes()
    _ = Audit(options).write(report) { output += $0 }
    let sessions = try Audit(options).sessions().map { "\($0.session.serverName ?? "") \($0.verdict)" }
    return sessions
      + [output, Recommendation(options).run().json()].map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `results can be sent out of the task that created them`() async throws {
    let options = try Self.options(Self.captures[0])
    let audited = await Task { Audit(options).run() }.value
    #expect(audited.sessions.count == Audit(options).run().sessions.count)
    let missing = await Task { MissingChains(options).run() }.value
    #expect(missing.json() == MissingChains(options).run().json())
  }

  @Test func `concurrent audits have the same results as sequential ones`() async throws {
    let expected = try Self.captures.map { try Self.results(try Self.options($0)) }
    #expect(expected.allSatisfy { $0.count > 2 })
    // The same options in several tasks, and several tasks for each of the captures.
    let options = try Self.captures.map(Self.options)
    try await withThrowingTaskGroup(of: (Int, [String]).self) { group in
      for round in 0..<12 {
        let index = round % Self.captures.count
        group.addTask { (index, try Self.results(options[index])) }
      }
      for try await (index, results) in group { #expect(results == expected[index]) }
    }
  }
}
