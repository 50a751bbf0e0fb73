import ByteParsing

/// A capture cannot be read, or not beyond an offset.
@usableFromInline package struct CaptureError: Error, Hashable, Sendable {
  /// The reason, with counts as numbers.
  package enum Reason: Hashable, Sendable {
    /// The input is empty.
    case empty

    /// The first four bytes, big-endian, are not those of a capture format.
    case unknownFormat(magic: UInt32)

    /// A known but unsupported variant of a capture format.
    case unsupportedVariant(String)

    /// A version of the format whose structure is unknown.
    case unsupportedVersion(major: UInt16, minor: UInt16)

    /// A section with such a version, beside others that were read.
    case skippedSection(major: UInt16, minor: UInt16)

    /// The input ends within a header, a record or a block. Both values are in bytes.
    case truncated(needed: Int, available: Int)

    /// A packet's captured length exceeds the file's snapshot length and any plausible value. Both values are in bytes.
    case packetTooLong(length: Int, limit: Int)

    /// A block exceeds the maximum length. Both values are in bytes.
    case blockTooLong(length: Int, limit: Int)

    /// A block's total length is not a multiple of four, or is too short for its type.
    case blockLength(Int)

    /// A block's total length differs between its start and its end, so one of them is damaged.
    case blockLengthMismatch(start: UInt32, end: UInt32)

    /// A packet's captured length exceeds its block. Both values are in bytes.
    case packetBeyondBlock(length: Int, available: Int)

    /// The secrets of a block exceed it. Both values are in bytes.
    case secretsBeyondBlock(length: Int, available: Int)

    /// A section header's byte-order magic is neither of the two possible values.
    case byteOrderMagic(UInt32)

    /// A section describes more interfaces than the limit.
    case tooManyInterfaces(limit: Int)

    /// The input is compressed, and the compressed data is truncated.
    case packedDataTruncated

    /// The input is a member of an archive that is truncated.
    case archiveTruncated

    /// The input cannot be decompressed beyond this offset; the reason as a clause.
    case packedData(String)

    /// The system could not read the input; the number is its `errno`.
    case readFailed(code: Int32)
  }

  package var reason: Reason

  /// The offset of the faulty record, block or header in the capture, in bytes.
  package var offset: Int

  /// Creates an error about the structure at `offset`.
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
    case .unsupportedVariant(let name): "\(name) is not supported"
    case .unsupportedVersion(let major, let minor):
      "unknown format version \(major).\(minor) at byte \(offset)"
    case .skippedSection(let major, let minor):
      "the section at byte \(offset) was not read: unknown format version \(major).\(minor)"
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
    case .secretsBeyondBlock(let length, let available):
      "damaged at byte \(offset): secrets of \(length) bytes in a block with \(available)"
    case .byteOrderMagic(let magic):
      "damaged at byte \(offset): invalid byte-order magic \(CaptureError.hexadecimal(magic))"
    case .tooManyInterfaces(let limit): "more than \(limit) interfaces in a section at byte \(offset)"
    case .packedDataTruncated: "the compressed data is truncated; unpacked up to byte \(offset)"
    case .archiveTruncated: "the archive is truncated; unpacked up to byte \(offset)"
    case .packedData(let reason): "\(reason); unpacked up to byte \(offset)"
    case .readFailed(let code): "reading failed at byte \(offset) (system error \(code))"
    }
  }

  /// The eight hexadecimal digits of a number, byte by byte.
  private static func hexadecimal(_ value: UInt32) -> String {
    var bytes = Bytes()
    bytes.append(big: value)
    return bytes.map { ByteParsing.hexadecimal([$0]) }.joined(separator: " ")
  }
}
