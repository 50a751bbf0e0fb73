import ATScope
import ByteParsing
import TestFiles
import Testing

@Suite struct AnonymizationKeyTests {
  @Test func `pseudonyms differ between runs unless a key file is used`() throws {
    let scratch = try TemporaryFolder()
    let secret = try scratch.write("key", Bytes(0..<16))
    let capture = "captures/tls12/ecdhe-rsa-gcm.pcap"
    func extract(_ key: AnonymizationKey) -> Bytes {
      let extraction = Extraction(AuditOptions(paths: [capture]), anonymizationKey: key).whole()
      return extraction.bytes
    }
    #expect(extract(.random()) != extract(.random()))
    let key = try AnonymizationKey(contentsOf: secret)
    #expect(try extract(key) == extract(AnonymizationKey(contentsOf: secret)))
    #expect(extract(key) != extract(.random()))
  }

  @Test func `a key of less than 16 bytes is rejected`() throws {
    let scratch = try TemporaryFolder()
    let path = try scratch.write("key", Bytes(0..<15))
    #expect(throws: AuditError.self) { try AnonymizationKey(contentsOf: path) }
    #expect(throws: AuditError.self) { try AnonymizationKey(contentsOf: scratch.path + "/none") }
  }
}
