import ByteParsing
import CertificateIssuing
import CertificateParsing
import SeededRandom
import SessionModel
import Testing
@testable import TrustEvaluation
import Values

/// Evaluates a chain with the given system roots and added anchors.
private func evaluate(
  _ chain: CertificateChain, system: [Issued] = [], added: [Issued] = [], distrusted: Set<String> = []
) -> ChainTrust {
  let evaluator = TrustEvaluator(
    TrustStore(
      systemRoots: system.isEmpty ? .none : .file, system: system.map(\.der), added: added.map(\.der),
      distrusted: distrusted))
  return evaluator.evaluate(chain)
}

private let root = Issued.root()
private let intermediate = root.authority("Test CA")
private let leaf = intermediate.leaf()

@Suite struct PathSearchTests {
  @Test func `a leaf and its intermediate lead to a system root`() throws {
    let trust = evaluate(chain(leaf, intermediate), system: [root])
    let path = try #require(trust.paths.first)
    #expect(path.certificates == [leaf.observed, intermediate.observed, root.observed])
    #expect(path.origins == [.sent(0), .sent(1), .anchors])
    #expect(path.anchorClass == .system)
    #expect(!path.isLeafAnchor)
    #expect(path.unverified.isEmpty)
    #expect(path.constraintFault == nil)
    #expect(trust.paths.count == 1)
    #expect(trust.failures.isEmpty)
    #expect(trust.spentBudget == nil)
  }

  @Test func `the order of the chain and unrelated certificates do not matter`() throws {
    let first = root.authority("First CA")
    let second = first.authority("Second CA")
    let end = second.leaf()
    let stranger = Issued.root("Stranger").authority("Other CA")
    let trust = evaluate(chain(end, root, stranger, first, second), added: [root])
    let path = try #require(trust.paths.first)
    #expect(path.certificates == [end, second, first, root].map(\.observed))
    #expect(path.origins == [.sent(0), .sent(4), .sent(3), .sent(1)])
    #expect(path.anchorClass == .added)
  }

  @Test(arguments: [0x0C, 0x13, 0x16] as [UInt8])
  func `names match only if their string types are equal`(tag: UInt8) {
    var form = CertificateForm.authority("Test Root")
    let usual = form.subjectTag
    form.subjectTag = tag
    let same = Issued(selfSigned: form, key: root.key)
    #expect(evaluate(chain(leaf, intermediate), system: [same]).paths.count == (tag == usual ? 1 : 0))
  }

  @Test func `a leaf with the name and key of an anchor is not an anchor`() {
    var form = CertificateForm.authority("Test Root")
    form.pathLength = 3
    let imitation = Issued(selfSigned: form, key: root.key)
    let trust = evaluate(chain(imitation), system: [root])
    #expect(trust.paths.isEmpty)
    #expect(trust.failures.map(\.reason) == [.selfSignedLeaf])
  }

  @Test func `a root that is not among the anchors is unknown`() {
    let trust = evaluate(chain(leaf, intermediate, root), system: [Issued.root("Other Root")])
    #expect(trust.paths.isEmpty)
    #expect(trust.failures.first?.reason == .unknownRoot)
    #expect(trust.failures.first?.certificates == [leaf, intermediate, root].map(\.observed))
  }

  @Test func `two versions of a root with the same key are an unknown root, not a loop`() {
    let renewed = Issued.root(key: root.key) { $0.notAfter = Timestamp("2050-01-01T00:00:00Z") }
    let other = Issued.root("Other Root")
    let sent = evaluate(chain(leaf, intermediate, root, renewed), system: [other])
    #expect(sent.paths.isEmpty)
    #expect(sent.failures.map(\.reason) == [.unknownRoot, .unknownRoot])
    #expect(sent.failures.allSatisfy { $0.certificates.count == 3 })
    // One of the versions is trusted.
    #expect(evaluate(chain(leaf, intermediate, renewed), system: [root]).paths.count == 1)
    // A cross-signed version is not a root, and its issuer is missing.
    let crossed = other.authority("Test Root", key: root.key) { $0.subjectKeyIdentifier = Bytes("Test Root".utf8) }
    let further = evaluate(chain(leaf, intermediate, root, crossed), system: [Issued.root("Third Root")])
    #expect(further.failures.map(\.reason) == [.missingIssuer(canBeFetched: false)])
    let form = CertificateForm()
    let key = IssuingKey.newP256()
    let alone = [Issued(selfSigned: form, key: key), Issued(selfSigned: form, key: key)]
    #expect(evaluate(chain(alone[0], alone[1]), system: [root]).failures.first?.reason == .selfSignedLeaf)
  }

