package import ByteParsing

/// One record of a datagram (RFC 6347 §4.1, RFC 9147 §4).
package struct DTLSRecord: Hashable, Sendable {
  /// The length of the header of a cleartext record in bytes.
  package static let headerByteCount = 13

  /// The possible first bytes of a datagram: a content type, or 001 in the first bits (RFC 9147 §4.1). Other protocols on the same port
  /// begin differently (RFC 7983 §7).
  package static var firstBytes: ClosedRange<UInt8> { 20...63 }

  /// The maximum number of records read; a datagram of 64 KiB has no reason to carry more.
  package static let maximumRecordCount = 1024

  /// The type of the record; nil if the short header of DTLS 1.3 hides it.
  package var contentType: ContentType?

  /// The epoch of the keys, 0 without encryption; in a short header only the lowest two bits.
  package var epoch: UInt16

  /// The range of the fragment in the datagram.
  package var fragment: Range<Int>

  /// Whether the fragment is encrypted.
  package var isProtected: Bool { contentType == nil || epoch != 0 || contentType == .tls12CID }

  /// Parses the records of a datagram up to the first malformed one.
  ///
  /// Only the endpoints know the length of a connection ID, so a record with one is assumed to extend to the end of the datagram (RFC 9146
  /// §4, RFC 9147 §4).
  package static func records(of datagram: Span<UInt8>) -> [DTLSRecord] {
    var records: [DTLSRecord] = []
    var reader = ByteReader(datagram)
    while reader.remaining > 0, records.count < maximumRecordCount {
      guard let record = try? DTLSRecord(from: &reader) else { break }
      records.append(record)
    }
    return records
  }

  /// Reads a record and advances the reader past it.
  package init(from reader: inout ByteReader) throws(ParseError) {
    let first = try reader.readUInt8("type")
    if first >> 5 == 1 {
      try self.init(shortHeader: first, from: &reader)
    } else {
      try self.init(type: ContentType(rawValue: first), from: &reader)
    }
  }

  /// Reads the rest of a thirteen-byte header.
  private init(type: ContentType, from reader: inout ByteReader) throws(ParseError) {
    let start = reader.offset - 1
    let version = TLSVersion(rawValue: try reader.readUInt16("legacy_record_version"))
    guard (20...26).contains(type.rawValue), version.isDTLS else {
      throw ParseError(.unexpectedValue(UInt64(type.rawValue)), in: "type", at: start)
    }
    contentType = type
    epoch = try reader.readUInt16("epoch")
    try reader.skip(byteCount: 6, "sequence_number")
    let body: ByteReader
    if type == .tls12CID {
      body = try reader.readBody(byteCount: reader.remaining, "cid")
    } else {
      body = try reader.readVector("fragment", 0...0xFFFF)
    }
    guard body.remaining <= RecordHeader.maximumFragmentLength || type == .tls12CID else {
      throw ParseError(.lengthOutOfBounds(body.remaining, allowed: 0...RecordHeader.maximumFragmentLength), in: "length", at: start)
    }
    fragment = body.remainingRange
  }

  /// Reads the DTLS 1.3 header of an encrypted record, whose first byte is `001CSLEE` (RFC 9147 §4).
  private init(shortHeader first: UInt8, from reader: inout ByteReader) throws(ParseError) {
    epoch = UInt16(first & 0x03)
    let body: ByteReader
    if first & 0x10 == 0 {
      try reader.skip(byteCount: first & 0x08 == 0 ? 1 : 2, "sequence_number")
      body =
        first & 0x04 == 0
        ? try reader.readBody(byteCount: reader.remaining, "encrypted_record") : try reader.readVector("encrypted_record", 0...0xFFFF)
    } else {
      body = try reader.readBody(byteCount: reader.remaining, "connection_id")
    }
    fragment = body.remainingRange
  }
}

extension TLSVersion {
  /// Whether the version is a DTLS version, including OpenSSL's from before the RFC.
  package var isDTLS: Bool { rawValue >> 8 == 0xFE || self == .dtlsBeforeRFC }
}
