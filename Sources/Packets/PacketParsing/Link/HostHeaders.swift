import ByteParsing

extension PacketHeaders {
  /// Decodes Apple's header with process information, which contains its length and the link type of the following packet.
  ///
  /// Nil if the bytes cannot be such a header; link type 149 has other meanings elsewhere.
  mutating func decodePKTAP(_ bytes: RawSpan, at offset: Int) -> Kind? {
    guard let header = PKTAPLayout(bytes, at: offset) else { return nil }
    guard header.holdsPacket else { return .unread(.notIP) }
    guard bytes.byteCount - offset >= header.length else { return .unread(.linkHeaderTruncated) }
    return decodeLink(bytes, at: offset + header.length, linkType: header.linkType, isOutermost: false)
  }

  /// Decodes the header of OpenBSD's packet filter log: the header's length (1), without its padding to four bytes.
  mutating func decodePflog(_ bytes: RawSpan, at offset: Int) -> Kind {
    guard bytes.byteCount > offset else { return .unread(.linkHeaderTruncated) }
    let length = (Int(bytes.byte(offset)) + 3) & ~3
    guard length >= 4 else { return .unread(.linkHeaderInvalid) }
    guard bytes.byteCount - offset >= length else { return .unread(.linkHeaderTruncated) }
    return decodeIP(bytes, at: offset + length)
  }

  /// Decodes the header of Linux's netfilter log: family (1), version (1), resource (2), then attributes of length (2), type (2) and value,
  /// padded to four bytes, in the byte order of the capturing machine.
  mutating func decodeNFLOG(_ bytes: RawSpan, at offset: Int) -> Kind {
    guard bytes.byteCount - offset >= 8 else { return .unread(.linkHeaderTruncated) }
    guard bytes.byte(offset + 1) == 0 else { return .unread(.linkHeaderInvalid) }
    var position = offset + 4
    // The first attribute is the packet header, or another short one, so its length shows the byte order.
    let isLittle = bytes.little16(position) <= bytes.big16(position)
    while bytes.byteCount - position >= 4 {
      let length = Int(isLittle ? bytes.little16(position) : bytes.big16(position))
      let type = isLittle ? bytes.little16(position + 2) : bytes.big16(position + 2)
      guard length >= 4 else { return .unread(.linkHeaderInvalid) }
      // NFULA_PAYLOAD.
      if type & 0x7FFF == 9 { return decodeIP(bytes, at: position + 4) }
      guard bytes.byteCount - position >= length else { return .unread(.linkHeaderTruncated) }
      position += (length + 3) & ~3
    }
    return .unread(.notIP)
  }
}

/// The fields of Apple's header that decoding needs, in both of its versions; the rest is read with the capture's processes.
package struct PKTAPLayout {
  package var length: Int
  package var holdsPacket: Bool
  package var linkType: UInt16

  /// The minimum length of a version 1 header, and the offset of the flags in both versions.
  private static let shortest = 108
  private static let flagsOffset = 36
  private static let version2Flag: UInt32 = 0x80000

  package init?(_ bytes: RawSpan, at offset: Int) {
    guard bytes.byteCount - offset >= PKTAPLayout.flagsOffset + 4 else { return nil }
    if bytes.little32(offset + PKTAPLayout.flagsOffset) & PKTAPLayout.version2Flag != 0 {
      length = Int(bytes.byte(offset))
      holdsPacket = true
      linkType = bytes.little16(offset + 6)
      guard length >= PKTAPLayout.flagsOffset + 4 else { return nil }
      // The offsets of names and identifiers: 0, or within the header.
      for index in 1...5 where Int(bytes.byte(offset + index)) >= length { return nil }
      return
    }
    // Apple's files are little-endian; an implausible length shows the opposite.
    let isLittle = bytes.little32(offset) <= 0xFFFF
    let announced = isLittle ? bytes.little32(offset) : bytes.big32(offset)
    let next = isLittle ? bytes.little32(offset + 4) : bytes.big32(offset + 4)
    let type = isLittle ? bytes.little32(offset + 8) : bytes.big32(offset + 8)
    guard announced >= PKTAPLayout.shortest, announced <= 4096, next <= 1, type <= 0xFFFF else { return nil }
    length = Int(announced)
    holdsPacket = next == 1
    linkType = UInt16(truncatingIfNeeded: type)
  }
}
