import ByteParsing
import CertificateIssuing
import TestBytes
import Testing
import TrustEvaluation

@Suite struct PolicyCheckTests {
  @Test func `requireExplicitPolicy requires a policy that is valid from the CA to the leaf`() {
    let policy = ["1.2.3.4"]
    #expect(
      fault(
        {
          $0.requireExplicitPolicy = 0; $0.policies = policy
        }, leaf: { $0.policies = policy }) == nil)
    #expect(
      fault({
        $0.requireExplicitPolicy = 0; $0.policies = policy
      })?.index == 0)
    #expect(
      fault(
        {
          $0.requireExplicitPolicy = 0; $0.policies = policy
        }, leaf: { $0.policies = ["1.2.3.5"] }) != nil)
    #expect(
      fault(
        {
          $0.requireExplicitPolicy = 0; $0.policies = ["2.5.29.32.0"]
        }, leaf: { $0.policies = policy }) == nil)
  }

  /// The leaf counts too (RFC 5280 §6.1.5 a), as in the path validation test suite of NIST.
  @Test(arguments: [(0, true), (1, true), (2, false), (3, false)])
  func `requireExplicitPolicy applies after that many certificates, counting the leaf`(limit: UInt8, isRefused: Bool) {
    let fault = fault({
      $0.requireExplicitPolicy = limit
      $0.policies = ["1.2.3.4"]
    })
    #expect((fault != nil) == isRefused)
    #expect(fault?.index ?? 0 == 0)
  }

  @Test(arguments: [
    ("1.2.3.4", "1.2.3.5", true), ("2.5.29.32.0", "1.2.3.5", false), ("1.2.3.4", "2.5.29.32.0", false),
  ])
  func `a policy mapping from or to anyPolicy rejects the path`(from issuer: String, to subject: String, isAllowed: Bool) {
    let fault = fault({ $0.moreExtensions = [mapping(from: issuer, to: subject)] })
    #expect((fault == nil) == isAllowed)
    #expect(fault?.index ?? 1 == 1)
  }

  /// Identifiers made from UUIDs have arcs of up to 128 bits.
  @Test(arguments: ["1.2.3.5", "1.2.9223372036854775808"])
  func `a policy mapping makes a policy of the CA valid as another one of the leaf`(policy: String) {
    #expect(
      fault(
        {
          $0.requireExplicitPolicy = 0
          $0.policies = ["1.2.3.4"]
          $0.moreExtensions = [mapping(from: "1.2.3.4", to: policy)]
        }, leaf: { $0.policies = [policy] }) == nil)
  }

  private func mapping(from issuer: String, to subject: String) -> Bytes {
    DER.certificateExtension("2.5.29.33", critical: true, DER.sequence(DER.sequence(DER.oid(issuer), DER.oid(subject))))
  }

  @Test func `requireExplicitPolicy of a leaf applies to the leaf itself`() {
    let limit = DER.certificateExtension("2.5.29.36", critical: true, DER.sequence([0x80, 0x01, 0x00]))
    #expect(fault({ _ in }, leaf: { $0.moreExtensions = [limit] })?.index == 0)
    #expect(
      fault(
        { $0.policies = ["1.2.3.4"] },
        leaf: {
          $0.moreExtensions = [limit]
          $0.policies = ["1.2.3.4"]
        }) == nil)
  }
}
