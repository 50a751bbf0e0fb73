import ByteParsing
import CertificateIssuing
import CertificateParsing
import CertificateTransparency
import TestBytes
import Testing
import Values

struct TransparencyVerifierTests {
  let issuer = CertificateIssuer()
  let time = Timestamp("2026-01-01T00:00:00Z")

  private func results(
    _ leaf: Certificate, _ list: Bytes?, from source: TimestampSource, under logs: [TestLog],
    issuer: Certificate?
  ) -> [VerifiedTimestamp.Validity]? {
    let verifier = TransparencyVerifier(logList: TransparencyLogList(logs: logs.map(\.listed)))
    return list.flatMap { verifier.timestamps($0, from: source, of: leaf, issuer: issuer)?.map(\.validity) }
  }

  @Test
  func `embedded SCTs verify only with the issuer that signed the certificate`() throws {
    let log = TestLog()
    let leaf = try issuer.leaf([log], at: [time])
    let right = try issuer.certificate()
    #expect(results(leaf, leaf.sctList, from: .certificate, under: [log], issuer: right) == [.valid])
    let other = try CertificateIssuer().certificate()
    #expect(
      results(leaf, leaf.sctList, from: .certificate, under: [log], issuer: other) == [.invalid(.signature)])
    #expect(results(leaf, leaf.sctList, from: .certificate, under: [log], issuer: nil) == [.notVerifiable])
    #expect(
      results(leaf, leaf.sctList, from: .tls, under: [log], issuer: right) == [.invalid(.signature)])
  }

  @Test
  func `a changed SCT is invalid, an SCT of an unlisted log is reported as unknown`() throws {
    let log = TestLog()
    let leaf = try issuer.leaf([log], at: [time], altering: true)
    let right = try issuer.certificate()
    #expect(
      results(leaf, leaf.sctList, from: .certificate, under: [log], issuer: right) == [.invalid(.signature)])
    #expect(
      results(leaf, leaf.sctList, from: .certificate, under: [TestLog()], issuer: right) == [.unknownLog])
  }

  @Test(arguments: [TimestampSource.tls, .ocsp])
  func `SCTs from the TLS extension and OCSP are over the whole certificate`(source: TimestampSource) throws {
    let log = TestLog()
    let leaf = try issuer.issue("leaf", key: .newP256())
    let list = DER.sctList([try log.sct(of: leaf, at: time)])
    #expect(results(leaf, list, from: source, under: [log], issuer: nil) == [.valid])
    #expect(results(leaf, list, from: .certificate, under: [log], issuer: leaf) == [.notVerifiable])
    let other = try issuer.issue("other", key: .newP256())
    #expect(results(other, list, from: source, under: [log], issuer: nil) == [.invalid(.signature)])
  }

  @Test
  func `a shard includes its start time and excludes its end time`() throws {
    let notAfter = Timestamp("2026-06-01T00:00:00Z")
    func result(_ start: Timestamp, _ end: Timestamp) throws -> [VerifiedTimestamp.Validity]? {
      var log = TestLog()
      log.shard = start..<end
      let leaf = try issuer.leaf([log], at: [time])
      return results(
        leaf, leaf.sctList, from: .certificate, under: [log], issuer: try issuer.certificate())
    }
    let second = Timestamp(seconds: notAfter.seconds + 1)
    let before = Timestamp(seconds: notAfter.seconds - 1)
    #expect(try result(notAfter, second) == [.valid])
    #expect(try result(before, notAfter) == [.invalid(.shard)])
    #expect(try result(second, Timestamp(seconds: second.seconds + 1)) == [.invalid(.shard)])
  }

  @Test
  func `SCTs of a read-only log after its freeze, and of an untrusted log, are invalid`() throws {
    var log = TestLog()
    let leaf = try issuer.leaf([log], at: [time])
    let right = try issuer.certificate()
    func result() -> [VerifiedTimestamp.Validity]? {
      results(leaf, leaf.sctList, from: .certificate, under: [log], issuer: right)
    }
    log.state = .readOnly(since: time)
    #expect(result() == [.valid])
    log.state = .readOnly(since: Timestamp(seconds: time.seconds - 1))
    #expect(result() == [.invalid(.frozen)])
    log.state = .notTrusted
    #expect(result() == [.invalid(.notTrusted)])
    log.state = .pending
    #expect(result() == [.valid])
    log.state = .retired(since: Timestamp(seconds: 0))
    #expect(result() == [.valid])
  }

  @Test
  func `each SCT list is verified once per certificate and source`() throws {
    let log = TestLog()
    let leaf = try issuer.leaf([log, log], at: [time, time])
    let verifier = TransparencyVerifier(logList: TransparencyLogList(logs: [log.listed]))
    let list = try #require(leaf.sctList)
    let right = try issuer.certificate()
    for _ in 0..<10 { _ = verifier.timestamps(list, from: .certificate, of: leaf, issuer: right) }
    #expect(verifier.verificationsMade == 1)
    _ = verifier.timestamps(list, from: .tls, of: leaf, issuer: right)
    #expect(verifier.verificationsMade == 2)
  }

  @Test
  func `SCTs with other hashes, signature algorithms or versions and malformed lists are not valid`() throws {
    let log = TestLog()
    let leaf = try issuer.issue("leaf", key: .newP256())
    let good = try log.sct(of: leaf, at: time)
    for (hash, signature) in [(2, 3), (4, 2), (4, 1), (8, 7)] as [(UInt8, UInt8)] {
      var bad = good
      bad[43] = hash
      bad[44] = signature
      #expect(
        results(leaf, DER.sctList([bad]), from: .tls, under: [log], issuer: nil) == [.invalid(.signature)])
    }
    #expect(results(leaf, DER.sctList([[1, 2, 3]]), from: .tls, under: [log], issuer: nil) == [])
    #expect(results(leaf, DER.sctList([good + [0]]), from: .tls, under: [log], issuer: nil) == [])
    #expect(results(leaf, [0], from: .tls, under: [log], issuer: nil) == nil)
  }
}
