import ATSEvaluation
import ATSEvidence
import ATSRules
import ByteParsing
import CertificateIssuing
import Crypto
import PolicyResolution
import SessionBuilding
import SessionModel
import TestBytes
import Testing
import TrustEvaluation
import Values

/// How a root is trusted.
private enum Trusted {
  case system, added
}

private let root = Issued.root()
private let authority = root.authority("Test CA")

/// The judgement of a session with these certificates, below a root of this kind.
private func judged(
  _ certificates: [Issued], _ trusted: Trusted? = .added, root anchor: Issued = root, os: String = "ios26.5",
  at time: String = "2026-02-01T12:00:00Z", _ change: (inout SessionBuilder) -> Void = { _ in }
) -> Judgement {
  let session = SessionBuilder { builder in
    builder.certificates = certificates.map(\.observed)
    builder.time = Timestamp(iso8601: time)
    change(&builder)
  }.session
  var assumptions = JudgingAssumptions()
  if let release = try? SystemRelease(named: os) { assumptions.release = release }
  let store =
    switch trusted {
    case .system: TrustStore(systemRoots: .file, system: [anchor.der])
    case .added: TrustStore(systemRoots: .none, added: [anchor.der])
    case nil: TrustStore(systemRoots: .none)
    }
  var judge = Judge(assumptions: assumptions, evaluator: TrustEvaluator(store))
  return judge.judge(session).value
}

/// The required rules that fail.
private func failing(_ content: Judgement) -> [String] {
  content.findings.filter { $0.outcome == .fail && $0.isRequired }.map(\.id)
}

/// Behavior that Apple's own trust tests show, reproduced with issued chains.
@Suite struct AppleSourceTests {
  @Test func `critical nameConstraints of an unsupported form fail the path since iOS 26`() {
    // otherName: a user principal name.
    let name = DER.element(
      0xA0, DER.oid("1.3.6.1.4.1.311.20.2.3") + DER.element(0xA0, DER.element(0x0C, [0x61])))
    let constraints = DER.element(0xA0, DER.sequence(name))
    let constrained = root.authority("Constrained CA") { $0.nameConstraints = constraints }
    #expect(failing(judged([constrained.leaf(), constrained])) == ["ATS-CERT-CHAIN"])
    #expect(failing(judged([constrained.leaf(), constrained], os: "ios18.5")) == [])
    // The anchor's own constraints are ignored.
    let anchor = Issued.root("Constrained Root") { $0.nameConstraints = constraints }
    #expect(failing(judged([anchor.leaf()], root: anchor)) == [])
    let free = root.authority("Free CA") {
      $0.moreExtensions = [DER.certificateExtension("2.5.29.30", DER.sequence(constraints))]
    }
    #expect(failing(judged([free.leaf(), free])) == [])
  }

  @Test func `a fix for a self-signed leaf notes where deployment by profile makes it unnecessary`() {
    func fixes(_ usages: [String]?) -> [String?] {
      var form = CertificateForm()
      form.usages = usages
      form.notAfter = Timestamp("2036-01-01T00:00:00Z")
      let content = judged([Issued(selfSigned: form)])
      #expect(content.outcome("ATS-CERT-TRUST") == .fail)
      return [content["ATS-CERT-EKU"].fix?.text, content["ATS-CERT-LIFETIME"].fix?.text]
    }
    let unless = ", unless a configuration profile installs this one on devices"
    let lifetime = "Server: use a certificate for at most 825 days" + unless
    #expect(fixes(nil) == ["Server: use a certificate with the extended key usage serverAuth" + unless, lifetime])
    // Usages without serverAuth fail in a trusted leaf too.
    #expect(fixes([CertificateForm.clientAuth]) == ["Server: use a certificate with the extended key usage serverAuth", lifetime])
    let long = authority.leaf { $0.notAfter = Timestamp("2036-01-01T00:00:00Z") }
    #expect(judged([long, authority])["ATS-CERT-LIFETIME"].fix?.text == "Server: use a certificate for at most 825 days")
  }

  @Test func `qcStatements are parsed since iOS 26`() {
    func outcome(_ value: Bytes, critical: Bool = false, os: String = "ios26.5") -> [String] {
      let leaf = authority.leaf {
        $0.moreExtensions = [DER.certificateExtension("1.3.6.1.5.5.7.1.3", critical: critical, value)]
      }
      return failing(judged([leaf, authority], os: os))
    }
    let type = DER.oid("0.4.0.1862.1.6")
    let good = DER.sequence(
      DER.sequence(type, DER.sequence(DER.oid("0.4.0.1862.1.6.3"))), DER.sequence(DER.oid("1.2")))
    #expect(outcome(good, critical: true) == [])
    #expect(outcome(good, critical: true, os: "ios18.5") == ["ATS-CERT-CHAIN"])
    for bad in [
      DER.sequence(), DER.sequence(DER.sequence(type)), DER.sequence(DER.sequence(type, DER.sequence())),
      DER.sequence(DER.sequence(type, DER.octets([1]))), DER.element(0x31, []),
    ] {
      #expect(outcome(bad) == ["ATS-CERT-CHAIN"])
      #expect(outcome(bad, os: "ios18.5") == [])
    }
  }

  @Test func `critical extensions of digital car keys are accepted`() {
    for arc in ["1", "4", "9", "77.1"] {
      let leaf = authority.leaf {
        $0.moreExtensions = [DER.certificateExtension("1.3.6.1.4.1.41577.5." + arc, critical: true, [5, 0])]
      }
      #expect(failing(judged([leaf, authority])) == [])
    }
  }
}

@Suite struct JudgeIssuedChainsTests {
  @Test func `a good chain to an added root passes every certificate rule`() {
    let content = judged([authority.leaf(), authority])
    #expect(content.verdict == .pass)
    #expect(failing(content) == [])
    #expect(content.outcome("ATS-CT") == .notApplicable)
    #expect(content.trust?.anchorClass == .added)
    #expect(content.trust?.path.count == 3)
    #expect(content["ATS-CERT-TRUST"].observed == "the chain ends at an added root, Test Root")
  }

  @Test func `a chain to a system root requires SCTs`() {
    let without = judged([authority.leaf(), authority], .system)
    #expect(failing(without) == ["ATS-CT"])
    let with = authority.leaf { form in
      form.scts = (1...3).map { ($0, Timestamp("2026-01-01T00:30:00Z")) }
    }
    #expect(judged([with, authority], .system).verdict == .pass)
  }

  @Test func `without anchors trust is unknown, except that a self-signed leaf fails`() {
    let content = judged([authority.leaf(), authority], nil)
    #expect(content.verdict == .unknown)
    #expect(content["ATS-CERT-TRUST"].settledBy == [.anchors, .systemAnchors])
    #expect(content.trust == nil)
    let alone = judged([Issued(selfSigned: CertificateForm())], nil)
    #expect(alone["ATS-CERT-TRUST"].outcome == .fail)
    #expect(alone["ATS-CERT-TRUST"].observed == "a self-signed certificate")
    #expect(alone.predictedError?.code == -1200)
    #expect(alone.predictedError?.underlyingCode == -9802)
  }

