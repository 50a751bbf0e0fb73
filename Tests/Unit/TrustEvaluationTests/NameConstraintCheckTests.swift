import ByteParsing
import CertificateIssuing
import TestBytes
import Testing
import TrustEvaluation
import Values

/// Returns the constraint fault in the path of a leaf and a CA that these closures change.
func fault(
  _ change: (inout CertificateForm) -> Void, leaf changeLeaf: (inout CertificateForm) -> Void = { _ in }
) -> PathFault? {
  let root = Issued.root()
  let authority = root.authority("Test CA", change)
  let leaf = authority.leaf(changeLeaf)
  let evaluator = TrustEvaluator(TrustStore(systemRoots: .none, added: [root.der]))
  return evaluator.evaluate(chain(leaf, authority)).paths.first?.constraintFault
}

@Suite struct NameConstraintCheckTests {
  @Test(arguments: [
    ("example.com", "www.example.com", true), ("example.com", "example.com", true),
    ("example.com", "EXAMPLE.com", true), ("example.com", "notexample.com", false),
    ("example.com", "example.org", false), ("www.example.com", "example.com", false),
    (".example.com", "www.example.com", true), (".example.com", "example.com", false),
    ("", "anything.test", false), ("example.com", "*.example.com", true),
    ("a.example.com", "*.example.com", false),
  ])
  func `a permitted subtree holds its name and subdomains, with a leading dot only subdomains`(tree: String, name: String, isWithin: Bool) {
    let fault = fault({ $0.nameConstraints = CertificateForm.subtrees(0xA0, tree) }, leaf: { $0.dnsNames = [name] })
    #expect((fault == nil) == isWithin)
    #expect(fault?.index ?? 0 == 0)
  }

  @Test(arguments: [
    (["example.com"], ["a.example.com"], "b.example.com", false), (["example.com"], ["a.example.com"], "x.a.example.com", true),
    (["a.example.com"], ["example.com"], "b.example.com", false), (["a.example.com"], ["example.com"], "a.example.com", true),
    (["example.com"], ["example.org"], "www.example.org", true), (["example.com"], ["example.org"], "www.example.com", true),
    (["example.com", "example.net"], ["example.com"], "www.example.net", true), (["example.com"], ["example.org"], "a.test", false),
  ])
  func `permitted subtrees of a further CA replace those around them and add to the others`(
    upper: [String], lower: [String], name: String, isAllowed: Bool
  ) {
    func permitted(_ trees: [String]) -> Bytes { DER.element(0xA0, Bytes(trees.flatMap { DER.sequence(DER.string(0x82, $0)) })) }
    let root = Issued.root()
    let first = root.authority("First CA") { $0.nameConstraints = permitted(upper) }
    let second = first.authority("Second CA") { $0.nameConstraints = permitted(lower) }
    let leaf = second.leaf { $0.dnsNames = [name] }
    let evaluator = TrustEvaluator(TrustStore(systemRoots: .none, added: [root.der]))
    let paths = evaluator.evaluate(chain(leaf, second, first)).paths
    #expect(paths.count == 1)
    #expect((paths.first?.constraintFault == nil) == isAllowed)
  }

  @Test(arguments: [
    ("example.com", "www.example.com", true), ("example.org", "www.example.com", false),
    ("bar.example.com", "*.example.com", false), ("example.com", "*.example.com", true), ("example.com", "*.bar.example.com", true),
    ("", "www.example.com", false),
  ])
  func `an excluded subtree rejects its names, and wildcards only if they are below it`(
    tree: String, name: String, isRefused: Bool
  ) {
    let fault = fault({ $0.nameConstraints = CertificateForm.subtrees(0xA1, tree) }, leaf: { $0.dnsNames = [name] })
    #expect((fault != nil) == isRefused)
  }

