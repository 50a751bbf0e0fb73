import CertificateIssuing
import Testing
import TrustEvaluation
import Values

/// The fault that constraints of a CA find in a path.
private func fault(
  _ change: (inout CertificateForm) -> Void, leaf changeLeaf: (inout CertificateForm) -> Void = { _ in }
) -> PathFault? {
  let root = Issued.root()
  let authority = root.authority("Test CA", change)
  let leaf = authority.leaf(changeLeaf)
  let evaluator = TrustEvaluator(TrustStore(systemRoots: .none, added: [root.der]))
  return evaluator.evaluate(chain(leaf, authority)).paths.first?.constraintFault
}

private func permitting(_ names: String...) -> [UInt8] {
  DER.element(0xA0, names.flatMap { DER.sequence(DER.element(0x82, Array($0.utf8))) })
}

private func excluding(_ names: String...) -> [UInt8] {
  DER.element(0xA1, names.flatMap { DER.sequence(DER.element(0x82, Array($0.utf8))) })
}

@Suite struct NameConstraintTests {
  @Test(arguments: [
    ("example.com", "www.example.com", true), ("example.com", "example.com", true),
    ("example.com", "EXAMPLE.com", true), ("example.com", "notexample.com", false),
    ("example.com", "example.org", false), ("www.example.com", "example.com", false),
    (".example.com", "www.example.com", true), (".example.com", "example.com", false),
    ("", "anything.test", true), ("example.com", "*.example.com", true),
    ("a.example.com", "*.example.com", false),
  ])
  func `a permitted tree holds its own name and those below it`(tree: String, name: String, isWithin: Bool) {
    let fault = fault({ $0.nameConstraints = permitting(tree) }, leaf: { $0.dnsNames = [name] })
    #expect((fault == nil) == isWithin)
    #expect(fault?.index ?? 0 == 0)
  }

  @Test(arguments: [
    ("example.com", "www.example.com", true), ("example.org", "www.example.com", false),
    ("bar.example.com", "*.example.com", true), ("bar.baz.example.com", "*.example.com", false),
  ])
  func `an excluded tree refuses its names, and a wildcard that stands for one`(
    tree: String, name: String, isRefused: Bool
  ) {
    let fault = fault({ $0.nameConstraints = excluding(tree) }, leaf: { $0.dnsNames = [name] })
    #expect((fault != nil) == isRefused)
  }

  @Test(arguments: [([192, 0, 2, 0, 255, 255, 255, 0], true), ([198, 51, 100, 0, 255, 255, 255, 0], false)])
  func `addresses are compared under their mask`(range: [UInt8], isWithin: Bool) {
    let constraint = DER.element(0xA0, DER.sequence(DER.element(0x87, range)))
    let fault = fault(
      { $0.nameConstraints = constraint }, leaf: { $0.addresses = [IPAddress(v4: 0xC000_0201)] })
    #expect((fault == nil) == isWithin)
  }

  @Test func `constraints that make no sense refuse the path`() {
    let odd = DER.element(0xA0, DER.sequence(DER.element(0x87, [192, 0, 2, 0])))
    #expect(fault { $0.nameConstraints = odd }?.index == 1)
    #expect(fault { $0.nameConstraints = [] }?.index == 1)
  }

  @Test func `directory names are compared part by part`() {
    let tree = DER.element(0xA0, DER.sequence(DER.element(0xA4, DER.name("www.example.com"))))
    #expect(fault { $0.nameConstraints = tree } == nil)
    let other = DER.element(0xA0, DER.sequence(DER.element(0xA4, DER.name("other"))))
    #expect(fault { $0.nameConstraints = other } != nil)
  }

  @Test func `constraints on other kinds of names say nothing about these`() {
    let mail = DER.element(0xA0, DER.sequence(DER.element(0x81, Array("example.org".utf8))))
    #expect(fault { $0.nameConstraints = mail } == nil)
  }

  @Test func `what cannot be compared in time refuses the path`() {
    let trees = DER.element(
      0xA1, (0..<2000).flatMap { DER.sequence(DER.element(0x82, Array("x\($0).test".utf8))) })
    let names = (0..<2000).map { "y\($0).example.com" }
    #expect(fault({ $0.nameConstraints = trees }, leaf: { $0.dnsNames = names }) != nil)
    #expect(fault({ $0.nameConstraints = trees }, leaf: { $0.dnsNames = Array(names.prefix(50)) }) == nil)
  }
}

@Suite struct PolicyConstraintTests {
  @Test func `a demanded policy has to be there from the CA to the leaf`() {
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
    #expect(
      fault({
        $0.requireExplicitPolicy = 3; $0.policies = policy
      }) == nil)
  }
}
