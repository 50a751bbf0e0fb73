import ByteParsing

extension RawSpan {
  /// Loads a number, or a header of several numbers, in a byte order and with one bounds check.
  @inline(__always)
  func load<Layout: WireLayout>(_: Layout.Type, at offset: Int, _ byteOrder: ByteOrder) -> Layout {
    let value = load(Layout.self, at: offset)
    return byteOrder == .ofThisMachine ? value : value.byteSwapped
  }

  @inline(__always)
  func uint16(at offset: Int, _ byteOrder: ByteOrder) -> UInt16 { load(UInt16.self, at: offset, byteOrder) }

  @inline(__always)
  func uint32(at offset: Int, _ byteOrder: ByteOrder) -> UInt32 { load(UInt32.self, at: offset, byteOrder) }

  @inline(__always)
  func uint64(at offset: Int, _ byteOrder: ByteOrder) -> UInt64 { load(UInt64.self, at: offset, byteOrder) }
}