  @Test(arguments: [([192, 0, 2, 0, 255, 255, 255, 0], true), ([198, 51, 100, 0, 255, 255, 255, 0], false)] as [(Bytes, Bool)])
  func `IP addresses are compared under the mask of the constraint`(range: Bytes, isWithin: Bool) {
    let constraint = DER.element(0xA0, DER.sequence(DER.element(0x87, range)))
    let fault = fault(
      { $0.nameConstraints = constraint }, leaf: { $0.addresses = [IPAddress(v4: 0xC000_0201)] })
    #expect((fault == nil) == isWithin)
  }

  @Test(arguments: [
    ("example.com", true), ("example.org", false), ("a@example.com", true), ("a@EXAMPLE.com", true),
    ("A@example.com", true), ("b@example.com", false), (".example.com", false),
  ])
  func `the subject's email address counts, whether or not the subjectAltName contains an rfc822Name`(
    tree: String, isWithin: Bool
  ) {
    let constraint = DER.element(0xA0, DER.sequence(DER.string(0x81, tree)))
    let inSubject = fault({ $0.nameConstraints = constraint }, leaf: { $0.subjectMailbox = "a@example.com" })
    #expect((inSubject == nil) == isWithin)
    #expect(fault({ $0.nameConstraints = constraint }) == nil)
    let names = DER.certificateExtension(
      "2.5.29.17", DER.sequence(DER.string(0x81, "a@example.com")))
    func besides(_ mailbox: String?) -> PathFault? {
      TrustEvaluationTests.fault(
        { $0.nameConstraints = constraint },
        leaf: { form in
          form.subjectMailbox = mailbox
          form.dnsNames = nil
          form.moreExtensions = [names]
        })
    }
    #expect((besides(nil) == nil) == isWithin)
    #expect((besides("a@example.com") == nil) == isWithin)
    #expect(besides("b@elsewhere.test") != nil)
  }

  @Test func `malformed name constraints reject the path`() {
    let odd = DER.element(0xA0, DER.sequence(DER.element(0x87, [192, 0, 2, 0])))
    #expect(fault { $0.nameConstraints = odd }?.index == 1)
    #expect(fault { $0.nameConstraints = [] }?.index == 1)
    #expect(fault { $0.nameConstraints = CertificateForm.subtrees(0xA1, "*.example.org") }?.index == 1)
  }

  @Test(
    arguments: [
      ([255, 255, 255, 0], true), ([255, 255, 255, 255], true), ([0, 0, 0, 0], true), ([255, 128, 0, 0], true),
      ([255, 0, 255, 0], false), ([254, 255, 0, 0], false), ([255, 127, 0, 0], false), ([0, 0, 0, 1], false),
      ([129, 0, 0, 0], false),
    ] as [(Bytes, Bool)])
  func `an IP address constraint requires a contiguous CIDR mask`(mask: Bytes, isTaken: Bool) {
    let range = DER.element(0xA1, DER.sequence(DER.element(0x87, [10, 0, 0, 0] + mask)))
    #expect((fault { $0.nameConstraints = range } == nil) == isTaken)
  }

  @Test(
    arguments: [
      (0x0C, "Example", "www.example.com", true), (0x0C, "Example", "", false), (0x0C, "Other", "www.example.com", false),
      (0x0C, "EXAMPLE", "www.example.com", false), (0x13, "Example", "www.example.com", false),
    ] as [(UInt8, String, String, Bool)])
  func `a directoryName is within a constraint that it begins with and does not equal`(
    tag: UInt8, organization: String, subject: String, isWithin: Bool
  ) {
    let tree = DER.sequence(DER.element(0x31, DER.sequence(DER.oid("2.5.4.10"), DER.string(tag, organization))))
    let name = subject.isEmpty ? tree : DER.name(subject, organization: "Example")
    let names = DER.certificateExtension("2.5.29.17", DER.sequence(DER.string(0x82, "a.test"), DER.element(0xA4, name)))
    func fault(under list: UInt8) -> PathFault? {
      TrustEvaluationTests.fault(
        { $0.nameConstraints = DER.element(list, DER.sequence(DER.element(0xA4, tree))) },
        leaf: { form in
          form.subjectOrganization = "Example"
          form.dnsNames = nil
          form.moreExtensions = [names]
        })
    }
    let isSubjectWithin = (tag, organization) == (0x0C, "Example")
    #expect((fault(under: 0xA0) == nil) == isWithin)
    #expect((fault(under: 0xA1) == nil) == (!isWithin && !isSubjectWithin))
  }

