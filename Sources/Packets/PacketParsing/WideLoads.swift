/// Big-endian loads of several bytes at once, for the headers of every packet.
///
/// The only `unsafe` of this module: the loads take bytes for integers. They check their bounds and trap outside
/// them, so that each caller asks for the count first; no memory outside the packet is ever read.
extension RawSpan {
  @inlinable
  @inline(__always)
  func big16(_ offset: Int) -> UInt16 {
    UInt16(bigEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }

  @inlinable
  @inline(__always)
  func big32(_ offset: Int) -> UInt32 {
    UInt32(bigEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  @inlinable
  @inline(__always)
  func big64(_ offset: Int) -> UInt64 {
    UInt64(bigEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  @inline(__always)
  func little16(_ offset: Int) -> UInt16 {
    UInt16(littleEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }

  @inlinable
  @inline(__always)
  func little32(_ offset: Int) -> UInt32 {
    UInt32(littleEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  @inlinable
  @inline(__always)
  func byte(_ offset: Int) -> UInt8 {
    unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt8.self)
  }
}

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
