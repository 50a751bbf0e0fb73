import ByteParsing

// Everything of this module that is marked `unsafe`: loads of whole numbers, for which spans offer no safe form, and
// moving bytes within a buffer. All of it checks its bounds.

extension Span where Element == UInt8 {
  /// The same bytes for wide loads.
  @usableFromInline
  var raw: RawSpan {
    @_lifetime(copy self)
    @inlinable
    @inline(__always)
    get { unsafe bytes }
  }
}

extension RawSpan {
  /// The next bytes as a value of several numbers at once; checks the bounds once for all of them.
  @inline(__always)
  func load<Layout: WireLayout>(_: Layout.Type, at offset: Int, _ byteOrder: ByteOrder) -> Layout {
    let value = unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: Layout.self)
    return byteOrder == .ofThisMachine ? value : value.byteSwapped
  }

  /// Eight bytes as a number, the first byte the least significant.
  @inlinable
  @inline(__always)
  func littleEndian64(at offset: Int) -> UInt64 {
    UInt64(littleEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// One byte.
  @inline(__always)
  func uint8(at offset: Int) -> UInt8 {
    unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt8.self)
  }

  /// Two bytes as a number.
  @inline(__always)
  func uint16(at offset: Int, _ byteOrder: ByteOrder) -> UInt16 { load(UInt16.self, at: offset, byteOrder) }

  /// Four bytes as a number.
  @inline(__always)
  func uint32(at offset: Int, _ byteOrder: ByteOrder) -> UInt32 { load(UInt32.self, at: offset, byteOrder) }

  /// Eight bytes as a number.
  @inline(__always)
  func uint64(at offset: Int, _ byteOrder: ByteOrder) -> UInt64 { load(UInt64.self, at: offset, byteOrder) }
}

/// A number, or a row of numbers that lie in memory as they do in the file: any bytes make a valid value.
protocol WireLayout: BitwiseCopyable {
  /// The value read in the other byte order.
  var byteSwapped: Self { get }
}

extension UInt16: WireLayout {}
extension UInt32: WireLayout {}
extension UInt64: WireLayout {}

extension ContiguousArray where Element == UInt8 {
  /// The bytes, to load numbers from.
  @usableFromInline
  var rawBytes: RawSpan {
    @_lifetime(borrow self)
    @inlinable
    @inline(__always)
    get {
      // Marked unsafe for types with padding, of which bytes have none.
      unsafe span.bytes
    }
  }

  /// Moves the bytes of `range` to where `destination` is their first index; both places may overlap.
  mutating func move(_ range: Range<Int>, to destination: Int) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    precondition(destination >= 0 && destination <= count - range.count)
    // An array offers no move within itself that does not copy the whole of it first.
    unsafe withUnsafeMutableBytes { bytes in
      let target = unsafe UnsafeMutableRawBufferPointer(
        rebasing: bytes[destination..<(destination + range.count)])
      unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[range]))
    }
  }
}