  /// Neither otherName nor registeredID can be compared.
  @Test(arguments: [(0xA0, 0xA0, true), (0xA0, 0x88, false), (0xA1, 0xA0, false)] as [(UInt8, UInt8, Bool)])
  func `a permitted subtree of a form that cannot be compared rejects every name of that form`(list: UInt8, tag: UInt8, isRefused: Bool) {
    let other = DER.element(0xA0, DER.oid("1.2.3"), DER.element(0xA0, DER.string(0x0C, "a")))
    let registered = DER.element(0x88, [0x2A, 0x03])
    let names = DER.certificateExtension("2.5.29.17", DER.sequence(DER.string(0x82, "a.test"), tag == 0xA0 ? other : registered))
    let fault = fault(
      { $0.nameConstraints = DER.element(list, DER.sequence(other)) },
      leaf: { form in
        form.dnsNames = nil
        form.moreExtensions = [names]
      })
    #expect(fault?.index == (isRefused ? 0 : nil))
  }

  @Test func `a constraint on email addresses does not affect DNS names`() {
    let mail = DER.element(0xA0, DER.sequence(DER.string(0x81, "example.org")))
    #expect(fault { $0.nameConstraints = mail } == nil)
  }

  @Test(arguments: [
    ("example.com", "https://example.com/x", true), ("example.com", "https://EXAMPLE.com", true),
    ("example.com", "https://www.example.com/", false), (".example.com", "ldap://www.example.com:389", true),
    (".example.com", "https://example.com/", false), (".example.com", "https://u@x:y@a.example.com?q", false),
    ("example.com", "https://example.com.evil.org/", true), ("example.com", "https://192.0.2.1/", false),
    (".example.com", "https://.example.com/", false), ("192.0.2.1", "https://192.0.2.1/", true),
    ("example.com", "https://[2001:db8::1]/", false), ("example.com", "urn:example.com", false),
    ("example.com", "https:///example.com", false), ("example.com", "example.com", false),
    ("example.com", "https://evil.org/@example.com", false), ("EXAMPLE.com", "https://example.com#a", true),
  ])
  func `a URI constraint is compared with what the system takes for the host of the URI`(tree: String, resource: String, isWithin: Bool) {
    func constraint(_ tag: UInt8) -> Bytes {
      DER.element(tag, DER.sequence(DER.string(0x86, tree)))
    }
    let names = DER.certificateExtension(
      "2.5.29.17",
      DER.sequence(DER.string(0x82, "a.test"), DER.string(0x86, resource)))
    func fault(under tag: UInt8) -> PathFault? {
      TrustEvaluationTests.fault(
        { $0.nameConstraints = constraint(tag) },
        leaf: { form in
          form.dnsNames = nil
          form.moreExtensions = [names]
        })
    }
    #expect((fault(under: 0xA0) == nil) == isWithin)
    #expect((fault(under: 0xA1) == nil) == !isWithin)
  }

  @Test func `a path that needs too many name comparisons is rejected`() {
    let trees = DER.element(
      0xA1, Bytes((0..<2000).flatMap { DER.sequence(DER.string(0x82, "x\($0).test")) }))
    let names = (0..<2000).map { "y\($0).example.com" }
    #expect(fault({ $0.nameConstraints = trees }, leaf: { $0.dnsNames = names }) != nil)
    #expect(fault({ $0.nameConstraints = trees }, leaf: { $0.dnsNames = Array(names.prefix(50)) }) == nil)
  }
}
