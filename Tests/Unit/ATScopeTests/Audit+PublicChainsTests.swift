import ATScope
import ATSEvaluation
import ByteParsing
import Foundation
import PolicyResolution
import TestFiles
import SessionModel
import SessionRecords
import Testing
import TrustEvaluation
import Values

/// Tests chains of public servers under the release of their time and under the newest one, with the roots and logs that the program
/// contains.
@Suite struct AuditPublicChainsTests {
  private static let folder = Repository.root.appending(path: "Tests/Unit/ATScopeTests/Chains")

  private func judge(
    _ file: String, _ host: String, at time: String, _ os: String?, anchors: TrustAnchors = .apple
  ) throws -> ChainRecord {
    var options = JudgingOptions()
    options.anchors = anchors
    if let os {
      options.assumptions.release = try SystemRelease(named: os)
    } else {
      options.assumptions.isReleaseAtSession = true
    }
    let path = AuditPublicChainsTests.folder.appending(path: file + ".pem").path()
    let at = try #require(Timestamp(iso8601: time))
    return try ChainQuery(path, host: host, at: at, under: options).run().record
  }

  private func trust(_ record: ChainRecord) throws -> Finding {
    try #require(record.findings.first { $0.id == "ATS-CERT-TRUST" })
  }

  @Test(arguments: [
    ("google-2017", "upload.youtube.com", "2017-11-19T12:00:00Z", "iOS 11.1"),
    ("symantec-2017", "xp.apple.com", "2018-04-10T12:00:00Z", "iOS 11.3"),
    ("lets-encrypt-2019", "sourceforge.net", "2019-08-07T12:00:00Z", "iOS 12.4"),
  ])
  func `a chain to a removed root passes under the release of its time and fails under the newest`(
    file: String, host: String, time: String, release: String
  ) throws {
    let then = try judge(file, host, at: time, nil)
    #expect(then.verdict == .pass)
    #expect(then.trust?.anchorClass == .system)
    #expect(then.roots?.kind == .apple)
    let version = try #require(then.roots?.version)
    #expect(then.rootsName == "Apple, \(release) (store \(version))")
    #expect(try trust(then).notes == ["iOS 26.5 no longer trusts this root."])
    let now = try judge(file, host, at: time, "ios26.5")
    #expect(now.verdict == .fail)
    #expect(now.roots?.version == "2025072000")
    #expect(now.rootsName == "Apple, iOS 26.5 (store 2025072000)")
    let finding = try trust(now)
    #expect(finding.outcome == .fail)
    #expect(finding.notes.contains { $0.hasPrefix(release) && $0.contains("--os at-session") })
  }

  @Test(arguments: [
    ("lets-encrypt-2023", "hobbeach.com", "2023-11-01T12:00:00Z"),
    ("amazon-2019", "www.amazon.com", "2019-08-07T12:00:00Z"),
    ("entrust-2019", "a.pandion.viasat.com", "2019-09-28T12:00:00Z"),
  ])
  func `a chain to a root of both stores passes under both releases, with verified SCTs`(
    file: String, host: String, time: String
  ) throws {
    for os in [nil, "ios26.5"] {
      let record = try judge(file, host, at: time, os)
      #expect(record.verdict == .pass)
      #expect(record.trust?.sctsVerified == true)
      let transparency = try #require(record.findings.first { $0.id == "ATS-CT" })
      #expect(transparency.outcome == .pass)
      #expect(transparency.observed?.hasPrefix("valid embedded SCTs") == true)
      #expect(try trust(record).notes.isEmpty)
    }
  }

  @Test func `the path names a root that is not in the file`() throws {
    let path = AuditPublicChainsTests.folder.appending(path: "amazon-2019.pem").path()
    let at = try #require(Timestamp(iso8601: "2019-08-07T12:00:00Z"))
    let result = try ChainQuery(path, host: "www.amazon.com", at: at).run()
    let text = String(decoding: result.rendered(.text, width: 200, useColor: false), as: UTF8.self)
    let root = try #require(result.record.trust?.path.last?.title)
    #expect(text.contains(" ← \(root) (not in the file), anchor: system"))
  }