  @Test func `ATS-CERT-TRUST distinguishes the reasons for an untrusted chain`() {
    let other = Issued.root("Other Root")
    let foreign = other.authority("Other CA")
    func trust(_ certificates: [Issued]) -> Finding { judged(certificates)["ATS-CERT-TRUST"] }
    #expect(trust([foreign.leaf(), foreign, other]).outcome == .fail)
    #expect(
      trust([foreign.leaf(), foreign, other]).observed
        == "the chain ends at Other Root, a root that is not trusted")
    #expect(trust([foreign.leaf()]).outcome == .fail)
    #expect(
      trust([foreign.leaf(), foreign]).observed
        == "the chain stops at Other CA: its issuer, Other Root, was not sent and is not a trusted root")
    #expect(
      trust([foreign.leaf()]).observed
        == "the chain stops at the server certificate: its issuer, Other CA, was not sent and is not a trusted root")
    #expect(trust([foreign.leaf(), foreign]).fix?.text.contains("send every intermediate") == true)
    #expect(trust([foreign.leaf(), foreign, other]).fix?.text.contains("send every intermediate") == false)
    #expect(trust([foreign.leaf(), foreign, other]).fix?.text.contains("a proxy") == true)
    #expect(trust([Issued(selfSigned: CertificateForm())]).fix?.text.hasPrefix("Server: use a certificate from") == true)
    // Devices fetch issuer certificates over cleartext HTTP only.
    let unreachable = trust([foreign.leaf { $0.caIssuersURL = "ldap://ca.example.com/" }])
    #expect(unreachable.outcome == .fail)
    let fetched = trust([foreign.leaf { $0.caIssuersURL = "http://ca.example.com/" }])
    #expect(fetched.outcome == .unknown)
    #expect(fetched.notes.first?.contains("devices fetch it from http://ca.example.com/. Configure") == true)
    // Both rules lack the issuer's certificate, which an anchor cannot replace.
    let structure = judged([foreign.leaf { $0.caIssuersURL = "http://ca.example.com/" }])["ATS-CERT-CHAIN"]
    #expect(fetched.settledBy == [.intermediates, .evidence("record a session that shows the issuer's certificate")])
    #expect(structure.settledBy == fetched.settledBy)
    // Roots that certify each other form a loop, but only a trusted root helps.
    let (first, second) = (Issued.root("A"), Issued.root("B"))
    let crossed = second.authority("A", key: first.key)
    #expect(trust([crossed.leaf(), crossed, first.authority("B", key: second.key)]).fix?.text.contains("use a public CA") == true)
    let namesake = authority.leaf { $0.subject = "Test Root" }
    #expect(trust([namesake, authority]).fix?.text == "Server: use a chain whose certificates have different names")
    for (os, outcome) in [("ios10.3", Finding.Outcome.pass), ("ios11", .fail), ("macos10.12", .pass), ("macos10.13", .fail)] {
      #expect(judged([namesake, authority], os: os)["ATS-CERT-TRUST"].outcome == outcome)
    }
    let bad = trust([authority.leaf { $0.breaksSignature = true }, authority])
    #expect(bad.outcome == .fail)
    #expect(bad.observed == "the server certificate: the signature does not verify")
    #expect(bad.certificateIndex == 0)
  }

  @Test(arguments: [false, true]) func `app code cannot override the distrust of a certificate`(accepts: Bool) {
    let leaf = authority.leaf()
    for (distrusted, name) in [(leaf, "the server certificate"), (authority, "the certificate of Test CA")] {
      let evaluator = TrustEvaluator(
        TrustStore(systemRoots: .none, added: [root.der], distrusted: [distrusted.observed.sha256]))
      var assumptions = JudgingAssumptions()
      assumptions.appOverridesTrust = accepts
      let insecure = entry("www.example.com", ExceptionSettings(allowsInsecureHTTPLoads: true))
      let session = SessionBuilder { $0.certificates = [leaf, authority].map(\.observed) }.session
      for dictionary in [nil, insecure] {
        var judge = Judge(dictionary: dictionary, assumptions: assumptions, evaluator: evaluator)
        let content = judge.judge(session).value
        #expect(content["ATS-CERT-TRUST"].observed == "\(name) is distrusted")
        #expect(content["ATS-CERT-TRUST"].outcome == .fail)
        #expect(content["ATS-CERT-TRUST"].fatality == .certain)
        #expect(content.verdict == .fail)
        guard case .impossible(let obstacle)? = content.narrowestException else {
          Issue.record("a key is proposed")
          continue
        }
        #expect(!obstacle.reason.contains("app code"))
      }
    }
  }

  @Test func `with a truncated certificate list, a missing issuer leaves trust unknown`() {
    let content = judged([authority.leaf()]) { $0.isChainComplete = false }
    #expect(content["ATS-CERT-TRUST"].outcome == .unknown)
    #expect(content["ATS-CERT-TRUST"].missing == .partial)
  }

  @Test func `failures that depend on the path are unknown if the certificate list is truncated`() {
    func cut(_ certificates: [Issued], _ trusted: Trusted? = .added) -> Judgement {
      judged(certificates, trusted) { $0.isChainComplete = false }
    }
    func expectOpen(_ rule: String, _ certificates: [Issued], line: Int = #line) {
      #expect(judged(certificates)[rule].outcome == .fail, "line \(line)")
      let finding = cut(certificates)[rule]
      #expect(finding.outcome == .unknown, "line \(line)")
      #expect(finding.settledBy == [.evidence("record from the start of the connection")], "line \(line)")
      #expect(finding.fix == nil, "line \(line)")
    }
    #expect(cut([authority.leaf(), authority]).verdict == .pass)
    let expired = root.authority("Expired CA") { $0.notAfter = Timestamp("2026-01-15T00:00:00Z") }
    expectOpen("ATS-CERT-DATES", [expired.leaf(), expired])
    let constrained = root.authority("Constrained CA") {
      $0.nameConstraints = CertificateForm.subtrees(0xA0, "example.org")
    }
    expectOpen("ATS-CERT-CHAIN", [constrained.leaf(), constrained])
    let foreign = Issued.root("Foreign Root")
    let below = foreign.authority("Foreign CA")
    expectOpen("ATS-CERT-TRUST", [below.leaf(), below, foreign])
    expectOpen("ATS-CERT-TRUST", [authority.leaf { $0.breaksSignature = true }, authority])
    // The leaf's own usages are the same on every path.
    #expect(
      cut([authority.leaf { $0.usages = [CertificateForm.clientAuth] }, authority])["ATS-CERT-EKU"].outcome
        == .fail)
  }

  @Test func `with a truncated certificate list, usages are unknown if an added root may be the anchor`() {
    func outcome(isComplete: Bool, added: [Issued], usages: [String]?) -> Finding.Outcome {
      var judge = Judge(
        evaluator: TrustEvaluator(
          TrustStore(systemRoots: .file, system: [root.der], added: added.map(\.der))))
      let session = SessionBuilder { builder in
        builder.certificates = [authority.leaf { $0.usages = usages }, authority].map(\.observed)
        builder.isChainComplete = isComplete
      }.session
      return judge.judge(session)["ATS-CERT-EKU"].outcome
    }
    let other = Issued.root("Other Root")
    #expect(outcome(isComplete: true, added: [other], usages: nil) == .fail)
    #expect(outcome(isComplete: false, added: [other], usages: nil) == .unknown)
    #expect(outcome(isComplete: false, added: [], usages: nil) == .fail)
    #expect(outcome(isComplete: false, added: [other], usages: [CertificateForm.serverAuth]) == .pass)
  }

  @Test func `an intermediate from an earlier session completes a chain and fails ADV-CHAIN-INCOMPLETE`() {
    var judge = Judge(evaluator: TrustEvaluator(TrustStore(systemRoots: .none, added: [root.der])))
    let bare = SessionBuilder { $0.certificates = [authority.leaf().observed] }.session
    #expect(judge.judge(bare)["ATS-CERT-TRUST"].outcome == .fail)
    let whole = SessionBuilder { $0.certificates = [authority.leaf(), authority].map(\.observed) }.session
    #expect(judge.judge(whole).verdict == .pass)
    let content = judge.judge(bare).value
    #expect(content.outcome("ATS-CERT-TRUST") == .pass)
    #expect(
      content["ATS-CERT-TRUST"].notes
        == ["The server did not send Test CA, which an earlier session of the capture showed."])
    #expect(content.outcome("ADV-CHAIN-INCOMPLETE") == .fail)
  }

  @Test func `a session that is judged again is judged without the intermediates of later sessions`() {
    var judge = Judge(evaluator: TrustEvaluator(TrustStore(systemRoots: .none, added: [root.der])))
    let bare = SessionBuilder { $0.certificates = [authority.leaf().observed] }.session
    #expect(judge.judge(bare)["ATS-CERT-TRUST"].outcome == .fail)
    let first = judge.evaluator.generation
    let whole = SessionBuilder { $0.certificates = [authority.leaf(), authority].map(\.observed) }.session
    #expect(judge.judge(whole).verdict == .pass)
    let sent = judge.evaluator.generation
    #expect(judge.judge(whole, asOf: sent).verdict == .pass)
    #expect(judge.judge(bare, asOf: first)["ATS-CERT-TRUST"].outcome == .fail)
    #expect(judge.judge(bare)["ATS-CERT-TRUST"].outcome == .pass)
    let second = judge.evaluator.generation
    #expect(judge.judge(bare, asOf: first)["ATS-CERT-TRUST"].outcome == .fail)
    #expect(judge.judge(bare, asOf: second)["ATS-CERT-TRUST"].outcome == .pass)
  }

  @Test func `watchOS needs every issuer from the server`() throws {
    let foreign = Issued.root("Other Root").authority("Other CA")
    let leaf = foreign.leaf { $0.caIssuersURL = "http://ca.example.com/" }
    let outcomes: [(os: String, outcome: Finding.Outcome)] = [("ios17.0", .unknown), ("watchos3.0", .unknown), ("watchos10.0", .fail)]
    for (os, outcome) in outcomes {
      let finding = judged([leaf], os: os)["ATS-CERT-TRUST"]
      #expect(finding.outcome == outcome)
      #expect(finding.notes.contains("watchOS does not fetch certificates of issuers.") == (outcome == .fail))
    }
    var assumptions = JudgingAssumptions()
    assumptions.release = try SystemRelease(named: "watchos10.0")
    var judge = Judge(assumptions: assumptions, evaluator: TrustEvaluator(TrustStore(systemRoots: .none, added: [root.der])))
    let whole = SessionBuilder { $0.certificates = [authority.leaf(), authority].map(\.observed) }.session
    #expect(judge.judge(whole)["ATS-CERT-TRUST"].outcome == .pass)
    let bare = SessionBuilder { $0.certificates = [authority.leaf().observed] }.session
    #expect(
      judge.judge(bare)["ATS-CERT-TRUST"].observed
        == "the chain stops at the server certificate: its issuer, Test CA, was not sent and is not a trusted root")
  }

  @Test func `an expired path does not matter if another path is valid`() {
    let old = root.authority("Test CA", key: authority.key) {
      $0.notAfter = Timestamp("2025-01-01T00:00:00Z")
    }
    let leaf = authority.leaf()
    #expect(judged([leaf, old]).outcome("ATS-CERT-DATES") == .fail)
    #expect(judged([leaf, old, authority]).verdict == .pass)
    #expect(judged([leaf, authority, old]).verdict == .pass)
    // The result is the same in the last second before the leaf expires.
    #expect(judged([leaf, old, authority], at: "2026-03-31T23:59:59Z").verdict == .pass)
  }

  /// A leaf below `depth` CAs with `width` certificates each, of which all but the last `goodOnes` have expired.
  private func layers(_ depth: Int, _ width: Int, goodOnes: Int) -> [Issued] {
    var issuer = root
    var certificates: [Issued] = []
    for layer in 0..<depth {
      let key = IssuingKey.newP256()
      let versions = (0..<width).map { version in
        issuer.authority("Layer \(layer)", key: key) { form in
          if version < width - goodOnes { form.notAfter = Timestamp("2025-01-01T00:00:00Z") }
        }
      }
      certificates += versions
      issuer = versions[0]
    }
    return [issuer.leaf()] + certificates
  }

  @Test(arguments: [(1, 8), (2, 5), (3, 8), (6, 6)])
  func `the only valid path among many is found`(depth: Int, width: Int) {
    #expect(judged(layers(depth, width, goodOnes: 1)).verdict == .pass)
  }

  @Test func `an expired path decides nothing if not every path was tried`() {
    let content = judged(layers(4, 6, goodOnes: 0))
    #expect(content.verdict == .unknown)
    #expect(content["ATS-CERT-DATES"].notes.first?.contains("another chain") == true)
    #expect(judged(layers(2, 2, goodOnes: 0)).outcome("ATS-CERT-DATES") == .fail)
  }

  @Test(arguments: [
    ("2025-12-31T23:59:59Z", false), ("2026-01-01T00:00:00Z", true), ("2026-04-01T00:00:00Z", true),
    ("2026-04-01T00:00:01Z", false),
  ])
  func `a certificate is valid in the first and in the last second of its validity`(time: String, isValid: Bool) {
    #expect((judged([authority.leaf(), authority], at: time).outcome("ATS-CERT-DATES") == .pass) == isValid)
  }

  @Test func `a key rollover certificate signed by the old key is accepted as an anchor`() {
    let old = Issued.root("Rolling Root") { $0.subjectKeyIdentifier = [1] }
    let new = old.authority("Rolling Root") { $0.subjectKeyIdentifier = [2] }
    let below = new.authority("Below")
    #expect(judged([below.leaf(), below], root: new).verdict == .pass)
    // A self-signed root's authorityKeyIdentifier must match its own subjectKeyIdentifier.
    let odd = Issued.root("Odd Root") { form in
      form.subjectKeyIdentifier = [1]
      form.authorityKeyIdentifier = [2]
    }
    #expect(failing(judged([odd.leaf()], root: odd)) == ["ATS-CERT-CHAIN"])
  }

  @Test(arguments: [("ios26.5", "not if a user or profile installs it."), ("macos26.5", "or its trust setting is trustAsRoot.")])
  func `an added anchor that is not self-signed is noted`(os: String, words: String) throws {
    let session = SessionBuilder { $0.certificates = [authority.leaf(), authority].map(\.observed) }.session
    var assumptions = JudgingAssumptions()
    assumptions.release = try SystemRelease(named: os)
    for (anchor, isNoted) in [(authority, true), (root, false)] {
      let store = TrustStore(systemRoots: .none, added: [anchor.der])
      var judge = Judge(assumptions: assumptions, evaluator: TrustEvaluator(store))
      let finding = judge.judge(session)["ATS-CERT-TRUST"]
      #expect(finding.outcome == .pass)
      #expect(finding.notes.contains { $0.contains("is not self-signed") && $0.hasSuffix(words) } == isNoted)
    }
  }

  @Test func `a path continues past an anchor that is not self-signed`() {
    let middle = root.authority("Middle CA")
    // System roots require serverAuth itself, added roots do not.
    let leaf = middle.leaf { $0.usages = nil }
    func outcome(_ store: TrustStore) -> Judgement {
      let session = SessionBuilder { $0.certificates = [leaf, middle].map(\.observed) }.session
      var judge = Judge(evaluator: TrustEvaluator(store))
      return judge.judge(session).value
    }
    #expect(failing(outcome(TrustStore(systemRoots: .file, system: [middle.der]))).contains("ATS-CERT-EKU"))
    let both = outcome(TrustStore(systemRoots: .file, system: [middle.der], added: [root.der]))
    #expect(both.verdict == .pass)
    #expect(both.trust?.anchorClass == .added)
    #expect(both.trust?.path.count == 3)
    // If both paths pass, the shorter one is used.
    let added = outcome(TrustStore(systemRoots: .none, added: [middle.der, root.der]))
    #expect(added.verdict == .pass)
    #expect(added.trust?.path.count == 2)
    #expect(added["ATS-CERT-TRUST"].notes == [])
  }

  @Test func `an expired anchor fails ATS-CERT-DATES`() {
    let old = Issued.root("Old Root") { $0.notAfter = Timestamp("2025-06-01T00:00:00Z") }
    let content = judged([old.leaf()], root: old)
    #expect(failing(content) == ["ATS-CERT-DATES"])
    #expect(content["ATS-CERT-DATES"].certificateIndex == nil)
  }
}

