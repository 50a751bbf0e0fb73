import ByteParsing

extension PacketHeaders {
  /// Decodes data frames of IEEE 802.11 (§9.3.2). `isPadded` if the header is padded to four bytes, `mayBeSwapped` if it may come from
  /// Cisco's access points, which swap the two bytes of the frame control.
  ///
  ///     | frame control (2) | duration (2) | addresses (18) | sequence (2) | address 4 (6)? | QoS (2)? | HT (4)? |
  mutating func decodeIEEE80211(_ bytes: RawSpan, at offset: Int, isPadded: Bool = false, mayBeSwapped: Bool = false) -> Kind {
    guard bytes.byteCount - offset >= 2 else { return .unread(.linkHeaderTruncated) }
    var control = bytes.byte(offset)
    var flags = bytes.byte(offset + 1)
    let isSwapped = mayBeSwapped && control & 0x0F != 0x08 && flags & 0x0F == 0x08
    if isSwapped { (control, flags) = (flags, control) }
    // Version 0, type data, and not a subtype without data.
    guard control & 0x0F == 0x08, control & 0x40 == 0 else { return .unread(.notIP) }
    var length = flags & 0x03 == 0x03 ? 30 : 24
    var hasAggregate = false
    if control & 0x80 != 0 {
      guard bytes.byteCount - offset >= length + 2 else { return .unread(.linkHeaderTruncated) }
      hasAggregate = bytes.byte(offset + length) & 0x80 != 0
      length += flags & 0x80 != 0 ? 6 : 2
    }
    if isPadded { length = (length + 3) & ~3 }
    guard bytes.byteCount - offset >= length else { return .unread(.linkHeaderTruncated) }
    // The fragment number. Those access points may also swap the field that contains it.
    guard bytes.byte(offset + 22) & 0x0F == 0 || isSwapped && bytes.byte(offset + 23) & 0x0F == 0 else { return .unread(.linkFragment) }
    return decodeWirelessBody(bytes, at: offset + length, isProtected: flags & 0x40 != 0, hasAggregate: hasAggregate)
  }

  /// Decodes the body of a data frame: LLC, or subframes of receiver (6), sender (6), length (2), LLC and padding.
  private mutating func decodeWirelessBody(_ bytes: RawSpan, at offset: Int, isProtected: Bool, hasAggregate: Bool) -> Kind {
    let start = hasAggregate ? offset + 14 : offset
    guard bytes.byteCount - start >= 3 else { return .unread(.linkHeaderTruncated) }
    // Some adapters decrypt without clearing the bit, so bytes that look like LLC are LLC.
    if isProtected, bytes.big16(start) != 0xAAAA || bytes.byte(start + 2) != 3 { return .unread(.encryptedWLAN) }
    if hasAggregate {
      // The checksum after the frame is shorter than a subframe header.
      let length = (14 + Int(bytes.big16(offset + 12)) + 3) & ~3
      guard bytes.byteCount - offset - length < 14 else {
        nextSubframe = offset
        tunnelsAroundFrame = tunnels.count
        return .unread(.aggregate)
      }
    }
    return decodeLLC(bytes, at: start)
  }

  /// Decodes the next packet of an aggregate frame (A-MSDU, IEEE 802.11 §9.3.2.2); nil after the last one. Call it after `decode` has
  /// returned `UnreadReason.aggregate`.
  ///
  ///     | receiver (6) | sender (6) | length (2) | LLC and packet | padding to four bytes |
  package mutating func decodeSubframe(_ packet: Span<UInt8>) -> Kind? {
    let bytes = packet.raw
    let start = nextSubframe
    guard start >= 0, start < bytes.byteCount, bytes.byteCount - start >= 17 else { return nil }
    let length = Int(bytes.big16(start + 12))
    nextSubframe = start + ((14 + length + 3) & ~3)
    tunnels.keep(first: tunnelsAroundFrame)
    // An empty subframe takes 16 bytes.
    guard length >= 3 else { return .unread(.linkHeaderInvalid) }
    end = .max
    return decodeLLC(bytes.extracting(0..<min(bytes.byteCount, start + 14 + length)), at: start + 14)
  }

  /// Decodes Radiotap: version (1), padding (1), length (2), a bit mask of the fields (4, more if bit 31 is set), fields.
  mutating func decodeRadiotap(_ bytes: RawSpan, at offset: Int) -> Kind {
    guard bytes.byteCount - offset >= 8 else { return .unread(.linkHeaderTruncated) }
    let length = Int(bytes.little16(offset + 2))
    guard bytes.byte(offset) == 0, length >= 8 else { return .unread(.linkHeaderInvalid) }
    guard bytes.byteCount - offset >= length else { return .unread(.linkHeaderTruncated) }
    let present = bytes.little32(offset + 4)
    var position = 8
    var word = present
    while word & 0x8000_0000 != 0 {
      guard position + 4 <= length else { return .unread(.linkHeaderInvalid) }
      word = bytes.little32(offset + position)
      position += 4
    }
    // An eight-byte time, aligned to eight, precedes the flags.
    if present & 1 != 0 { position = ((position + 7) & ~7) + 8 }
    let hasFlags = present & 2 != 0 && position < length
    let isPadded = hasFlags && bytes.byte(offset + position) & 0x20 != 0
    return decodeIEEE80211(bytes, at: offset + length, isPadded: isPadded)
  }

  /// Decodes a Prism monitor header, or an AVS header, which has the same link type.
  mutating func decodePrism(_ bytes: RawSpan, at offset: Int) -> Kind {
    guard bytes.byteCount - offset >= 8 else { return .unread(.linkHeaderTruncated) }
    if bytes.big32(offset) & 0xFFFF_F000 == 0x8021_1000 { return decodeAVS(bytes, at: offset) }
    // Message code (4) and length (4), in the byte order of the capturing machine.
    let length = min(bytes.little32(offset + 4), bytes.big32(offset + 4))
    return decodeWireless(bytes, at: offset, after: length)
  }

  /// Decodes an AVS header: version (4), length (4).
  mutating func decodeAVS(_ bytes: RawSpan, at offset: Int) -> Kind {
    guard bytes.byteCount - offset >= 8 else { return .unread(.linkHeaderTruncated) }
    return decodeWireless(bytes, at: offset, after: bytes.big32(offset + 4))
  }

  private mutating func decodeWireless(_ bytes: RawSpan, at offset: Int, after length: UInt32) -> Kind {
    guard length >= 8, length <= 4096 else { return .unread(.linkHeaderInvalid) }
    guard bytes.byteCount - offset >= Int(length) else { return .unread(.linkHeaderTruncated) }
    return decodeIEEE80211(bytes, at: offset + Int(length))
  }

  /// Decodes PPI: version (1), flags (1), length (2), the link type of the following packet (4), fields.
  mutating func decodePPI(_ bytes: RawSpan, at offset: Int) -> Kind {
    guard bytes.byteCount - offset >= 8 else { return .unread(.linkHeaderTruncated) }
    let length = Int(bytes.little16(offset + 2))
    guard bytes.byte(offset) == 0, length >= 8 else { return .unread(.linkHeaderInvalid) }
    guard bytes.byteCount - offset >= length else { return .unread(.linkHeaderTruncated) }
    return decodeLink(bytes, at: offset + length, linkType: UInt16(clamping: bytes.little32(offset + 4)), isOutermost: false)
  }
}
