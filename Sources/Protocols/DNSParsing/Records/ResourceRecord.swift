package import ByteParsing
package import Values

/// One resource record (RFC 1035 §4.1.3).
package struct ResourceRecord: Hashable, Sendable {
  /// The decoded data of the supported types.
  package enum Content: Hashable, Sendable {
    /// An address (A, AAAA).
    case address(IPAddress)
    /// The name that this one is an alias of (CNAME).
    case alias(DomainName)
    /// The endpoint of a service (SVCB, HTTPS).
    case service(ServiceBinding)
    /// Another type or class, or an empty record of an update.
    case other
    /// Malformed data.
    case malformed(ParseError)
  }

  /// The name that the record is about.
  package var name: DomainName

  package var type: RecordType

  /// The decoded data.
  package var content: Content

  /// Reads a record and advances the reader past it; pointers refer to `message`.
  package init(from reader: inout ByteReader, in message: Span<UInt8>) throws(ParseError) {
    name = try DomainName(from: &reader, in: message)
    type = RecordType(rawValue: try reader.readUInt16("TYPE"))
    // The first bit requests caches on a local link to flush their records (RFC 6762 §10.2).
    let isInternet = try reader.readUInt16("CLASS") & 0x7FFF == 1
    try reader.skip(byteCount: 4, "TTL")
    var data = try reader.readVector("RDATA", 0...0xFFFF)
    content = .other
    guard isInternet else { return }
    do throws(ParseError) {
      content = try Self.content(of: type, from: &data, in: message)
      if content != .other { try data.requireEnd(of: "RDATA") }
    } catch {
      content = .malformed(error)
    }
  }

  private static func content(of type: RecordType, from data: inout ByteReader, in message: Span<UInt8>) throws(ParseError) -> Content {
    switch type {
    case .a: .address(try IPAddress(v4From: &data, "ADDRESS"))
    case .aaaa: .address(try IPAddress(v6From: &data, "ADDRESS"))
    case .cname: .alias(try DomainName(from: &data, in: message))
    case .svcb, .https: .service(try ServiceBinding(from: &data, in: message))
    default: .other
    }
  }
}