@Suite struct IssuedLeafTests {
  struct Period: Sendable {
    var days: Int64
    var seconds: Int64
    var from: String
    var underSystem: Bool
    var underAdded: Bool

    init(_ days: Int64, _ seconds: Int64, _ from: String, _ underSystem: Bool, _ underAdded: Bool) {
      self.days = days
      self.seconds = seconds
      self.from = from
      self.underSystem = underSystem
      self.underAdded = underAdded
    }
  }

  static let periods: [Period] = [
    Period(398, 0, "2026-01-01T00:00:00Z", true, true), Period(398, 1, "2026-01-01T00:00:00Z", false, true),
    Period(825, 3600, "2026-01-01T00:00:00Z", false, true),
    Period(825, 3601, "2026-01-01T00:00:00Z", false, false),
    Period(398, 1, "2020-08-31T23:59:59Z", true, true), Period(398, 1, "2020-09-01T00:00:00Z", false, true),
    Period(825, 3601, "2018-03-01T00:00:00Z", false, true),
    Period(825, 3601, "2018-02-28T23:59:59Z", true, true),
    Period(825, 3601, "2019-06-30T23:00:00Z", false, false),
    Period(825, 3601, "2019-06-30T22:59:59Z", false, true),
  ]

  @Test(arguments: periods)
  func `the maximum lifetime depends on the kind of root and on notBefore`(period: Period) {
    let leaf = authority.leaf { form in
      form.notBefore = Timestamp(iso8601: period.from) ?? form.notBefore
      form.notAfter = Timestamp(seconds: form.notBefore.seconds + period.days * 86_400 + period.seconds)
    }
    let (system, added) = (judged([leaf, authority], .system), judged([leaf, authority], .added))
    #expect((system.outcome("ATS-CERT-LIFETIME") == .pass) == period.underSystem)
    #expect((added.outcome("ATS-CERT-LIFETIME") == .pass) == period.underAdded)
  }

  @Test func `a leaf that is itself an added anchor has no maximum lifetime`() {
    var form = CertificateForm()
    form.notAfter = Timestamp("2040-01-01T00:00:00Z")
    let alone = Issued(selfSigned: form)
    let content = judged([alone], .added, root: alone)
    #expect(content.outcome("ATS-CERT-LIFETIME") == .pass)
    #expect(content.outcome("ATS-CERT-TRUST") == .pass)
    #expect(content.outcome("ATS-CERT-KEY") == .notApplicable)
  }

