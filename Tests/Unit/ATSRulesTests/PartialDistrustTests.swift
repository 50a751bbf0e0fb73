import ATSEvaluation
import ATSRules
import ByteParsing
import CertificateIssuing
import PolicyResolution
import SessionBuilding
import SessionModel
import Testing
import TrustEvaluation
import Values

/// The ATS-CERT-TRUST finding for a leaf below a root of this organization, by default a system root.
private func finding(
  organization: String, ca: String = "Test CA", caFrom: String = "2010-01-01T00:00:00Z", os: String,
  at time: String = "2026-02-01T12:00:00Z",
  trustedAs isSystem: Bool = true, _ leaf: (inout CertificateForm) -> Void
) throws -> Finding {
  let root = Issued.root("Example Root") { form in
    form.subjectOrganization = organization
    form.notBefore = Timestamp("2010-01-01T00:00:00Z")
  }
  let authority = root.authority(ca) { $0.notBefore = Timestamp(caFrom) }
  let end = authority.leaf(leaf)
  let session = SessionBuilder { builder in
    builder.certificates = [end, authority].map(\.observed)
    builder.time = Timestamp(iso8601: time)
  }.session
  var assumptions = JudgingAssumptions()
  assumptions.release = try SystemRelease(named: os)
  let store =
    isSystem
    ? TrustStore(systemRoots: .file, system: [root.der]) : TrustStore(systemRoots: .none, added: [root.der])
  var judge = Judge(assumptions: assumptions, evaluator: TrustEvaluator(store))
  return judge.judge(session)["ATS-CERT-TRUST"]
}

@Suite struct PartialDistrustTests {
  @Test(arguments: [
    ("Entrust, Inc.", "ios26.5", "2024-11-16T00:00:00Z", false),
    ("Entrust, Inc.", "ios26.5", "2024-11-15T23:59:59Z", true),
    ("Entrust, Inc.", "ios18.2", "2024-11-16T00:00:00Z", false),
    ("Entrust, Inc.", "macos15.2", "2024-11-16T00:00:00Z", false),
    ("Entrust, Inc.", "watchos11.2", "2024-11-16T00:00:00Z", false),
    ("Entrust, Inc.", "ios18.1", "2024-11-16T00:00:00Z", true),
    ("Entrust, Inc.", "macos15.1", "2024-11-16T00:00:00Z", true),
    ("Entrust.net", "ios26.5", "2025-01-01T00:00:00Z", false),
    ("AffirmTrust", "ios26.5", "2025-01-01T00:00:00Z", false),
    ("Entrust Datacard", "ios26.5", "2025-01-01T00:00:00Z", true),
  ])
  func `the earliest SCT decides whether a leaf below an Entrust root is trusted`(
    organization: String, os: String, logged: String, isTrusted: Bool
  ) throws {
    let first = try #require(Timestamp(iso8601: logged))
    let finding = try finding(organization: organization, os: os) { form in
      form.scts = [(1, Timestamp("2026-01-01T00:00:00Z")), (2, first)]
    }
    #expect(finding.outcome == (isTrusted ? .pass : .fail))
    if !isTrusted {
      #expect(finding.notes.contains { $0.contains("assumption") })
      #expect(finding.notes.contains("Required since iOS 18.2 and macOS 15.2."))
    }
  }

  @Test func `an added root with Entrust's name and a leaf without SCTs are trusted`() throws {
    let time = Timestamp("2026-01-01T00:00:00Z")
    #expect(
      try finding(organization: "Entrust, Inc.", os: "ios26.5", trustedAs: false) { $0.scts = [(1, time)] }
        .outcome
        == .pass)
    #expect(try finding(organization: "Entrust, Inc.", os: "ios26.5") { _ in }.outcome == .pass)
  }

  @Test(arguments: [
    ("StartCom Ltd.", "ios10.1.1", "2016-12-01T00:00:00Z", false),
    ("StartCom Ltd.", "ios10.1", "2016-12-01T00:00:00Z", true),
    ("StartCom Ltd.", "macos10.12.1", "2016-12-01T00:00:00Z", false),
    ("StartCom Ltd.", "ios11", "2016-11-30T23:59:59Z", true),
    ("WoSign CA Limited", "ios11", "2017-01-01T00:00:00Z", false),
    ("Other CA", "ios11", "2017-01-01T00:00:00Z", true),
  ])
  func `notBefore decides whether a leaf below StartCom or WoSign is trusted`(
    organization: String, os: String, from: String, isTrusted: Bool
  ) throws {
    let notBefore = try #require(Timestamp(iso8601: from))
    let finding = try finding(organization: organization, os: os, at: "2017-02-01T00:00:00Z") { form in
      form.notBefore = notBefore
      form.notAfter = Timestamp("2017-12-01T00:00:00Z")
    }
    #expect(finding.outcome == (isTrusted ? .pass : .fail))
    if !isTrusted { #expect(finding.notes.contains("Required since iOS 10.1.1 and macOS 10.12.1.")) }
  }

  @Test(arguments: [("2016-12-01T00:00:00Z", false), ("2016-11-30T23:59:59Z", true)])
  func `notBefore of an intermediate below StartCom decides too`(from: String, isTrusted: Bool) throws {
    let finding = try finding(organization: "StartCom Ltd.", caFrom: from, os: "ios11", at: "2017-02-01T00:00:00Z") { form in
      form.notBefore = Timestamp("2016-01-01T00:00:00Z")
      form.notAfter = Timestamp("2017-12-01T00:00:00Z")
    }
    #expect(finding.outcome == (isTrusted ? .pass : .fail))
    if !isTrusted { #expect(finding.observed?.hasSuffix("; the certificate of Test CA is from 2016-12-01") == true) }
  }

  @Test(arguments: [("ios10.1.1", false), ("ios10", true)])
  func `one WoSign intermediate is distrusted since iOS 10_1_1, whatever the leaf's date`(os: String, isTrusted: Bool) throws {
    let finding = try finding(
      organization: "StartCom Ltd.", ca: "WoSign CA Free SSL Certificate G2", os: os,
      at: "2016-11-01T00:00:00Z"
    ) { form in
      form.notBefore = Timestamp("2016-01-01T00:00:00Z")
      form.notAfter = Timestamp("2017-12-01T00:00:00Z")
    }
    #expect(finding.outcome == (isTrusted ? .pass : .fail))
  }
}