  @Test func `a same-named root with another key is distinguished from a bad signature by key identifiers`() {
    let same = Issued.root()
    #expect(
      evaluate(chain(leaf, intermediate), system: [same]).failures.map(\.reason)
        == [.badSignature("the signature does not verify")])
    let namesake = Issued.root { $0.subjectKeyIdentifier = nil }
    let trust = evaluate(chain(leaf, intermediate), system: [namesake])
    #expect(trust.failures.map(\.reason) == [.otherKey(ofAnchor: true)])
    // A root with another key identifier is not the issuer.
    let other = Issued.root { $0.subjectKeyIdentifier = [9] }
    let stranger = evaluate(chain(leaf, intermediate), system: [other])
    #expect(stranger.failures.first?.reason == .missingIssuer(canBeFetched: false))
  }

  @Test(arguments: [false, true])
  func `an issuer may be fetched if a namesake with another key was sent instead`(hasAddress: Bool) {
    let end = intermediate.leaf { form in
      form.authorityKeyIdentifier = .some(nil)
      if hasAddress { form.caIssuersURL = "http://ca.example.com/ca.cer" }
    }
    let trust = evaluate(chain(end, root.authority("Test CA")), system: [root])
    #expect(trust.failures.map(\.reason) == [hasAddress ? .missingIssuer(canBeFetched: true) : .otherKey(ofAnchor: false)])
  }

  @Test func `the issuer of a CA's new key is missing if its old key is not available`() {
    let rolled = root.authority("Test CA", key: intermediate.key)
    let renewed = rolled.authority("Test CA") { $0.subjectKeyIdentifier = [9] }
    #expect(
      evaluate(chain(renewed.leaf(), renewed), system: [root]).failures.map(\.reason) == [.missingIssuer(canBeFetched: false)])
  }

  // From ten addresses on, devices fetch from none.
  @Test(arguments: [(0, false), (1, true), (9, true), (10, false)])
  func `a missing intermediate is reported with whether it can be fetched`(addresses: Int, canBeFetched: Bool) {
    let end = intermediate.leaf { form in
      form.caIssuersURL = "http://ca.example.com/ca.cer"
      form.caIssuersCount = addresses
    }
    let trust = evaluate(chain(end), system: [root])
    #expect(trust.paths.isEmpty)
    #expect(trust.failures.map(\.reason) == [.missingIssuer(canBeFetched: canBeFetched)])
  }

  @Test func `a self-signed leaf is reported unless it is an anchor`() {
    let alone = Issued(selfSigned: CertificateForm())
    #expect(evaluate(chain(alone), system: [root]).failures.map(\.reason) == [.selfSignedLeaf])
    let added = evaluate(chain(alone), added: [alone])
    #expect(added.paths.first?.isLeafAnchor == true)
    #expect(added.paths.first?.certificates.count == 1)
  }

  @Test func `a self-issued leaf whose signature does not verify is not self-signed`() {
    var form = CertificateForm()
    form.breaksSignature = true
    let broken = Issued(selfSigned: form)
    #expect(
      evaluate(chain(broken), system: [root]).failures.map(\.reason)
        == [.badSignature("the signature does not verify")])
  }

  @Test func `a leaf whose signature does not verify is reported`() {
    let bad = intermediate.leaf { $0.breaksSignature = true }
    let trust = evaluate(chain(bad, intermediate), system: [root])
    #expect(trust.failures.first?.reason == .badSignature("the signature does not verify"))
    #expect(trust.failures.first?.certificates == [bad.observed])
  }

  @Test func `a distrusted intermediate or root fails every path through it`() {
    let digest = intermediate.observed.sha256
    let trust = evaluate(chain(leaf, intermediate), system: [root], distrusted: [digest])
    #expect(trust.failures.first?.reason == .distrusted)
    let rootDigest = root.observed.sha256
    let without = evaluate(chain(leaf, intermediate, root), system: [root], distrusted: [rootDigest])
    #expect(without.failures.first?.reason == .distrusted)
  }

  @Test func `both paths to an anchor are found, in the order in which their issuers were sent`() throws {
    let other = Issued.root("Other Root")
    // The same CA, signed by two roots.
    let crossed = other.authority("Test CA", key: intermediate.key)
    let trust = evaluate(chain(leaf, crossed, intermediate), system: [root, other])
    #expect(trust.paths.map { $0.certificates.last } == [other.observed, root.observed])
  }

  @Test func `an expired intermediate of the same name does not hide the valid one`() {
    let old = root.authority("Test CA", key: intermediate.key) {
      $0.notAfter = Timestamp("2021-01-01T00:00:00Z")
    }
    let trust = evaluate(chain(leaf, old, intermediate), system: [root])
    #expect(trust.paths.map { $0.certificates[1] } == [intermediate.observed, old.observed])
  }

  @Test func `an added intermediate is an anchor`() {
    let trust = evaluate(chain(leaf), added: [intermediate])
    #expect(trust.paths.first?.certificates == [leaf.observed, intermediate.observed])
  }

  @Test func `issuers that form a loop yield no path and are reported as circular`() {
    let key = IssuingKey.newP256()
    let other = IssuingKey.newP256()
    let a = Issued.root("A", key: key)
    let b = Issued.root("B", key: other)
    let aByB = b.authority("A", key: key)
    let bByA = a.authority("B", key: other)
    let end = aByB.leaf()
    let trust = evaluate(chain(end, aByB, bByA), system: [root])
    #expect(trust.paths.isEmpty)
    #expect(trust.failures.map(\.reason) == [.circular(leadsToAnchor: false)])
    #expect(trust.spentBudget == nil)
  }

  @Test func `a path ends at an issuer with the name of a certificate in it, even if their keys differ`() {
    let end = intermediate.leaf { $0.subject = "Test Root" }
    let trust = evaluate(chain(end, intermediate), system: [root])
    #expect(trust.paths.isEmpty)
    #expect(trust.failures.map(\.reason) == [.circular(leadsToAnchor: true)])
    // An anchor ends the path before.
    #expect(evaluate(chain(end, intermediate), added: [intermediate]).paths.count == 1)
    // Earlier systems continue. The result is cached for each kind of system.
    let evaluator = TrustEvaluator(TrustStore(systemRoots: .file, system: [root.der]))
    let sent = chain(end, intermediate)
    for _ in 0..<2 {
      #expect(evaluator.evaluate(sent).paths.isEmpty)
      #expect(evaluator.evaluate(sent, followsNameLoops: true).paths.map(\.certificates.count) == [3])
      #expect(evaluator.evaluate(sent, asOf: 0).paths.isEmpty && evaluator.evaluate(sent, followsNameLoops: true, asOf: 0).paths.count == 1)
    }
    // The new key of a CA, certified by its old key.
    let rolled = root.authority("Test Root")
    #expect(evaluate(chain(rolled.leaf(), rolled), system: [root]).paths.count == 1)
  }

  @Test func `an empty trust store is reported as having no anchors`() {
    let trust = evaluate(chain(leaf, intermediate))
    #expect(trust.hasNoAnchors)
    #expect(trust.paths.isEmpty)
  }

  @Test func `signatures by unsupported keys are reported as unverified`() throws {
    let dsa = Issued.root("DSA Root", key: .other("1.2.840.10040.4.1"))
    let end = dsa.leaf { $0.signatureAlgorithm = "1.2.840.10040.4.3" }
    let path = try #require(evaluate(chain(end), added: [dsa]).paths.first)
    #expect(path.unverified.map(\.index) == [0])
    #expect(path.unverified.first?.isUnsupportedByApple == true)
    let p224 = Issued.root(
      "P-224 Root", key: .point([4] + Bytes(repeating: 1, count: 56), curve: "1.3.132.0.33"))
    let other = p224.leaf { $0.signatureAlgorithm = "1.2.840.10045.4.3.2" }
    let second = try #require(evaluate(chain(other), added: [p224]).paths.first)
    #expect(second.unverified.first?.isUnsupportedByApple == false)
  }
}