  @Test func `the key and signature of a leaf that is an anchor are not judged, self-signed or not`() {
    for os in ["ios9", "ios12", "ios13", "ios26.5"] {
      let alone = Issued(selfSigned: CertificateForm(), key: .rsa(bits: 1024))
      let content = judged([alone], .added, root: alone, os: os)
      #expect(content.outcome("ATS-CERT-KEY") == .notApplicable)
      #expect(content.outcome("ATS-CERT-SIG") == .notApplicable)
      let issued = authority.leaf(key: .rsa(bits: 1024)) {
        $0.signatureAlgorithm = "1.2.840.10045.4.1"
      }
      let other = judged([issued, authority], .added, root: issued, os: os)
      #expect(other.outcome("ATS-CERT-KEY") == .notApplicable)
      #expect(other.outcome("ATS-CERT-SIG") == .notApplicable)
      #expect(
        other["ATS-CERT-SIG"].notes == [
          "The server certificate itself is a trusted anchor, so its signature is not checked."
        ])
    }
  }

  @Test(arguments: [
    ("2020-01-31T00:00:00Z", "2021-04-30T00:00:00Z", 3), ("2020-01-31T00:00:00Z", "2021-04-29T23:59:59Z", 2),
    ("2020-01-31T12:00:00Z", "2021-04-30T11:59:59Z", 2), ("2019-11-30T00:00:00Z", "2021-02-28T00:00:00Z", 3),
    ("2020-01-15T00:00:00Z", "2021-04-15T00:00:00Z", 3), ("2020-01-15T00:00:00Z", "2021-04-14T23:59:59Z", 2),
  ])
  func `for the required number of SCTs, a month ends no later than on its last day`(
    from: String, to: String, needed: Int
  ) {
    let leaf = authority.leaf { form in
      form.notBefore = Timestamp(from)
      form.notAfter = Timestamp(to)
      form.scts = [(1, Timestamp(from)), (2, Timestamp(from))]
    }
    let content = judged([leaf, authority], .system, at: "2020-06-01T00:00:00Z")
    #expect((content.outcome("ATS-CT") == .pass) == (needed == 2))
    #expect(content["ATS-CT"].expected?.contains("SCTs from \(needed) logs,") == true)
  }

  @Test func `an unreadable SCT list counts as empty`() {
    let list = DER.certificateExtension("1.3.6.1.4.1.11129.2.4.2", DER.octets([0, 9, 1]))
    let content = judged([authority.leaf { $0.moreExtensions = [list] }, authority], .system)
    #expect(failing(content) == ["ATS-CT"])
  }

  @Test(arguments: ["ios10", "ios26.5"])
  func `a DNS name that is not UTF-8 makes all DNS names of a leaf unreadable`(os: String) {
    func content(_ name: Bytes) -> Judgement {
      let names = DER.sequence(DER.string(0x82, "www.example.com"), DER.element(0x82, name))
      let leaf = authority.leaf { form in
        form.dnsNames = nil
        form.moreExtensions = [DER.certificateExtension("2.5.29.17", names)]
      }
      return judged([leaf, authority], os: os)
    }
    #expect(content([0x6D, 0xC3, 0xBC]).outcome("ATS-CERT-HOST") == .pass)
    let finding = content([0x6D, 0xFC])["ATS-CERT-HOST"]
    #expect(finding.outcome == .fail)
    #expect(finding.observed == "a DNS name in the certificate is not UTF-8, so devices read none of its DNS names")
  }

  @Test(arguments: [(4, true), (16, true), (5, false), (8, false), (0, false)])
  func `an address of another length makes all addresses of a leaf unreadable`(byteCount: Int, isRead: Bool) {
    let names = DER.sequence(DER.element(0x87, [203, 0, 113, 7]), DER.element(0x87, Bytes(repeating: 1, count: byteCount)))
    let leaf = authority.leaf { form in
      form.dnsNames = nil
      form.moreExtensions = [DER.certificateExtension("2.5.29.17", names)]
    }
    let content = judged([leaf, authority]) { builder in
      builder.host = "203.0.113.7"
      builder.source = .connect
    }
    #expect((content.outcome("ATS-CERT-HOST") == .pass) == isRead)
    // The leaf has addresses, but if they are not read, no name of it counts for another host.
    if !isRead { #expect(judged([leaf, authority])["ATS-CERT-HOST"].observed == "no usable names in the certificate") }
  }

  @Test(arguments: [(2048, true), (2041, true), (2040, false), (1024, false)])
  func `RSA key sizes are rounded up to whole bytes`(bits: Int, isEnough: Bool) {
    let content = judged([authority.leaf(key: .rsa(bits: bits)), authority])
    #expect((content.outcome("ATS-CERT-KEY") == .pass) == isEnough)
    if !isEnough { #expect(content.predictedError?.underlyingCode == -9883) }
  }

  @Test(arguments: [
    ("1.2.840.10045.3.1.7", points.p256, true), ("1.3.132.0.34", points.p384, true),
    ("1.3.132.0.35", points.p521, true),
    ("1.3.132.0.33", [4] + Bytes(repeating: 1, count: 56), false),
    ("1.2.840.10045.3.1.1", [4] + Bytes(repeating: 1, count: 48), false),
    ("1.3.132.0.10", points.p256, false), ("1.2.3.4", points.p256, false),
  ])
  func `EC keys need a supported curve of at least 256 bits`(curve: String, point: Bytes, isEnough: Bool) {
    let key = IssuingKey.point(point, curve: curve)
    #expect(
      (judged([authority.leaf(key: key), authority]).outcome("ATS-CERT-KEY") == .pass) == isEnough)
  }

  /// Public key points, one on each curve.
  static let points = (
    p256: Bytes(P256.Signing.PrivateKey().publicKey.x963Representation),
    p384: Bytes(P384.Signing.PrivateKey().publicKey.x963Representation),
    p521: Bytes(P521.Signing.PrivateKey().publicKey.x963Representation)
  )

  @Test func `an EC key's point must be on its named curve, uncompressed or compressed`() {
    func outcome(_ point: Bytes, _ curve: String = "1.2.840.10045.3.1.7") -> Finding {
      judged([authority.leaf(key: .point(point, curve: curve)), authority])["ATS-CERT-KEY"]
    }
    let point = Self.points.p256
    let sign = (point.last ?? 0) & 1
    #expect(outcome([2 | sign] + point[1..<33]).outcome == .pass)
    // The hybrid form must not be used (RFC 5480 §2.2).
    let hybrid: Bytes = [6 | sign] + point[1...]
    let offCurve: Bytes = point.dropLast() + [(point.last ?? 0) ^ 1]
    let ones = Bytes(repeating: 0xFF, count: 64)
    let bad: [Bytes] = [
      [], [0], [4], Bytes(point.dropLast()), point + [0], Bytes(point.dropFirst()), hybrid, offCurve,
      [4] + ones, [2] + Bytes(ones.prefix(32)),
    ]
    for bad in bad {
      let finding = outcome(bad)
      #expect(finding.outcome == .fail)
      #expect(finding.observed == "the server certificate has a key of P-256 whose point is not on the curve")
    }
    #expect(outcome(point, "1.3.132.0.34").outcome == .fail)
    #expect(outcome(Self.points.p384).outcome == .fail)
    // A CA with such a key cannot have signed anything.
    let impossible = root.authority(
      "Odd CA", key: .point(Bytes(point.dropLast()), curve: "1.2.840.10045.3.1.7"))
    let content = judged([impossible.leaf(), impossible])
    #expect(content.outcome("ATS-CERT-TRUST") == .fail)
  }

  @Test(
    arguments: [
      ([0x05, 0x00], "1.2.840.10045.2.1", "the server certificate has a key that does not name its curve"),
      ([], "1.2.840.10045.2.1", "the server certificate has a key that does not name its curve"),
      (
        DER.oid("1.2.840.10045.3.1.7"), "1.3.132.1.12",
        "the server certificate has a key of the unsupported kind ecDH"
      ),
      (
        DER.oid("1.2.840.10045.3.1.7"), "1.3.132.1.13",
        "the server certificate has a key of the unsupported kind ecMQV"
      ),
    ] as [(Bytes, String, String)])
  func `an EC key must name its curve and be for signatures`(
    parameters: Bytes, algorithm: String, observed: String
  ) {
    let key = IssuingKey.point(Self.points.p256, parameters: parameters, algorithm: algorithm)
    let finding = judged([authority.leaf(key: key), authority])["ATS-CERT-KEY"]
    #expect(finding.outcome == .fail)
    #expect(finding.observed == observed)
  }

  /// Extensions with values that RFC 5280 does not allow.
  static let unreadable: [(String, Bytes)] = [
    ("2.5.29.15", [0x03, 0x01, 0x00]), ("2.5.29.15", [0x03, 0x04, 0x00, 0x80, 0, 0]),
    ("2.5.29.17", [0x30, 0x00]), ("2.5.29.17", DER.sequence(DER.element(0x89, [1]))),
    ("2.5.29.31", [0x30, 0x00]), ("2.5.29.31", DER.sequence([0x30, 0x00])),
    ("2.5.29.31", DER.sequence(DER.sequence([0x81, 0x02, 0x00, 0xFF]))),
    ("2.5.29.31", DER.sequence(DER.sequence([0xA0, 0x02, 0xA2, 0x00]))), ("2.5.29.32", [0x30, 0x00]),
    ("2.5.29.33", [0x30, 0x00]), ("2.5.29.35", DER.sequence([0xA1, 0x02, 0xA4, 0x00])),
    ("2.5.29.35", DER.sequence([0x82, 0x01, 0x01])),
    ("1.3.6.1.5.5.7.1.1", [0x30, 0x00]),
  ]

  @Test(arguments: unreadable)
  func `an unreadable value of a known extension fails ATS-CERT-CHAIN`(identifier: String, value: Bytes) {
    let leaf = authority.leaf { form in
      if identifier == "2.5.29.17" { form.dnsNames = nil }
      if identifier == "2.5.29.35" { form.authorityKeyIdentifier = .some(nil) }
      form.moreExtensions = [DER.certificateExtension(identifier, value)]
    }
    let finding = judged([leaf, authority])["ATS-CERT-CHAIN"]
    #expect(finding.outcome == .fail)
    #expect(finding.observed == "the extension \(identifier) of the server certificate cannot be read")
    #expect(judged([leaf, authority], os: "ios10.3")["ATS-CERT-CHAIN"].outcome == (identifier == "2.5.29.37" ? .fail : .unknown))
  }

  @Test(arguments: [([0x80, 0x01, 0x00], true), ([0x80, 0x01, 0x01], false), ([0x81, 0x01, 0x05], false)] as [(Bytes, Bool)])
  func `nameConstraints with a nonzero minimum or any maximum fail`(distance: Bytes, isRead: Bool) {
    let limited = root.authority("Limited CA") { form in
      let base = DER.string(0x82, "example.com")
      form.nameConstraints = DER.element(0xA0, DER.sequence(base, distance))
    }
    let content = judged([limited.leaf(), limited])
    #expect((content.outcome("ATS-CERT-CHAIN") == .pass) == isRead)
  }

  @Test(
    arguments: [
      (0x17, "2601010000Z", true), (0x17, "260101010000+0100", true), (0x18, "20260101000000Z", true),
      (0x17, "260101000000", false), (0x17, "260101000000z", false), (0x17, "2601010000+0000", false),
      (0x17, "20260101000000Z", false), (0x18, "20260101000000.5Z", false), (0x18, "202601010000Z", false),
      (0x18, "20260101000000", false),
    ] as [(UInt8, String, Bool)])
  func `validity dates must have a format that devices parse`(tag: UInt8, text: String, isRead: Bool) {
    let leaf = authority.leaf { $0.notBeforeBytes = DER.string(tag, text) }
    let content = judged([leaf, authority])
    #expect((content.outcome("ATS-CERT-CHAIN") == .pass) == isRead)
    #expect(content.outcome("ATS-CERT-DATES") == .pass)
  }

  @Test(arguments: [
    ("1.2.840.10045.4.3.2", true), ("1.2.840.10045.4.3.3", true), ("1.2.840.10045.4.1", false),
  ])
  func `SHA-1 signatures verify but fail ATS-CERT-SIG, SHA-2 signatures pass`(algorithm: String, isStrong: Bool) {
    let content = judged([authority.leaf { $0.signatureAlgorithm = algorithm }, authority])
    #expect(content.outcome("ATS-CERT-TRUST") == .pass)
    #expect((content.outcome("ATS-CERT-SIG") == .pass) == isStrong)
    if !isStrong { #expect(content.predictedError?.underlyingCode == -9884) }
  }

  @Test func `a SHA-1 intermediate has a separate error code`() {
    let weak = root.authority("Weak CA") { $0.signatureAlgorithm = "1.2.840.10045.4.1" }
    let content = judged([weak.leaf(), weak])
    #expect(failing(content) == ["ATS-CERT-SIG"])
    #expect(content["ATS-CERT-SIG"].certificateIndex == 1)
    #expect(content.predictedError?.underlyingCode == -9885)
  }

  @Test func `a root's own SHA-1 signature is ignored`() {
    let old = Issued.root("Old Root") { $0.signatureAlgorithm = "1.2.840.10045.4.1" }
    #expect(judged([old.leaf()], root: old).verdict == .pass)
    #expect(judged([old.leaf()], .system, root: old).outcome("ATS-CERT-SIG") == .pass)
  }

  @Test func `an ECDSA SHA-224 signature leaves trust unknown, a DSA signature fails it`() {
    let leaf = authority.leaf { $0.signatureAlgorithm = "1.2.840.10045.4.3.1" }
    let content = judged([leaf, authority])
    #expect(content.outcome("ATS-CERT-TRUST") == .unknown)
    #expect(content.outcome("ATS-CERT-SIG") == .fail)
    let dsa = Issued.root("DSA Root", key: .other("1.2.840.10040.4.1"))
    let refused = judged([dsa.leaf { $0.signatureAlgorithm = "1.2.840.10040.4.3" }], root: dsa)
    #expect(refused.outcome("ATS-CERT-TRUST") == .fail)
  }

  @Test func `app code that overrides trust accepts a signature that cannot be verified here`() {
    let leaf = authority.leaf { $0.signatureAlgorithm = "1.2.840.10045.4.3.1" }
    let session = SessionBuilder { $0.certificates = [leaf, authority].map(\.observed) }.session
    let insecure = entry("www.example.com", ExceptionSettings(allowsInsecureHTTPLoads: true))
    for (dictionary, accepts, outcome) in [
      (insecure, true, Finding.Outcome.relaxed), (insecure, false, .unknown), (nil, true, .unknown),
    ] {
      var assumptions = JudgingAssumptions()
      assumptions.appOverridesTrust = accepts
      let store = TrustStore(systemRoots: .none, added: [root.der])
      var judge = Judge(dictionary: dictionary, assumptions: assumptions, evaluator: TrustEvaluator(store))
      let content = judge.judge(session).value
      #expect(content.outcome("ATS-CERT-TRUST") == outcome)
      #expect(content["ATS-CERT-TRUST"].settledBy.isEmpty == (outcome == .relaxed))
      #expect((content.verdict == .pass) == (outcome == .relaxed))
    }
  }

  static let usages: [([String]?, Bool, Bool)] = [
    (nil, false, true), ([CertificateForm.serverAuth], true, true), ([CertificateForm.anyUsage], false, true),
    ([CertificateForm.clientAuth], false, false), ([], false, false),
  ]

  @Test(arguments: usages)
  func `system roots require serverAuth, added roots also accept any usage or no extension`(
    usages: [String]?, underSystem: Bool, underAdded: Bool
  ) {
    let leaf = authority.leaf { $0.usages = usages }
    #expect((judged([leaf, authority], .system).outcome("ATS-CERT-EKU") == .pass) == underSystem)
    #expect((judged([leaf, authority], .added).outcome("ATS-CERT-EKU") == .pass) == underAdded)
  }

  @Test func `an intermediate for email fails since iOS 13 below system roots, iOS 16 below added ones`() {
    let mail = root.authority("Mail CA") { $0.usages = ["1.3.6.1.5.5.7.3.4"] }
    #expect(judged([mail.leaf(), mail], .system).outcome("ATS-CERT-EKU") == .fail)
    #expect(judged([mail.leaf(), mail], .added).outcome("ATS-CERT-EKU") == .fail)
    #expect(judged([mail.leaf(), mail], .added, os: "ios15.8").outcome("ATS-CERT-EKU") == .pass)
    #expect(judged([mail.leaf(), mail], .added, os: "macos13").outcome("ATS-CERT-EKU") == .fail)
    #expect(judged([mail.leaf(), mail], .system, os: "ios12.5").outcome("ATS-CERT-EKU") == .pass)
    #expect(judged([mail.leaf(), mail], .system, os: "ios13").outcome("ATS-CERT-EKU") == .fail)
    for usage in ["1.3.6.1.4.1.311.10.3.3", "2.16.840.1.113730.4.1"] {
      let gated = root.authority("Gated CA") { $0.usages = [usage] }
      #expect(judged([gated.leaf(), gated], .system).outcome("ATS-CERT-EKU") == .fail)
      #expect(judged([gated.leaf(), gated], .added).outcome("ATS-CERT-EKU") == .pass)
    }
    // A self-issued certificate, as in a key rollover, is an intermediate like any other.
    let rolled = root.authority("Test Root") { $0.usages = ["1.3.6.1.5.5.7.3.4"] }
    #expect(judged([rolled.leaf(), rolled], .system).outcome("ATS-CERT-EKU") == .fail)
    // A root's own usages are ignored.
    let usual = Issued.root("Mail Root") { $0.usages = ["1.3.6.1.5.5.7.3.4"] }
    #expect(judged([usual.leaf()], .system, root: usual).outcome("ATS-CERT-EKU") == .pass)
  }

  @Test func `the leaf must have a subjectAltName that matches the host`() {
    #expect(
      failing(judged([authority.leaf { $0.dnsNames = nil }, authority])) == ["ATS-CERT-HOST", "ATS-CERT-SAN"])
    #expect(
      failing(judged([authority.leaf { $0.dnsNames = ["other.example"] }, authority])) == ["ATS-CERT-HOST"])
    let wildcard = authority.leaf { $0.dnsNames = ["*.example.com"] }
    #expect(judged([wildcard, authority]).verdict == .pass)
  }

  static let epochs: [(os: String, leaf: Finding.Outcome, issuer: Finding.Outcome, issuerUnderSystem: Finding.Outcome)] = [
    ("ios9", .fail, .pass, .pass), ("ios10.3", .fail, .pass, .pass), ("macos10.12.6", .fail, .pass, .pass),
    ("ios11", .fail, .pass, .fail), ("macos10.13", .fail, .pass, .fail), ("ios12.5", .fail, .pass, .fail),
    ("macos10.14.6", .fail, .pass, .fail), ("ios13", .fail, .fail, .fail),
    ("macos10.15", .fail, .fail, .fail),
    ("ios26.5", .fail, .fail, .fail),
  ]

  @Test(arguments: epochs)
  func `SHA-1 fails in leaves first, then in issuers below system roots, then in all issuers`(
    os: String, leaf: Finding.Outcome, issuer: Finding.Outcome, issuerUnderSystem: Finding.Outcome
  ) {
    let sha1 = "1.2.840.10045.4.1"
    let weakLeaf = [authority.leaf { $0.signatureAlgorithm = sha1 }, authority]
    #expect(judged(weakLeaf, os: os).outcome("ATS-CERT-SIG") == leaf)
    let weak = root.authority("Weak CA") { $0.signatureAlgorithm = sha1 }
    #expect(judged([weak.leaf(), weak], .added, os: os).outcome("ATS-CERT-SIG") == issuer)
    #expect(judged([weak.leaf(), weak], .system, os: os).outcome("ATS-CERT-SIG") == issuerUnderSystem)
  }

  @Test(arguments: [
    ("ios9", "ios13"), ("ios12.5", "ios13"), ("macos10.14.6", "macos10.15"),
  ])
  func `the common name is matched up to iOS 12, only subjectAltName since iOS 13`(
    before: String, after: String
  ) {
    let bare = [authority.leaf { $0.dnsNames = nil }, authority]
    #expect(failing(judged(bare, os: before)) == [])
    #expect(failing(judged(bare, os: after)) == ["ATS-CERT-HOST", "ATS-CERT-SAN"])
  }

  @Test(arguments: [
    ("ios12", Finding.Outcome.notApplicable), ("ios12.1", .fail), ("macos10.14.1", .notApplicable),
    ("macos10.14.2", .fail),
  ])
  func `SCTs are required since iOS 12_1 and macOS 10_14_2`(os: String, outcome: Finding.Outcome) {
    #expect(judged([authority.leaf(), authority], .system, os: os).outcome("ATS-CT") == outcome)
  }

  @Test(arguments: [("ios13.7", Finding.Outcome.notApplicable), ("ios14", .fail), ("macos11", .fail)])
  func `pins are enforced since iOS 14 and macOS 11`(os: String, outcome: Finding.Outcome) {
    let dictionary = ATSDictionary(
      pinnedDomains: [PinnedDomain(key: "www.example.com", leafDigests: ["AAAA"])])
    var assumptions = JudgingAssumptions()
    if let release = try? SystemRelease(named: os) { assumptions.release = release }
    var judge = Judge(
      dictionary: dictionary, assumptions: assumptions,
      evaluator: TrustEvaluator(TrustStore(systemRoots: .none, added: [root.der])))
    let session = SessionBuilder { $0.certificates = [authority.leaf(), authority].map(\.observed) }.session
    #expect(judge.judge(session)["ATS-PIN"].outcome == outcome)
  }

  @Test func `a pin mismatch predicts an error even with ATS off`() {
    let dictionary = ATSDictionary(
      allowsArbitraryLoads: true,
      pinnedDomains: [PinnedDomain(key: "www.example.com", leafDigests: ["AAAA"])])
    var judge = Judge(
      dictionary: dictionary, evaluator: TrustEvaluator(TrustStore(systemRoots: .none, added: [root.der])))
    let session = SessionBuilder { $0.certificates = [authority.leaf(), authority].map(\.observed) }.session
    let content = judge.judge(session).value
    #expect(content.verdict == .exempt)
    #expect(content.predictedError?.code == -1202)
    #expect(content.predictedError?.underlyingCode == -9886)
  }
}

