// The only code that loads and appends multibyte numbers, for which spans have no safe interface. Each `unsafe` below is safe because every
// access checks its bounds and traps outside them, and because any bytes are a valid number.

/// A number, or several that are in memory as they are in the file: any bytes are a valid value.
@usableFromInline package protocol WireLayout: BitwiseCopyable {
  /// The value read in the other byte order.
  var byteSwapped: Self { get }
}

extension UInt16: WireLayout {}
extension UInt32: WireLayout {}
extension UInt64: WireLayout {}

extension RawSpan {
  /// Loads a value in the byte order of this machine; all of its bytes must be in bounds.
  @inlinable
  @inline(__always)
  package func load<Layout: WireLayout>(_: Layout.Type, at offset: Int) -> Layout {
    unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: Layout.self)
  }

  @inlinable
  @inline(__always)
  package func byte(_ offset: Int) -> UInt8 {
    unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt8.self)
  }

  /// Loads a big-endian 16-bit number.
  @inlinable
  @inline(__always)
  package func big16(_ offset: Int) -> UInt16 { UInt16(bigEndian: load(UInt16.self, at: offset)) }

  /// Loads a big-endian 32-bit number.
  @inlinable
  @inline(__always)
  package func big32(_ offset: Int) -> UInt32 { UInt32(bigEndian: load(UInt32.self, at: offset)) }

  /// Loads a big-endian 64-bit number.
  @inlinable
  @inline(__always)
  package func big64(_ offset: Int) -> UInt64 { UInt64(bigEndian: load(UInt64.self, at: offset)) }

  /// Loads a little-endian 16-bit number.
  @inlinable
  @inline(__always)
  package func little16(_ offset: Int) -> UInt16 { UInt16(littleEndian: load(UInt16.self, at: offset)) }

  /// Loads a little-endian 32-bit number.
  @inlinable
  @inline(__always)
  package func little32(_ offset: Int) -> UInt32 { UInt32(littleEndian: load(UInt32.self, at: offset)) }

  /// Loads a little-endian 64-bit number.
  @inlinable
  @inline(__always)
  package func little64(_ offset: Int) -> UInt64 { UInt64(littleEndian: load(UInt64.self, at: offset)) }
}

extension Span where Element == UInt8 {
  /// The bytes as a raw span, for loading numbers.
  @usableFromInline package var raw: RawSpan {
    @_lifetime(copy self)
    @inlinable
    @inline(__always)
    get { unsafe bytes }
  }
}

/// The number of bits of an unsigned, big-endian number, without leading zeros.
package func bitCount(ofUnsigned number: Span<UInt8>) -> Int {
  for index in number.indices where number[index] != 0 {
    return (number.count - index) * 8 - number[index].leadingZeroBitCount
  }
  return 0
}

extension ContiguousArray where Element == UInt8 {
  /// The bytes as a raw span, for loading numbers.
  @usableFromInline package var raw: RawSpan {
    @_lifetime(borrow self)
    @inlinable
    @inline(__always)
    get { unsafe span.bytes }
  }

  @inlinable
  package init(copying span: Span<UInt8>) {
    self.init()
    append(copying: span)
  }

  @inlinable
  package mutating func append(copying span: Span<UInt8>) {
    unsafe span.withUnsafeBufferPointer { source in
      unsafe self.append(contentsOf: source)
    }
  }

  /// Appends a number in little-endian order.
  @inlinable
  package mutating func append(little value: some FixedWidthInteger & BitwiseCopyable) {
    unsafe Swift.withUnsafeBytes(of: value.littleEndian) { unsafe append(contentsOf: $0) }
  }

  /// Appends a number in big-endian order.
  @inlinable
  package mutating func append(big value: some FixedWidthInteger & BitwiseCopyable) {
    append(little: value.byteSwapped)
  }

  /// Moves the bytes of `range` to index `destination`; the ranges may overlap.
  package mutating func move(_ range: Range<Int>, to destination: Int) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    precondition(destination >= 0 && destination <= count - range.count)
    // An array cannot move bytes within itself without copying all of it first.
    unsafe withUnsafeMutableBytes { bytes in
      let target = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[destination..<(destination + range.count)])
      unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[range]))
    }
  }
}
