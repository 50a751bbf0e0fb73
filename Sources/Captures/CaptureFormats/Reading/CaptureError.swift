/// The capture cannot be read, or not beyond this offset.
@usableFromInline package struct CaptureError: Error, Hashable, Sendable {
  /// What was wrong, with the counts as numbers.
  package enum Reason: Hashable, Sendable {
    /// The input holds no bytes at all.
    case empty

    /// The first four bytes, the first the most significant, are those of no capture format.
    case unknownFormat(magic: UInt32)

    /// A variant of a capture format that is known by name but not read.
    case unsupportedVariant(String)

    /// A version of the format whose layout is not known.
    case unsupportedVersion(major: UInt16, minor: UInt16)

    /// The input ends within a header, a record or a block. Both in bytes.
    case truncated(needed: Int, available: Int)

    /// A packet's captured length is beyond what the file and any sane writer allow. Both in bytes.
    case packetTooLong(length: Int, limit: Int)

    /// A block is longer than any block may be here. Both in bytes.
    case blockTooLong(length: Int, limit: Int)

    /// A block's total length is not a multiple of four, or is too short for its type.
    case blockLength(Int)

    /// A block's total length differs between its start and its end, so one of them is damaged.
    case blockLengthMismatch(start: UInt32, end: UInt32)

    /// A packet's captured length is beyond the block that holds it. Both in bytes.
    case packetBeyondBlock(length: Int, available: Int)

    /// A section header's byte-order magic is neither of the two possible values.
    case byteOrderMagic(UInt32)

    /// A section describes more interfaces than are kept.
    case tooManyInterfaces(limit: Int)

    /// The input is packed, and what is packed ends before its time.
    case packedDataCutOff

    /// The input cannot be decompressed beyond this offset; the reason as a clause.
    case packedData(String)

    /// The system could not read the input; the number is its `errno`.
    case readFailed(code: Int32)
  }

  package var reason: Reason

  /// Where the record, block or header starts that is at fault, in bytes from the start of the capture.
  package var offset: Int

  /// Creates an error about what starts at `offset`.
  package init(_ reason: Reason, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }
}

extension CaptureError: CustomStringConvertible {
  /// A message such as `truncated at byte 120: 66 bytes needed, 13 available`.
  @usableFromInline package var description: String {
    switch reason {
    case .empty: "is empty"
    case .unknownFormat(let magic): "not a capture: starts with \(CaptureError.hexadecimal(magic))"
    case .unsupportedVariant(let name): "\(name) captures are not read"
    case .unsupportedVersion(let major, let minor):
      "unknown format version \(major).\(minor) at byte \(offset)"
    case .truncated(let needed, let available):
      "truncated at byte \(offset): \(needed) bytes needed, \(available) available"
    case .packetTooLong(let length, let limit):
      "damaged at byte \(offset): a packet of \(length) bytes; the limit is \(limit)"
    case .blockTooLong(let length, let limit):
      "damaged at byte \(offset): a block of \(length) bytes; the limit is \(limit)"
    case .blockLength(let length): "damaged at byte \(offset): a block cannot have \(length) bytes"
    case .blockLengthMismatch(let start, let end):
      "damaged at byte \(offset): the block's two lengths differ: \(start) and \(end)"
    case .packetBeyondBlock(let length, let available):
      "damaged at byte \(offset): a packet of \(length) bytes in a block with \(available)"
    case .byteOrderMagic(let magic):
      "damaged at byte \(offset): invalid byte-order magic \(CaptureError.hexadecimal(magic))"
    case .tooManyInterfaces(let limit): "more than \(limit) interfaces in a section at byte \(offset)"
    case .packedDataCutOff: "the compressed data is truncated; unpacked up to byte \(offset)"
    case .packedData(let reason): "\(reason); unpacked up to byte \(offset)"
    case .readFailed(let code): "reading failed at byte \(offset) (system error \(code))"
    }
  }

  /// The four bytes of a number, the most significant first.
  private static func hexadecimal(_ value: UInt32) -> String {
    stride(from: 24, through: 0, by: -8).map { shift in
      let digits = String(value >> UInt32(shift) & 0xFF, radix: 16)
      return digits.count < 2 ? "0" + digits : digits
    }.joined(separator: " ")
  }
}