/// Fixes and advice for faults that are not the leaf's.
@Suite struct IssuedAdviceTests {
  /// The fix of the rule that fails, which must be the only one.
  private func fix(_ rule: String, _ certificates: [Issued], root anchor: Issued = root) -> String? {
    let content = judged(certificates, root: anchor)
    #expect(failing(content) == [rule])
    return content[rule].fix?.text
  }

  @Test func `the fix for a CA's fault does not concern the leaf`() {
    let old = Issued.root("Old Root") { $0.notAfter = Timestamp("2025-06-01T00:00:00Z") }
    #expect(
      fix("ATS-CERT-DATES", [old.leaf()], root: old)
        == "Server: replace an expired intermediate in the chain. Devices: replace an expired root")
    let weak = root.authority("Weak CA") { $0.signatureAlgorithm = "1.2.840.10045.4.1" }
    #expect(
      fix("ATS-CERT-SIG", [weak.leaf(), weak]) == "Server: use a CA whose certificates are signed with SHA-256 or stronger")
    let issuing = "Server: use a CA that may issue this certificate and whose own certificates follow RFC 5280"
    let other = root.authority("Other CA") { $0.nameConstraints = CertificateForm.subtrees(0xA0, "example.org") }
    #expect(fix("ATS-CERT-CHAIN", [other.leaf(), other]) == issuing)
    let plain = root.authority("Plain CA") { $0.isCA = false }
    #expect(fix("ATS-CERT-CHAIN", [plain.leaf(), plain]) == issuing)
    let mail = root.authority("Mail CA") { $0.usages = ["1.3.6.1.5.5.7.3.4"] }
    #expect(fix("ATS-CERT-EKU", [mail.leaf(), mail]) == "Server: use a CA whose certificates allow serverAuth")
  }

  @Test func `the fix for a missing issuer begins with the intermediates`() {
    #expect(fix("ATS-CERT-TRUST", [authority.leaf()])?.hasPrefix("Server: send every intermediate; ") == true)
  }

  @Test func `a namesake of the root with another key has a fix for the root`() {
    let namesake = Issued.root { $0.subjectKeyIdentifier = nil }
    #expect(
      fix("ATS-CERT-TRUST", [authority.leaf(), authority], root: namesake)
        == "Server: send a chain to the trusted root. Devices: or install the root whose key signed the certificate")
  }

  @Test(arguments: [("2026-02-01T12:00:00Z", true), ("2025-07-01T12:00:00Z", false)])
  func `a session later than Apple's newest store has a note about updates between releases`(time: String, isNoted: Bool) {
    var judge = Judge(evaluator: TrustEvaluator(TrustStore(systemRoots: .apple)))
    let session = SessionBuilder {
      $0.certificates = [authority.leaf(), authority, root].map(\.observed)
      $0.time = Timestamp(iso8601: time)
    }.session
    let finding = judge.judge(session)["ATS-CERT-TRUST"]
    #expect(finding.outcome == .fail)
    #expect(finding.notes.contains { $0.hasPrefix("Apple's roots are those of 2025-07-20; ") } == isNoted)
  }

  @Test func `a leaf after its issuers should be sent first`() {
    let content = judged([authority, authority.leaf()])
    let first = "Server: send its own certificate first, then each issuer in turn"
    #expect(content["ATS-CERT-HOST"].fix?.text == first)
    #expect(content["ATS-CERT-SAN"].fix?.text == first)
    #expect(content["ADV-CHAIN-ORDER"].fix?.text == first)
    #expect(content["ADV-CHAIN-EXTRA"].outcome == .notApplicable)
  }

  @Test func `an issuer whose name has another string type is named as the cause`() {
    let typed = root.authority("Test CA", key: authority.key) { $0.subjectTag = 0x13 }
    let content = judged([authority.leaf(), typed])
    #expect(
      content["ATS-CERT-TRUST"].observed
        == "the server certificate names its issuer Test CA with other string types than the issuer's own certificate")
    #expect(
      content["ATS-CERT-TRUST"].fix?.text == "Server: use a certificate with the issuer's name encoded as in the issuer's certificate")
    #expect(content["ADV-CHAIN-EXTRA"].outcome == .notApplicable)
  }

  @Test func `a CA's new key signed with its old one is not a root, and a sent root is named`() {
    let renewed = authority.authority("Test CA") { $0.subjectKeyIdentifier = [9] }
    let rollover = judged([renewed.leaf(), renewed, authority])
    #expect(rollover.verdict == .pass)
    #expect(rollover["ADV-CHAIN-ROOT"].outcome == .pass)
    let sent = judged([authority.leaf(), authority, root])["ADV-CHAIN-ROOT"]
    #expect(sent.observed == "the root Test Root was sent")
    #expect(sent.certificateIndex == 2)
    #expect(judged([authority.leaf(), authority, root], nil)["ADV-CHAIN-ROOT"].outcome == .fail)
  }
}

