import ATSEvaluation
import ATScope
import ByteParsing
import ExceptionPlanning
import Foundation
import SessionObservation
import Testing

@Suite struct RecommendationTests {
  static let captures: [String] = {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let files = FileManager.default.enumerator(atPath: root.path() + "captures")
    var found: [String] = []
    while let path = files?.nextObject() as? String {
      if path.hasSuffix(".pcap") || path.hasSuffix(".pcapng") {
        found.append(root.path() + "captures/" + path)
      }
    }
    return found.sorted()
  }()

  @Test func `the captures are there`() { #expect(RecommendationTests.captures.count > 100) }

  /// Audits under what is recommended and returns the sessions that fail though a key could allow them.
  private func allowableFailures(_ inputs: [String], _ release: String? = nil) throws -> [String] {
    let scratch = try Scratch()
    let recommendation = Recommendation(AuditOptions(inputs: inputs))
    let plist = try #require(recommendation.propertyList())
    var options = AuditOptions(inputs: inputs)
    try options.programs.add(try scratch.write("exceptions.plist", plist))
    #expect(options.programs.main?.ignored == [])
    let audited = Audit.run(options)
    let failedBefore = Set(
      Audit.run(AuditOptions(inputs: inputs)).sessions.filter { $0.verdict == .fail }.map(place))
    #expect(audited.sessions.count { $0.verdict == .fail } == recommendation.plan.counts.impossible)
    return audited.sessions.filter { judged in
      guard judged.verdict == .fail else { return false }
      if case .impossible? = judged.judgement.content.narrowestException { return false }
      // A refusal that showed nothing before may show something under a laxer policy.
      return failedBefore.contains(place(judged))
    }.map(place)
  }

  private func place(_ judged: JudgedSession) -> String {
    "\(judged.session.file) \(judged.session.firstFrame) \(judged.session.serverName ?? "")"
  }

  @Test(arguments: captures)
  func `the audit of a capture under what is recommended fails only where no key helps`(capture: String)
    throws
  {
    #expect(try allowableFailures([capture]) == [])
  }

  @Test func `the same holds of all captures at once`() throws {
    #expect(try allowableFailures(RecommendationTests.captures) == [])
  }

  @Test func `the matrix of every capture has nscurl's sixteen rows`() {
    let diagnosis = Diagnosis(AuditOptions(inputs: RecommendationTests.captures))
    #expect(diagnosis.hosts.allSatisfy { $0.rows.isEmpty || $0.rows.count == 16 })
    #expect(diagnosis.hosts.contains { !$0.rows.isEmpty })
    #expect(diagnosis.hosts.allSatisfy { $0.sessions + $0.otherSessions + $0.leftOut > 0 })
  }
}
