package import ByteParsing

/// The header of a packet that belongs to the handshake (RFC 9000 §17.2, RFC 9369 §3.2).
///
/// ```
/// 1 F T T x x x x | version 32 | DCID length 8, DCID | SCID length 8, SCID | what the type requests
/// ```
package struct LongHeader: Hashable, Sendable {
  /// What a packet is for.
  package enum PacketType: Hashable, Sendable {
    /// Carries the hellos; everyone can open it.
    case initial
    /// Early data.
    case zeroRTT
    /// Carries the rest of the handshake.
    case handshake
    /// Asks the client to come back with a token.
    case retry
    /// Names the versions that the server speaks.
    case versionNegotiation
  }

  /// The first byte; its low bits are protected but for Retry and Version Negotiation.
  package var firstByte: UInt8

  /// The version.
  package var version: QUICVersion

  /// Destination Connection ID.
  package var destination: ConnectionID

  /// Source Connection ID.
  package var source: ConnectionID

  /// What the packet is for.
  package var type: PacketType

  /// Where the token of an Initial or Retry packet lies in the datagram.
  package var token: Range<Int>

  /// Where the packet lies in the datagram, header included.
  package var packet: Range<Int>

  /// Where after the header the protected part begins, with the packet number; for Version Negotiation the list, for
  /// Retry the integrity tag.
  package var payloadStart: Int

  /// Reads the packet that begins at `start`; the datagram may continue after it.
  ///
  /// Throws also for versions whose packets are laid out in another way.
  package init(parsing datagram: Span<UInt8>, from start: Int = 0) throws(ParseError) {
    guard start >= 0, start <= datagram.count else {
      throw ParseError(.truncated(needed: 1, available: 0), in: "first byte", at: max(0, start))
    }
    var reader = ByteReader(datagram.extracting(start..<datagram.count), base: start)
    firstByte = try reader.readUInt8("first byte")
    guard firstByte & 0x80 != 0 else {
      throw ParseError(.unexpectedValue(UInt64(firstByte)), in: "Header Form", at: start)
    }
    version = QUICVersion(rawValue: try reader.readUInt32("Version"))
    destination = try LongHeader.readConnectionID(&reader, "Destination Connection ID")
    source = try LongHeader.readConnectionID(&reader, "Source Connection ID")
    token = reader.offset..<reader.offset
    if version == .negotiation {
      type = .versionNegotiation
      payloadStart = reader.offset
      packet = start..<datagram.count
      return
    }
    guard version.isUnderstood else {
      throw ParseError(.unexpectedValue(UInt64(version.rawValue)), in: "Version", at: start + 1)
    }
    type = LongHeader.type(firstByte, version)
    if type == .retry {
      let length = reader.remaining - LongHeader.integrityTagLength
      guard length >= 0 else {
        throw ParseError(
          .truncated(needed: LongHeader.integrityTagLength, available: reader.remaining),
          in: "Retry Integrity Tag", at: reader.offset)
      }
      token = reader.offset..<(reader.offset + length)
      payloadStart = token.upperBound
      packet = start..<datagram.count
      return
    }
    if type == .initial {
      let length = try reader.readLength("Token Length")
      token = reader.offset..<(reader.offset + length)
      try reader.skip(byteCount: length, "Token")
    }
    let length = try reader.readLength("Length")
    payloadStart = reader.offset
    packet = start..<(reader.offset + length)
  }

  /// Bytes of the tag at the end of a Retry packet (RFC 9001 §5.8).
  package static let integrityTagLength = 16

  private static func readConnectionID(
    _ reader: inout ByteReader, _ field: StaticString
  ) throws(ParseError) -> ConnectionID {
    let body = try reader.readVector(field, 0...0xFF)
    guard body.remaining <= ConnectionID.maximumByteCount else {
      throw ParseError(
        .lengthOutOfBounds(body.remaining, allowed: 0...ConnectionID.maximumByteCount), in: field,
        at: body.offset)
    }
    return ConnectionID(body.rest)
  }

  /// Version 2 counts the types from another start (RFC 9369 §3.2).
  private static func type(_ firstByte: UInt8, _ version: QUICVersion) -> PacketType {
    let number = firstByte >> 4 & 0x03
    switch version == .version2 ? (number &+ 3) & 0x03 : number {
    case 0: return .initial
    case 1: return .zeroRTT
    case 2: return .handshake
    default: return .retry
    }
  }

  /// The versions that a Version Negotiation packet names; a rest of less than four bytes is left out.
  package func supportedVersions(in datagram: Span<UInt8>) -> [QUICVersion] {
    guard type == .versionNegotiation, payloadStart <= datagram.count else { return [] }
    var reader = ByteReader(datagram.extracting(payloadStart..<datagram.count))
    var versions: [QUICVersion] = []
    while versions.count < LongHeader.maximumVersionCount,
      let version = try? reader.readUInt32("Supported Version")
    {
      versions.append(QUICVersion(rawValue: version))
    }
    return versions
  }

  /// More versions than any server names.
  package static let maximumVersionCount = 64
}