@Suite struct IssuedFormTests {
  /// The required rules that fail for a chain with a changed CA.
  private func broken(
    _ change: (inout CertificateForm) -> Void, leaf: (inout CertificateForm) -> Void = { _ in }
  ) -> [String] {
    let changed = root.authority("Changed CA", change)
    return failing(judged([changed.leaf(leaf), changed]))
  }

  private let form = ["ATS-CERT-CHAIN"]

  @Test func `an issuer must be a CA that may sign, without unknown critical extensions`() {
    #expect(broken { _ in } == [])
    #expect(broken { $0.isCA = false } == form)
    #expect(broken { $0.isCA = nil } == form)
    #expect(broken { $0.keyUsage = 0x80 } == form)
    #expect(broken { $0.keyUsage = nil } == [])
    #expect(broken { $0.keyUsage = 0 } == [])
    #expect(broken { $0.pathLength = 0 } == [])
    #expect(
      broken { $0.moreExtensions = [DER.certificateExtension("1.2.3.4", critical: true, [5, 0])] } == form)
    #expect(broken { $0.moreExtensions = [DER.certificateExtension("1.2.3.4", [5, 0])] } == [])
    #expect(broken { $0.subjectKeyIdentifier = nil } == [])
  }

  @Test func `pathLenConstraint limits the CAs below an issuer`() {
    let limited = root.authority("Limited CA") { $0.pathLength = 0 }
    let below = limited.authority("Lower CA")
    #expect(failing(judged([below.leaf(), below, limited])) == form)
    let wider = root.authority("Wider CA") { $0.pathLength = 1 }
    let lower = wider.authority("Lower CA")
    #expect(failing(judged([lower.leaf(), lower, wider])) == [])
  }

  @Test func `an anchor's pathLenConstraint applies since iOS 15`() {
    let short = Issued.root("Short Root") { $0.pathLength = 0 }
    let below = short.authority("Lower CA")
    let lowest = below.authority("Lowest CA")
    #expect(failing(judged([lowest.leaf(), lowest, below], root: short)) == form)
    #expect(failing(judged([lowest.leaf(), lowest, below], root: short, os: "ios14.8")) == [])
    #expect(failing(judged([short.leaf()], root: short)) == [])
    #expect(judged([lowest.leaf(), lowest, below, short], nil)["ATS-CERT-CHAIN"].outcome == .unknown)
    // The limit of a CA that is not self-signed applies whether it is sent or an anchor.
    let limited = root.authority("Limited CA") { $0.pathLength = 0 }
    let lower = limited.authority("Lower CA")
    #expect(failing(judged([lower.leaf(), lower, limited])) == form)
    #expect(failing(judged([lower.leaf(), lower], root: limited)) == form)
  }

  @Test func `every unknown finding lists what would settle it`() {
    func open(_ content: Judgement) -> [String] {
      content.findings.filter { $0.outcome == .unknown && $0.settledBy.isEmpty }.map(\.id)
    }
    let constrained = root.authority("Constrained CA") {
      $0.nameConstraints = CertificateForm.subtrees(0xA0, "example.com")
    }
    let without = judged([constrained.leaf(), constrained], nil)
    #expect(without["ATS-CERT-CHAIN"].outcome == .unknown)
    #expect(without["ATS-CERT-CHAIN"].settledBy == [.anchors, .systemAnchors])
    #expect(open(without) == [])
    let hashed = judged([authority.leaf { $0.signatureAlgorithm = "1.2.840.10045.4.3.1" }, authority])
    #expect(hashed["ATS-CERT-TRUST"].outcome == .unknown)
    #expect(open(hashed) == [])
    let unreadable = judged([
      authority.leaf {
        $0.usages = nil
        $0.moreExtensions = [DER.certificateExtension("2.5.29.37", [5, 0])]
      }, authority,
    ])
    #expect(unreadable["ATS-CERT-EKU"].outcome == .unknown)
    #expect(open(unreadable) == [])
  }

  @Test func `each structural fault of a CA has its own trust error code`() {
    func code(_ change: (inout CertificateForm) -> Void) -> Int? {
      let changed = root.authority("Changed CA", change)
      let lower = changed.authority("Lower CA")
      return judged([lower.leaf(), lower, changed]).predictedError?.trustCode
    }
    #expect(code { _ in } == nil)
    #expect(
      code { $0.moreExtensions = [DER.certificateExtension("1.2.3.4", critical: true, [5, 0])] } == -67603)
    #expect(code { $0.isCA = nil } == -67604)
    #expect(code { $0.isCA = false } == -67605)
    #expect(code { $0.pathLength = 0 } == -67611)
    #expect(code { $0.keyUsage = 0x80 } == -67843)
  }

  @Test func `a root that was not sent has separate codes for not yet valid and expired`() {
    let early = Issued.root("Early Root") { $0.notBefore = Timestamp("2026-03-01T00:00:00Z") }
    let error = judged([early.leaf()], root: early).predictedError
    #expect(error?.trustCode == -67819)
    let late = Issued.root("Late Root") { $0.notAfter = Timestamp("2026-01-15T00:00:00Z") }
    #expect(judged([late.leaf()], root: late).predictedError?.trustCode == -67818)
  }

  @Test func `authorityKeyIdentifier must match subjectKeyIdentifier if both are present`() {
    #expect(broken({ _ in }, leaf: { $0.authorityKeyIdentifier = [9, 9] }) == form)
    #expect(broken({ _ in }, leaf: { $0.authorityKeyIdentifier = .some(nil) }) == [])
    #expect(broken({ _ in }, leaf: { $0.authorityKeyIdentifier = [] }) == [])
    #expect(broken { $0.subjectKeyIdentifier = [] } == [])
  }

  @Test func `a serial number has at most 37 bytes`() {
    #expect(broken({ _ in }, leaf: { $0.serial = Bytes(repeating: 0x11, count: 37) }) == [])
    #expect(broken({ _ in }, leaf: { $0.serial = Bytes(repeating: 0x11, count: 38) }) == form)
    #expect(broken({ $0.serial = Bytes(repeating: 0x11, count: 38) }) == form)
  }

  @Test func `critical key identifiers and authorityInfoAccess and a leaf's nameConstraints pass`() {
    let access = DER.certificateExtension(
      "1.3.6.1.5.5.7.1.1", critical: true,
      DER.sequence(DER.sequence(DER.oid("1.3.6.1.5.5.7.48.1"), DER.string(0x86, "http://o/"))))
    #expect(broken({ _ in }, leaf: { $0.moreExtensions = [access] }) == [])
    let identifier = DER.certificateExtension("2.5.29.14", critical: true, DER.octets([1]))
    #expect(broken({ _ in }, leaf: { $0.moreExtensions = [identifier] }) == [])
    let issuer = DER.certificateExtension("2.5.29.35", critical: true, DER.sequence())
    let changed = { (form: inout CertificateForm) in
      form.authorityKeyIdentifier = .some(nil)
      form.moreExtensions = [issuer]
    }
    #expect(broken({ _ in }, leaf: changed) == [])
    #expect(broken({ _ in }, leaf: { $0.nameConstraints = CertificateForm.subtrees(0xA0, "example.org") }) == [])
  }

  @Test func `an anchor's extensions need not be known, but must be readable, up to iOS 14 only critical ones`() {
    func under(_ identifier: String, critical: Bool, os: String = "ios26") -> [String] {
      let anchor = Issued.root("Odd Root") {
        $0.moreExtensions = [DER.certificateExtension(identifier, critical: critical, [5, 0])]
      }
      return failing(judged([anchor.leaf()], root: anchor, os: os))
    }
    #expect(under("1.2.3.4", critical: true) == [])
    #expect(under("2.5.29.32", critical: false) == form)
    #expect(under("2.5.29.32", critical: false, os: "ios14.8") == [])
    #expect(under("2.5.29.32", critical: true, os: "ios14.8") == form)
    // The extensions of a leaf that is an anchor count.
    var odd = CertificateForm()
    odd.moreExtensions = [DER.certificateExtension("1.2.3.4", critical: true, [5, 0])]
    let alone = Issued(selfSigned: odd)
    #expect(failing(judged([alone], root: alone)) == form)
  }

  @Test func `non-DER encodings and trailing bytes fail, serial numbers with leading zeros pass`() {
    let usual = DER.certificateExtension("1.2.3.4", [5, 0])
    let long: Bytes = [0x30, 0x81] + usual.dropFirst()
    #expect(broken({ _ in }, leaf: { $0.moreExtensions = [usual] }) == [])
    #expect(broken({ _ in }, leaf: { $0.moreExtensions = [long] }) == form)
    #expect(broken { $0.moreExtensions = [long] } == form)
    let flag = DER.sequence(DER.oid("1.2.3.4"), [0x01, 0x01, 0x01], DER.octets([5, 0]))
    #expect(broken({ _ in }, leaf: { $0.moreExtensions = [flag] }) == form)
    #expect(broken({ _ in }, leaf: { $0.serial = [0, 0, 7] }) == [])
    let leaf = authority.leaf()
    let bytes = leaf.der + [0, 0]
    let longer = ObservedCertificate(parsing: bytes.span)
    let content = judged([leaf, authority]) { $0.certificates = [longer, authority.observed] }
    #expect(failing(content) == form)
    #expect(content["ATS-CERT-CHAIN"].observed == "the server certificate has trailing bytes")
    // An anchor's encoding is not checked.
    let odd = Issued.root("Odd Root") { $0.moreExtensions = [long] }
    #expect(failing(judged([odd.leaf()], root: odd)) == [])
  }

  @Test(arguments: [(0, false), (1, false), (2, true), (3, false), (0x80, false)] as [(UInt8, Bool)])
  func `a certificate with extensions must have version 3`(version: UInt8, isTaken: Bool) {
    #expect(broken({ _ in }, leaf: { $0.version = version }) == (isTaken ? [] : form))
  }

  @Test func `a malformed Certificate message leaves trust unknown`() {
    let content = judged([authority.leaf(), authority]) { builder in
      builder.isChainComplete = false
      builder.finish = { $0.evidence.add(.certificateMessageMalformed) }
    }
    #expect(content["ATS-CERT-TRUST"].outcome == .unknown)
    #expect(
      content["ATS-CERT-TRUST"].settledBy == [.evidence("record a valid Certificate message (this one violates its format)")])
  }

  @Test func `a self-signed certificate in a malformed Certificate message fails`() {
    let content = judged([Issued(selfSigned: CertificateForm())]) { builder in
      builder.isChainComplete = false
      builder.finish = { $0.evidence.add(.certificateMessageMalformed) }
    }
    #expect(content.outcome("ATS-CERT-TRUST") == .fail)
  }

  @Test func `an undecodable certificate fails ATS-CERT-CHAIN unless the list is truncated`() {
    var text = authority.leaf().der
    // The month of notBefore: 2026-01.
    let date = Array("20260101000000Z".utf8)
    guard let start = text.indices.first(where: { text[$0...].starts(with: date) }) else {
      Issue.record("no date in the leaf")
      return
    }
    text[start + 4] = UInt8(ascii: "9")
    let leaf = ObservedCertificate(parsing: text.span)
    let content = judged([authority]) { $0.certificates = [leaf, authority.observed] }
    #expect(content.outcome("ATS-CERT-CHAIN") == .fail)
    #expect(content["ATS-CERT-CHAIN"].observed?.contains("cannot be decoded completely: validity") == true)
    #expect(content.outcome("ATS-CERT-DATES") == .unknown)
    let partial = judged([authority]) { builder in
      builder.certificates = [leaf, authority.observed]
      builder.isChainComplete = false
    }
    #expect(partial.outcome("ATS-CERT-CHAIN") == .unknown)
  }

  @Test func `only extensions that the system parses must have readable values`() {
    func garbage(_ identifier: String) -> [Bytes] { [DER.certificateExtension(identifier, [0xDE, 0xAD])] }
    for known in ["2.5.29.32", "2.5.29.33", "2.5.29.36", "2.5.29.54", "1.3.6.1.5.5.7.1.1"] {
      #expect(broken({ _ in }, leaf: { $0.moreExtensions = garbage(known) }) == form)
    }
    // The system's parser ignores others, such as SCT lists and TLS features.
    for other in ["1.3.6.1.4.1.11129.2.4.2", "1.3.6.1.5.5.7.1.24", "2.5.29.9"] {
      #expect(broken({ _ in }, leaf: { $0.moreExtensions = garbage(other) }) == [])
    }
  }

  @Test func `deviations from RFC 5280 that occur in practice pass`() {
    #expect(broken({ _ in }, leaf: { $0.serial = [0x00] }) == [])
    #expect(broken({ _ in }, leaf: { $0.serial = [0x80] }) == [])
    // The leaf has an authorityKeyIdentifier, its issuer no subjectKeyIdentifier.
    #expect(
      broken({ $0.subjectKeyIdentifier = nil }, leaf: { $0.authorityKeyIdentifier = [1, 2, 3] }) == [])
    // Non-critical policyConstraints that apply only three CAs further down.
    let limit = DER.certificateExtension("2.5.29.36", DER.sequence([0x80, 0x01, 0x03]))
    #expect(broken { $0.moreExtensions = [limit] } == [])
  }

  @Test func `name and policy constraints of a CA apply to the certificates below it`() {
    #expect(broken { $0.nameConstraints = CertificateForm.subtrees(0xA0, "example.com") } == [])
    #expect(broken { $0.nameConstraints = CertificateForm.subtrees(0xA0, "example.org") } == form)
    #expect(broken { $0.nameConstraints = CertificateForm.subtrees(0xA1, "www.example.com") } == form)
    #expect(broken { $0.requireExplicitPolicy = 0 } == form)
  }

  @Test func `a version 1 root may issue, a version 1 intermediate only below such a root`() {
    let old = Issued.root("Old Root") { $0.hasExtensions = false }
    #expect(failing(judged([old.leaf()], root: old)) == [])
    #expect(broken { $0.hasExtensions = false } == form)
    // Below a version 1 root it may: version 1 has no way to mark a CA.
    let lower = old.authority("Old CA") { $0.hasExtensions = false }
    #expect(failing(judged([lower.leaf(), lower], root: old)) == [])
  }

  @Test func `a version 3 root without basicConstraints is not a CA`() {
    let bare = Issued.root("Bare Root") { form in
      form.isCA = nil
      form.keyUsage = nil
    }
    #expect(failing(judged([bare.leaf()], root: bare)) == form)
  }
}

