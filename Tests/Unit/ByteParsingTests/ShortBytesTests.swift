import ByteParsing
import Testing

@Suite struct ShortBytesTests {
  @Test(arguments: [0, 1, 7, 8, 9, 31, 32, 40])
  func `short bytes keep the first 32 bytes`(count: Int) {
    let bytes = Bytes((0..<count).map { UInt8(0xA0 + $0 % 90) })
    let expected = Bytes(bytes.prefix(32))
    #expect(ShortBytes(bytes.span).bytes == expected)
    #expect(ShortBytes(bytes) == ShortBytes(bytes.span))
    #expect(hexadecimal(ShortBytes(bytes)) == hexadecimal(expected))
  }

  @Test(arguments: [0, 1, 7, 8, 15, 16, 17, 31, 32])
  func `the hash depends on every byte, on their number and on the seed`(count: Int) {
    let bytes = Bytes((0..<count).map { UInt8($0) })
    let hash = ShortBytes(bytes).seededHash(7)
    #expect(ShortBytes(bytes.span).seededHash(7) == hash)
    #expect(ShortBytes(bytes).seededHash(8) != hash)
    for index in bytes.indices {
      var other = bytes
      other[index] ^= 0x80
      #expect(ShortBytes(other).seededHash(7) != hash)
    }
    if count < ShortBytes.capacity { #expect(ShortBytes(bytes + [0]).seededHash(7) != hash) }
  }
}