  @Test func `the text names the settings, and why the chain is exempt`() throws {
    let path = AuditPublicChainsTests.folder.appending(path: "amazon-2019.pem").path()
    let at = try #require(Timestamp(iso8601: "2019-08-07T12:00:00Z"))
    func text(_ policies: AppPolicies) throws -> String {
      var options = JudgingOptions()
      options.programs = policies
      let result = try ChainQuery(path, host: "www.amazon.com", at: at, under: options).run()
      return String(decoding: result.rendered(.text, width: 200, useColor: false), as: UTF8.self)
    }
    #expect(try text(AppPolicies()).contains("Policy: iOS 26.5, ATS defaults (no Info.plist), requests by app code"))
    #expect(try text(AppPolicies()).contains("To settle: add --revocations FILE"))
    let loose = try text(AppPolicies(AppPolicy(settings: ["NSAllowsArbitraryLoads": true])))
    #expect(loose.contains("EXEMPT"))
    #expect(loose.contains("Exempt: "))
  }

  @Test func `a new root is trusted from its first release on`() throws {
    let time = "2023-11-01T12:00:00Z"
    let old = try judge("lets-encrypt-2023", "hobbeach.com", at: time, "ios9")
    #expect(try trust(old).outcome == .fail)
    #expect(try trust(old).observed?.contains("ISRG Root X1") == true)
    #expect(try trust(old).notes.contains("iOS 26.5 trusts this chain: the chain ends at ISRG Root X1."))
    // iOS 10 has the store of macOS 10.12, which does not contain the root; that of macOS 10.12.1 does.
    #expect(try trust(judge("lets-encrypt-2023", "hobbeach.com", at: time, "ios10")).outcome == .fail)
    #expect(try trust(judge("lets-encrypt-2023", "hobbeach.com", at: time, "macos10.12.1")).outcome == .pass)
    #expect(try trust(judge("lets-encrypt-2023", "hobbeach.com", at: time, "ios11")).outcome == .pass)
  }

  @Test(arguments: [
    ("2014-01-01T00:00:00Z", "ios9"), ("2015-09-16T00:00:00Z", "ios9"), ("2016-09-12T23:59:59Z", "ios9.3"),
    ("2016-09-13T00:00:00Z", "ios10"), ("2025-09-20T00:00:00Z", "ios26"), ("2030-01-01T00:00:00Z", "ios26.5"),
  ])
  func `the release at a time is the newest one published by then, at least iOS 9`(time: String, name: String) throws {
    let at = try #require(Timestamp(iso8601: time))
    #expect(SystemRelease.current { at >= $0 }.name == name)
    #expect(SystemRelease.current { _ in nil } == .newest)
  }

  @Test func `an intermediate that an earlier session shows counts for every release`() throws {
    let pem = try String(contentsOf: AuditPublicChainsTests.folder.appending(path: "lets-encrypt-2019.pem"), encoding: .utf8)
    let certificates = pem.components(separatedBy: "-----BEGIN CERTIFICATE-----").dropFirst().compactMap { part in
      Data(base64Encoded: part.components(separatedBy: "-----END")[0], options: .ignoreUnknownCharacters).map {
        ObservedCertificate(parsing: Bytes($0).span)
      }
    }
    #expect(certificates.count >= 2)
    let options = AuditOptions(paths: [Repository.path("captures/tls12/ecdhe-rsa-gcm.pcap")])
    var session = try #require(Audit(options).run().sessions.first?.session)
    session.start = Timestamp(iso8601: "2019-08-07T12:00:00Z")
    session.captureNumber = 1
    var judge = Judge(evaluator: TrustEvaluator(TrustStore(systemRoots: .apple)))
    // The first session shows the intermediate, and the second one lacks it.
    let findings = try [certificates, Array(certificates.prefix(1))].map { chain in
      session.sharedTLS?.chain = CertificateChain(chain, isComplete: true)
      return try #require(judge.judge(session).findings.first { $0.id == "ATS-CERT-TRUST" })
    }
    #expect(findings[0].notes.contains { $0.hasPrefix("iOS 12.4") && $0.contains("--os at-session") })
    #expect(findings[1].observed == findings[0].observed)
    #expect(findings[1].notes.contains { $0.hasPrefix("iOS 12.4") })
  }

  @Test func `with --os at-session each session is judged under the release of its time`() throws {
    var options = AuditOptions(paths: [Repository.path("captures/tls12/ecdhe-rsa-gcm.pcap")])
    options.judging.assumptions.isReleaseAtSession = true
    let session = try #require(Audit(options).run().sessions.first?.session)
    var judge = Judge(assumptions: options.judging.assumptions)
    let times = ["2015-01-01", "2017-01-01", "2015-02-01", "2019-01-01", "2017-01-02", "2026-11-01"]
    let names = times.map { day in
      var copy = session
      copy.start = Timestamp(iso8601: day + "T00:00:00Z")
      return judge.judge(copy).policy.release.name
    }
    #expect(names == ["ios9", "ios10.2", "ios9", "ios12.1", "ios10.2", "ios26.5"])
  }
}