@Suite struct IssuedPinTests {
  private func judged(_ digests: [String], of chain: [Issued], _ trusted: TrustStore) -> Finding {
    let dictionary = ATSDictionary(
      pinnedDomains: [PinnedDomain(key: "www.example.com", caDigests: digests)])
    var judge = Judge(dictionary: dictionary, evaluator: TrustEvaluator(trusted))
    let session = SessionBuilder { $0.certificates = chain.map(\.observed) }.session
    return judge.judge(session)["ATS-PIN"]
  }

  /// The digest of a key in the format of NSPinnedDomains.
  private func pin(_ issued: Issued) -> String {
    Base64.text(of: issued.observed.spkiSHA256.map(hex) ?? [])
  }

  @Test func `NSPinnedCAIdentities may match a root that was not sent`() {
    let store = TrustStore(systemRoots: .none, added: [root.der])
    let chain = [authority.leaf(), authority]
    #expect(judged([pin(root)], of: chain, store).outcome == .pass)
    #expect(judged([pin(authority)], of: chain, store).outcome == .pass)
    #expect(judged([pin(chain[0])], of: chain, store).outcome == .fail)
    #expect(judged([pin(root)], of: chain, TrustStore(systemRoots: .none)).outcome == .unknown)
  }

  @Test func `NSPinnedCAIdentities cannot match a self-signed leaf, trusted or not`() {
    let alone = Issued(selfSigned: CertificateForm())
    for store in [TrustStore(systemRoots: .none, added: [root.der]), TrustStore(systemRoots: .none)] {
      #expect(judged([pin(alone)], of: [alone], store).outcome == .fail)
      #expect(judged([pin(root)], of: [alone, root], store).outcome == .fail)
    }
    // Even as its own anchor the leaf is not a CA of the path.
    let trusted = TrustStore(systemRoots: .none, added: [alone.der])
    #expect(judged([pin(alone)], of: [alone], trusted).outcome == .fail)
  }
}