@Suite struct ForwardKnowledgeTests {
  @Test func `an intermediate from an earlier chain completes a later chain and is reported`() throws {
    let evaluator = TrustEvaluator(TrustStore(systemRoots: .file, system: [root.der]))
    let bare = chain(leaf)
    #expect(evaluator.evaluate(bare).paths.isEmpty)
    #expect(evaluator.evaluate(chain(intermediate.leaf(), intermediate)).paths.count == 1)
    let path = try #require(evaluator.evaluate(bare).paths.first)
    #expect(path.origins == [.sent(0), .earlier, .anchors])
    #expect(path.completedBy == [intermediate.observed])
  }

  @Test func `a supplied intermediate completes every chain, and observed ones can be ignored`() throws {
    let given = TrustEvaluator(
      TrustStore(
        systemRoots: .file, system: [root.der], intermediates: [leaf.der, root.der, intermediate.der]))
    let path = try #require(given.evaluate(chain(leaf)).paths.first)
    #expect(path.origins == [.sent(0), .supplied, .anchors])
    #expect(path.completedBySupplied == [intermediate.observed])
    #expect(path.completedBy.isEmpty)
    let none = TrustEvaluator(
      TrustStore(systemRoots: .file, system: [root.der], takesShownIntermediates: false))
    _ = none.evaluate(chain(intermediate.leaf(), intermediate), in: 1)
    #expect(none.evaluate(chain(leaf), in: 1).paths.isEmpty)
    #expect(none.evaluate(chain(leaf), in: 2).paths.isEmpty)
  }

