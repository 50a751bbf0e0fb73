import ByteParsing
import Testing

@Suite struct ByteHashTests {
  private func same(_ a: Bytes, _ b: Bytes) -> Bool { isEqual(a.span, b.span) }

  @Test func `the hash and equality depend on every byte`() {
    for count in [0, 1, 7, 8, 15, 16, 17, 31, 32, 33, 40, 47, 48, 63, 64, 65, 100] {
      let bytes = Bytes((0..<count).map { UInt8($0) })
      let hash = seededHash(of: bytes.span, seed: 7)
      #expect(same(bytes, bytes))
      for index in bytes.indices {
        var other = bytes
        other[index] ^= 0x80
        #expect(seededHash(of: other.span, seed: 7) != hash)
        #expect(!same(other, bytes))
      }
      #expect(!same(bytes, bytes + [0]))
    }
  }

  @Test func `bytes equal to a constant of the hash do not cancel the bytes before them`() {
    // The constants of the hash: a word equal to the constant it is XORed with makes a factor zero.
    let constants: [UInt64] = [
      0xD6E8_FEB8_6659_FD93, 0xA076_1D64_78BD_642F, 0x9E37_79B9_7F4A_7C15, 0xE703_7ED1_A0B4_28DB, 0,
    ]
    for constant in constants {
      for count in [24, 32, 40, 64] {
        let words = (0..<8).map { UInt8(truncatingIfNeeded: constant >> (8 * UInt64($0))) }
        let bytes = Bytes((0..<count).map { words[$0 % 8] })
        var other = bytes
        other[0] ^= 1
        let hashes = (seededHash(of: bytes.span, seed: 7), seededHash(of: other.span, seed: 7))
        #expect(hashes.0 != hashes.1)
      }
    }
  }
}
