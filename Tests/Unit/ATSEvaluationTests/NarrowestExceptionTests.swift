import ATSEvaluation
import ATSEvidence
import ATSRules
import CertificateIssuing
import PolicyResolution
import SessionBuilding
import SessionModel
import TLSParsing
import Testing
import Values

@Suite struct NarrowestExceptionTests {
  private func exception(
    _ version: UInt16, _ suite: UInt16, _ dictionary: ATSDictionary? = nil, os: String = "ios26.5"
  ) -> NarrowestException? {
    judged(
      SessionBuilder {
        $0.version = version
        $0.suite = suite
      }.session, dictionary, os: os
    ).narrowestException
  }

  private func keys(_ keys: [String: NarrowestException.Value]) -> NarrowestException {
    .entry(host: "www.example.com", keys: keys)
  }

  private let secrecy = "NSExceptionRequiresForwardSecrecy"
  private let minimum = "NSExceptionMinimumTLSVersion"
  private let insecure = "NSExceptionAllowsInsecureHTTPLoads"
  private let niap = "NSExceptionRequiresNIAPTLSPackageVersion"

  @Test
  func `the narrowest exception that allows the session is proposed`() {
    #expect(exception(0x0303, 0xC02F) == nil)
    #expect(exception(0x0303, 0x009C) == keys([secrecy: .boolean(false)]))
    #expect(exception(0x0302, 0xC013) == keys([minimum: .string("TLSv1.1")]))
    #expect(exception(0x0301, 0xC013) == keys([minimum: .string("TLSv1.0")]))
    #expect(exception(0x0302, 0x002F) == keys([minimum: .string("TLSv1.1"), secrecy: .boolean(false)]))
    #expect(exception(0x0301, 0x002F) == keys([minimum: .string("TLSv1.0"), secrecy: .boolean(false)]))
    #expect(exception(0x0303, 0xC012) == keys([insecure: .boolean(true), secrecy: .boolean(false)]))
    #expect(
      exception(0x0301, 0x000A)
        == keys([insecure: .boolean(true), secrecy: .boolean(false), minimum: .string("TLSv1.0")]))
  }

  @Test
  func `an exception is impossible if no key allows the session, and the reason says so`() {
    for (version, suite) in [(UInt16(0x0300), UInt16(0xC013)), (0x0303, 0x0039), (0x0303, 0x0005)] {
      guard case .impossible(let obstacle)? = exception(version, suite) else {
        Issue.record("an exception for \(version) \(suite)")
        continue
      }
      #expect(obstacle.reason.hasPrefix("no key of NSAppTransportSecurity allows this: "))
    }
  }

  @Test
  func `an existing entry is changed and keeps its other keys`() {
    let has = entry("www.example.com", ExceptionSettings(requiresForwardSecrecy: false))
    #expect(exception(0x0301, 0x002F, has) == keys([minimum: .string("TLSv1.0")]))
    let raised = entry("www.example.com", ExceptionSettings(minimumTLSVersion: "TLSv1.3"))
    #expect(exception(0x0303, 0xC02F, raised) == keys([minimum: .string("TLSv1.2")]))
  }

  @Test
  func `a new entry lifts only those requirements of the parent entry that the session breaks`() {
    let raised = entry(
      "example.com", ExceptionSettings(minimumTLSVersion: "TLSv1.3"), includesSubdomains: true)
    #expect(exception(0x0303, 0xC02F, raised) == keys([minimum: .string("TLSv1.2")]))
    #expect(exception(0x0303, 0x009C, raised) == keys([secrecy: .boolean(false)]))
    #expect(exception(0x0302, 0xC013, raised) == keys([minimum: .string("TLSv1.1")]))
    var package = raised
    package.exceptionDomains[0].requiredNIAPPackage = .fcp2d1
    #expect(
      judged(SessionBuilder.http(host: "www.example.com"), package).narrowestException
        == keys([insecure: .boolean(true), minimum: .string("TLSv1.3"), niap: .string("FCP_v2.1")]))
    #expect(
      exception(0x0303, 0xC013, package) == keys([niap: .string("none")]))
  }

  @Test
  func `the host's own entry keeps no higher minimum beside another key`() {
    let own = entry("www.example.com", ExceptionSettings(minimumTLSVersion: "TLSv1.3"))
    #expect(exception(0x0303, 0x009C, own) == keys([minimum: .string("TLSv1.2"), secrecy: .boolean(false)]))
  }

  @Test(arguments: [("ios11", true), ("ios26.5", false)])
  func `a new entry copies NSRequiresCertificateTransparency only for a release that reads it`(os: String, isCopied: Bool) {
    var parent = entry("example.com", ExceptionSettings(), includesSubdomains: true)
    parent.exceptionDomains[0].requiresCertificateTransparency = true
    var expected: [String: NarrowestException.Value] = [secrecy: .boolean(false)]
    if isCopied { expected["NSRequiresCertificateTransparency"] = .boolean(true) }
    #expect(exception(0x0303, 0x009C, parent, os: os) == keys(expected))
  }

  @Test
  func `a new entry does not copy what the parent entry allows`() {
    let lax = ExceptionSettings(allowsInsecureHTTPLoads: true, minimumTLSVersion: "TLSv1.1", requiresForwardSecrecy: false)
    let parent = entry("example.com", lax, includesSubdomains: true)
    #expect(exception(0x0301, 0xC013, parent) == keys([minimum: .string("TLSv1.0")]))
    let version = entry("example.com", ExceptionSettings(minimumTLSVersion: "TLSv1.1"), includesSubdomains: true)
    #expect(exception(0x0303, 0x009C, version) == keys([secrecy: .boolean(false)]))
  }

  @Test
  func `a new entry for an address copies the requirements of its range`() {
    let range = entry("203.0.113.0/24", ExceptionSettings(minimumTLSVersion: "TLSv1.3"))
    #expect(
      judged(SessionBuilder.http(host: "203.0.113.7"), range).narrowestException
        == .entry(
          host: "203.0.113.7", keys: [insecure: .boolean(true), minimum: .string("TLSv1.3")]))
  }

  @Test
  func `exceptions for one host are merged into one that allows all its sessions`() {
    let package = keys([insecure: .boolean(true), minimum: .string("TLSv1.3"), niap: .string("FCP_v2.1")])
    let lifted = keys([minimum: .string("TLSv1.2"), niap: .string("none")])
    let all = keys([insecure: .boolean(true), minimum: .string("TLSv1.2"), niap: .string("none")])
    #expect(package.merged(with: lifted) == all)
    #expect(lifted.merged(with: package) == all)
    // Without a minimum, the entry has the default.
    let secrecyAlone = keys([secrecy: .boolean(false)])
    let both = keys([insecure: .boolean(true), secrecy: .boolean(false), niap: .string("FCP_v2.1")])
    #expect(package.merged(with: secrecyAlone) == both)
    #expect(secrecyAlone.merged(with: package) == both)
  }

  @Test
  func `the narrowest exception lifts a required NIAP package for the host`() {
    #expect(
      exception(0x0303, 0xC013, ATSDictionary(requiredNIAPPackage: .fcp2d1))
        == keys(["NSExceptionRequiresNIAPTLSPackageVersion": .string("none")]))
    #expect(
      exception(0x0302, 0x002F, ATSDictionary(requiredNIAPPackage: .fcp2d1))
        == keys([
          "NSExceptionRequiresNIAPTLSPackageVersion": .string("none"), minimum: .string("TLSv1.1"),
          secrecy: .boolean(false),
        ]))
  }

  @Test
  func `what keys could lift is impossible to allow for a host that no entry can name`() {
    func obstacle(_ host: String?, at time: String) -> NarrowestException.Obstacle? {
      let content = judged(
        SessionBuilder {
          $0.hasOffer = host != nil
          $0.host = host
          $0.source = host.map { _ in .sni }
          $0.suite = 0x009C
          $0.time = Timestamp(iso8601: time)
        }.session)
      guard case .impossible(let obstacle)? = content.narrowestException else { return nil }
      return obstacle
    }
    let hidden = obstacle(nil, at: "2026-02-01T12:00:00Z")
    #expect(hidden?.rules == [.forwardSecrecy])
    #expect(hidden?.unlistable == "the capture does not show")
    #expect(hidden?.reason.contains(", of a host that the capture does not show.") == true)
    // The host does not matter for a certificate that has expired.
    #expect(obstacle(nil, at: "2027-01-01T00:00:00Z")?.unlistable == .some(nil))
    #expect(obstacle("www.example.com", at: "2026-02-01T12:00:00Z") == nil)
  }

  @Test
  func `a certificate that also fails makes an exception impossible`() {
    let content = judged(
      SessionBuilder {
        $0.version = 0x0301
        $0.suite = 0xC013
        $0.time = Timestamp("2027-01-01T00:00:00Z")
      }.session)
    guard case .impossible(let obstacle)? = content.narrowestException else {
      Issue.record("an exception for an expired certificate")
      return
    }
    #expect(obstacle.reason.contains("the server certificate expired 2026-04-01"))
  }

  @Test(
    arguments: [(0x0303, 0x009E, true), (0x0301, 0x0033, true), (0x0301, 0xC013, false), (0x0303, 0x009C, false)]
      as [(UInt16, UInt16, Bool)])
  func `a suite that the system never offers is named along with a failing certificate`(version: UInt16, suite: UInt16, isNamed: Bool) {
    let content = judged(
      SessionBuilder {
        $0.version = version
        $0.suite = suite
        $0.time = Timestamp("2027-01-01T00:00:00Z")
      }.session)
    guard case .impossible(let obstacle)? = content.narrowestException, obstacle.mayHelp.isEmpty else {
      Issue.record("an exception for an expired certificate")
      return
    }
    #expect(obstacle.rules == (isNamed ? [.cipherSuite] : []) + [.certificateDates])
    #expect(obstacle.reason.contains("not allowed by ATS") == isNamed)
    #expect(obstacle.reason.contains("the server certificate expired 2026-04-01"))
  }
}
