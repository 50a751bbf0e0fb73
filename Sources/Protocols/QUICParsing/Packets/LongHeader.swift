package import ByteParsing

/// The long header of a handshake packet (RFC 9000 §17.2, RFC 9369 §3.2).
///
/// ```
/// 1 F T T x x x x | version 32 | DCID length 8, DCID | SCID length 8, SCID | type-specific fields
/// ```
package struct LongHeader: Hashable, Sendable {
  package enum PacketType: Hashable, Sendable {
    /// Carries the hellos; anyone can decrypt it.
    case initial
    /// Early data.
    case zeroRTT
    /// Carries the rest of the handshake.
    case handshake
    /// Requests that the client send its hello again with a token.
    case retry
    /// Lists the versions that the server supports.
    case versionNegotiation
  }

  /// The first byte; its low bits are protected, except in Retry and Version Negotiation.
  package var firstByte: UInt8

  package var version: QUICVersion

  /// Destination Connection ID.
  package var destination: ConnectionID

  /// Source Connection ID.
  package var source: ConnectionID

  package var type: PacketType

  /// The range of the token of an Initial or Retry packet in the datagram.
  package var token: Range<Int>

  /// The range of the packet in the datagram, including its header.
  package var packet: Range<Int>

  /// The offset after the header of the protected part, which begins with the packet number; for Version Negotiation of the list, for Retry
  /// of the integrity tag.
  package var payloadStart: Int

  /// Parses the packet that begins at `start`; the datagram may continue after it.
  ///
  /// Also throws for versions with another packet format.
  package init(parsing datagram: Span<UInt8>, from start: Int = 0) throws(ParseError) {
    guard start >= 0, start <= datagram.count else {
      throw ParseError(.truncated(needed: 1, available: 0), in: "first byte", at: max(0, start))
    }
    var reader = ByteReader(datagram.extracting(start..<datagram.count), base: start)
    firstByte = try reader.readUInt8("first byte")
    guard firstByte & 0x80 != 0 else { throw ParseError(.unexpectedValue(UInt64(firstByte)), in: "Header Form", at: start) }
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
    guard version.isUnderstood else { throw ParseError(.unexpectedValue(UInt64(version.rawValue)), in: "Version", at: start + 1) }
    type = LongHeader.type(firstByte, version)
    if type == .retry {
      let length = reader.remaining - LongHeader.integrityTagLength
      guard length >= 0 else {
        throw ParseError(
          .truncated(needed: LongHeader.integrityTagLength, available: reader.remaining), in: "Retry Integrity Tag", at: reader.offset)
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

  /// The length of the tag at the end of a Retry packet in bytes (RFC 9001 §5.8).
  package static let integrityTagLength = 16

  private static func readConnectionID(_ reader: inout ByteReader, _ field: StaticString) throws(ParseError) -> ConnectionID {
    let body = try reader.readVector(field, 0...0xFF)
    guard body.remaining <= ConnectionID.maximumByteCount else {
      throw ParseError(.lengthOutOfBounds(body.remaining, allowed: 0...ConnectionID.maximumByteCount), in: field, at: body.offset)
    }
    return ConnectionID(body.rest)
  }

  /// Version 2 numbers the types differently (RFC 9369 §3.2).
  private static func type(_ firstByte: UInt8, _ version: QUICVersion) -> PacketType {
    let number = firstByte >> 4 & 0x03
    switch version.hasTypesOfVersion2 ? (number &+ 3) & 0x03 : number {
    case 0: return .initial
    case 1: return .zeroRTT
    case 2: return .handshake
    default: return .retry
    }
  }

  /// The versions in a Version Negotiation packet; a rest of less than four bytes is ignored.
  package func supportedVersions(in datagram: Span<UInt8>) -> [QUICVersion] {
    guard type == .versionNegotiation, payloadStart <= datagram.count else { return [] }
    var reader = ByteReader(datagram.extracting(payloadStart..<datagram.count))
    var versions: [QUICVersion] = []
    while versions.count < LongHeader.maximumVersionCount, let version = try? reader.readUInt32("Supported Version") {
      versions.append(QUICVersion(rawValue: version))
    }
    return versions
  }

  /// The maximum number of versions, more than any server lists.
  package static let maximumVersionCount = 64
}