  @Test func `an intermediate of another capture completes a chain, and that capture is reported`()
    throws
  {
    let evaluator = TrustEvaluator(TrustStore(systemRoots: .file, system: [root.der]))
    let bare = chain(leaf)
    _ = evaluator.evaluate(chain(intermediate.leaf(), intermediate), in: 1, named: "a.pcap")
    let path = try #require(evaluator.evaluate(bare, in: 2, named: "b.pcap").paths.first)
    #expect(path.origins == [.sent(0), .otherCapture("a.pcap"), .anchors])
    #expect(path.completedBy.isEmpty)
    #expect(path.completedByOthers.map(\.capture) == ["a.pcap"])
    // An intermediate of the same capture takes precedence over those of other captures.
    let namesake = root.authority("Test CA", key: intermediate.key) { $0.serial = [0x09] }
    _ = evaluator.evaluate(chain(namesake.leaf(), namesake), in: 2, named: "b.pcap")
    #expect(
      evaluator.evaluate(bare, in: 2, named: "b.pcap").paths.map(\.origins) == [
        [.sent(0), .earlier, .anchors]
      ])
    #expect(evaluator.evaluate(chain(leaf, intermediate), in: 2).paths.count == 2)
  }

  @Test func `other captures add no path to a chain that reaches an anchor without them`() {
    let evaluator = TrustEvaluator(TrustStore(systemRoots: .file, system: [root.der]))
    let namesake = root.authority("Test CA", key: intermediate.key) { $0.serial = [0x09] }
    _ = evaluator.evaluate(chain(namesake.leaf(), namesake), in: 1, named: "a.pcap")
    #expect(evaluator.evaluate(chain(leaf, intermediate), in: 2).paths.count == 1)
  }

  @Test func `a later capture and a chain not sent in a capture complete no other chain`() {
    let evaluator = TrustEvaluator(TrustStore(systemRoots: .file, system: [root.der]))
    _ = evaluator.evaluate(chain(intermediate.leaf(), intermediate), in: 1, named: "a.pcap", isShown: false)
    #expect(evaluator.evaluate(chain(leaf), in: 2).paths.isEmpty)
    _ = evaluator.evaluate(chain(intermediate.leaf(), intermediate), in: 3, named: "c.pcap")
    #expect(evaluator.evaluate(chain(leaf), in: 2).paths.isEmpty)
  }

  @Test func `certificates of the current capture are known however many captures came before`() {
    var known = EarlierIntermediates(maximumCount: 64)
    var table = CertificateTable()
    let node = table.node(intermediate.observed)
    let last = 3 * UInt32(known.maximumCount) + 1
    for number in 1..<last {
      known.begin(number)
      known.add(node, of: number, named: "\(number).pcap")
      #expect(known.certificates(named: node.subject, in: number).count == 1)
    }
    #expect(known.certificatesElsewhere(named: node.subject, before: last).count == 1)
    #expect(known.all.count == 1)
  }

  @Test func `a chain is evaluated again only after a new issuer of it is observed`() {
    let evaluator = TrustEvaluator(TrustStore(systemRoots: .file, system: [root.der]))
    let shown = chain(leaf, intermediate)
    let first = evaluator.evaluate(shown)
    #expect(evaluator.evaluate(shown) === first)
    _ = evaluator.evaluate(chain(Issued.root("X").authority("Y").leaf(), Issued.root("X").authority("Y")))
    #expect(evaluator.evaluate(shown) === first)
    let namesake = root.authority("Test CA", key: intermediate.key) { $0.serial = [0x09] }
    _ = evaluator.evaluate(chain(namesake.leaf(), namesake))
    let again = evaluator.evaluate(shown)
    #expect(again !== first)
    #expect(again.paths.count == 2)
  }

  @Test func `observed roots and leaves complete no chain`() {
    let evaluator = TrustEvaluator(TrustStore(systemRoots: .file, system: [root.der]))
    _ = evaluator.evaluate(chain(Issued.root("X").leaf(), Issued.root("X")))
    let x = Issued.root("X")
    _ = evaluator.evaluate(chain(leaf, x))
    #expect(
      evaluator.evaluate(chain(x.leaf())).failures.map(\.reason) == [.missingIssuer(canBeFetched: false)])
  }
}

