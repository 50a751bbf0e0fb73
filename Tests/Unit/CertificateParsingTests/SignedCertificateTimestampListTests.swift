import ByteParsing
import CertificateParsing
import SeededRandom
import TestBytes
import Testing
import Values

@Suite struct SignedCertificateTimestampListTests {
  @Test func `the fields of an SCT are read`() throws {
    let bytes = DER.sctList([sct(log: 0xAB)])
    let list = try SignedCertificateTimestampList(bytes: bytes)
    #expect(list.count == 1)
    let timestamp = try #require(list.timestamps.first)
    #expect(timestamp.version == 0)
    #expect(timestamp.logID == Bytes(repeating: 0xAB, count: 32))
    #expect(timestamp.timestampMilliseconds == 1_400_000_000_123)
    #expect(timestamp.time.description == "2014-05-13T16:53:20.123000Z")
    #expect(timestamp.extensions == [0xEE])
    #expect(timestamp.hashAlgorithm == 4)
    #expect(timestamp.signatureAlgorithm == 3)
    #expect(timestamp.signature == [0x30, 0x00])
  }

  @Test func `the largest timestamp is read`() throws {
    let bytes = sct(log: 1, milliseconds: .max)
    let timestamp = try SignedCertificateTimestamp(bytes: bytes)
    #expect(timestamp.time.seconds == 18_446_744_073_709_551)
  }

  @Test func `an entry of another version is kept with its version`() throws {
    let bytes = DER.sctList([[0x01, 0xFF], sct(log: 1)])
    let list = try SignedCertificateTimestampList(bytes: bytes)
    #expect(list.timestamps.map(\.version) == [1, 0])
  }

  @Test func `a malformed entry is counted, and the others are read`() throws {
    let whole = sct(log: 1)
    let bytes = DER.sctList([Bytes(whole.dropLast()), whole, whole + [0]])
    let list = try SignedCertificateTimestampList(bytes: bytes)
    #expect(list.count == 3)
    #expect(list.timestamps.count == 1)
  }

  @Test func `an empty list has no entries`() throws {
    let bytes: Bytes = [0, 0]
    #expect(try SignedCertificateTimestampList(bytes: bytes).count == 0)
  }

  @Test func `entries above the limit are counted but not kept`() throws {
    let bytes = DER.sctList((0..<300).map { _ in sct(log: 1) })
    let list = try SignedCertificateTimestampList(bytes: bytes)
    #expect(list.count == 300)
    #expect(list.timestamps.count == 256)
  }

  @Test func `a truncated list throws`() {
    let bytes = DER.sctList([sct(log: 1), sct(log: 2)])
    for count in 0..<bytes.count {
      #expect(throws: ParseError.self) {
        try SignedCertificateTimestampList(bytes: Bytes(bytes[..<count]))
      }
    }
    #expect(throws: ParseError.self) { try SignedCertificateTimestampList(bytes: bytes + [0]) }
  }

  @Test func `an empty entry is counted, and the others are read`() throws {
    let list = try SignedCertificateTimestampList(bytes: DER.sctList([[], sct(log: 1)]))
    #expect(list.count == 2)
    #expect(list.timestamps.count == 1)
  }

  @Test func `random and altered bytes never trap`() {
    var generator = SeededGenerator(seed: 3)
    let whole = DER.sctList([sct(log: 1), sct(log: 2)])
    for _ in 0..<TestEffort.rounds(20_000) {
      _ = try? SignedCertificateTimestampList(bytes: generator.bytes(upTo: 200))
      _ = try? SignedCertificateTimestampList(bytes: generator.altered(whole))
    }
  }
}
