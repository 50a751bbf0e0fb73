import ByteParsing
import Testing

@Suite struct ByteReaderTests {
  @Test(arguments: [0, 1, 2])
  func `the error for a truncated uint24 contains the bytes needed and available`(count: Int) {
    let bytes = Bytes(repeating: 0, count: count)
    let error = #expect(throws: ParseError.self) {
      var reader = ByteReader(bytes.span)
      _ = try reader.readUInt24("length")
    }
    #expect(error?.reason == .truncated(needed: 3, available: count))
  }

  @Test func `integers are read in big-endian byte order`() throws {
    let bytes: Bytes = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18]
    var reader = ByteReader(bytes.span)
    #expect(try reader.readUInt8("a") == 0x01)
    #expect(try reader.readUInt16("b") == 0x0203)
    #expect(try reader.readUInt24("c") == 0x04_0506)
    #expect(try reader.readUInt32("d") == 0x0708_090A)
    #expect(try reader.readUInt64("e") == 0x0B0C_0D0E_0F10_1112)
    try reader.requireEnd(of: "test")
  }

  @Test(arguments: [(0xFF, 1), (0x100, 2), (0xFFFE, 2), (0xFF_FFFF, 3)])
  func `a vector's maximum length determines the width of its length prefix`(ceiling: Int, width: Int) throws {
    var bytes = Bytes(repeating: 0, count: width)
    bytes[width - 1] = 2
    bytes += [0xAA, 0xBB, 0xCC]
    var reader = ByteReader(bytes.span)
    let body = try reader.readVector("v", 0...ceiling)
    #expect(body.remaining == 2)
    #expect(reader.remaining == 1)
  }

  @Test func `a vector longer than the remaining bytes throws and leaves the offset unchanged`() {
    let bytes: Bytes = [5, 1, 2]
    var reader = ByteReader(bytes.span)
    var thrown: ParseError?
    do throws(ParseError) { _ = try reader.readVector("v", 0...32) } catch { thrown = error }
    #expect(thrown == ParseError(.truncated(needed: 5, available: 2), in: "v", at: 0))
    #expect(reader.offset == 0)
  }

  @Test func `a length outside its bounds is rejected`() {
    let bytes: Bytes = [33] + Bytes(repeating: 0, count: 40)
    var reader = ByteReader(bytes.span)
    var thrown: ParseError?
    do throws(ParseError) { _ = try reader.readVector("v", 0...32) } catch { thrown = error }
    #expect(thrown?.reason == .lengthOutOfBounds(33, allowed: 0...32))
  }

  @Test func `a sub-reader reports offsets in the whole input`() throws {
    let bytes: Bytes = [0, 0, 3, 1, 2, 3]
    var reader = ByteReader(bytes.span, base: 100)
    try reader.skip(byteCount: 2, "x")
    var body = try reader.readVector("v", 0...255)
    _ = try body.readUInt16("two")
    #expect(body.offset == 105)
    #expect(body.rest[0] == 3)
  }

  @Test func `hexadecimal writes two digits per byte`() {
    #expect(hexadecimal([0x00, 0x0F, 0xA5, 0xFF] as Bytes) == "000fa5ff")
  }
}