@Suite struct CraftedChainTests {
  private static let others = Issued.root("Other Root")

  /// A leaf and 100 CAs, none of which leads to an anchor.
  private static func crafted(sameName: Bool, sameKey: Bool, isReversed: Bool = false) -> CertificateChain {
    let key = IssuingKey.newP256()
    var last = Issued.root("CA 0", key: key) { $0.subjectKeyIdentifier = nil }
    var all = [last]
    for number in 1..<100 {
      last = last.authority(sameName ? "CA 0" : "CA \(number)", key: sameKey ? key : .newP256()) {
        $0.subjectKeyIdentifier = nil
        $0.serial = [0x01, UInt8(number)]
      }
      all.append(last)
    }
    let certificates = [last.leaf()] + (isReversed ? all : all.reversed())
    return CertificateChain(certificates.map(\.observed), isComplete: true)
  }

  @Test(arguments: [(true, true), (true, false), (false, true), (false, false)])
  func `100 CAs that lead to no anchor are rejected within a second`(sameName: Bool, sameKey: Bool) {
    for isReversed in [false, true] {
      let chain = Self.crafted(sameName: sameName, sameKey: sameKey, isReversed: isReversed)
      let start = ContinuousClock.now
      let trust = evaluate(chain, system: [root])
      #expect(ContinuousClock.now - start < .seconds(1))
      #expect(trust.paths.isEmpty)
      #expect(trust.spentBudget != nil || !trust.failures.isEmpty)
    }
  }

  @Test func `a search that exceeds its signature budget is reported`() {
    let roots = (0..<100).map { _ in Issued.root { $0.subjectKeyIdentifier = nil } }
    let trust = evaluate(chain(leaf, intermediate), system: roots)
    #expect(trust.paths.isEmpty)
    #expect(trust.spentBudget == "too many signatures in one chain")
  }

  @Test func `at most 32 paths are kept, and the excess is reported`() {
    let copies = (0..<60).map { number in
      root.authority("Test CA", key: intermediate.key) { $0.serial = [0x01, UInt8(number)] }
    }
    let certificates = ([leaf] + copies).map(\.observed)
    let trust = evaluate(CertificateChain(certificates, isComplete: true), system: [root])
    #expect(trust.paths.count == 32)
    #expect(trust.spentBudget == "too many paths")
  }

  @Test(arguments: [(40, nil), (70, "a path of more than 64 certificates")])
  func `a long path is followed, and one of more than 64 certificates is undecided`(count: Int, spent: String?) {
    let authorities = (1...count).reduce(into: [root]) { $0.append($0[$0.count - 1].authority("CA \($1)")) }
    let sent = [authorities[count].leaf()] + authorities.dropFirst().reversed()
    let trust = evaluate(CertificateChain(sent.map(\.observed), isComplete: true), system: [root])
    #expect(trust.paths.map(\.certificates.count) == (spent == nil ? [count + 2] : []))
    #expect(trust.spentBudget == spent)
    #expect(trust.failures.isEmpty)
  }

  @Test func `truncated or changed certificates never trap`() {
    var random = SeededGenerator(seed: 7)
    let good = [leaf.der, intermediate.der, root.der]
    let evaluator = TrustEvaluator(TrustStore(systemRoots: .file, system: [root.der]))
    for round in 0..<600 {
      var ders = good
      let index = random.below(3)
      if round % 4 == 0 {
        ders[index].removeLast(random.below(ders[index].count))
      } else {
        ders[index][random.below(ders[index].count)] = random.byte()
      }
      let trust = evaluator.evaluate(
        CertificateChain(ders.map { ObservedCertificate(parsing: $0.span) }, isComplete: true))
      #expect(!trust.paths.isEmpty || !trust.failures.isEmpty)
    }
  }
}
