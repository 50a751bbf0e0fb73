package import ByteParsing
package import Values

/// The data of an SVCB or HTTPS record (RFC 9460 §2).
package struct ServiceBinding: Hashable, Sendable {
  /// The maximum number of parameters, more than any record has.
  package static let maximumParameterCount = 64

  /// `TargetName`; the root means the record's own name.
  package var target: DomainName

  /// `alpn`: protocol names, as encoded.
  package var alpn: [Bytes] = []

  /// `ipv4hint` and `ipv6hint`.
  package var addressHints: [IPAddress] = []

  /// The keys of all parameters, known or not.
  package var keys: [UInt16] = []

  /// Parses the data of a record; pointers in the name refer to `message`.
  package init(from data: inout ByteReader, in message: Span<UInt8>) throws(ParseError) {
    _ = try data.readUInt16("SvcPriority")
    target = try DomainName(from: &data, in: message)
    while data.remaining > 0 {
      let start = data.offset
      let key = try data.readUInt16("SvcParamKey")
      // Keys are in strictly ascending order (RFC 9460 §2.2).
      if let last = keys.last, key <= last { throw ParseError(.unexpectedValue(UInt64(key)), in: "SvcParamKey", at: start) }
      guard keys.count < Self.maximumParameterCount else {
        throw ParseError(.limitReached(Self.maximumParameterCount), in: "SvcParams", at: start)
      }
      keys.append(key)
      var value = try data.readVector("SvcParamValue", 0...0xFFFF)
      try readParameter(key, from: &value)
      try value.requireEnd(of: "SvcParamValue")
    }
  }

  private mutating func readParameter(_ key: UInt16, from value: inout ByteReader) throws(ParseError) {
    switch key {
    case 1:
      while value.remaining > 0 {
        var name = try value.readVector("alpn-id", 1...255)
        alpn.append(name.readRest())
      }
    case 3:
      _ = try value.readUInt16("port")
    case 4:
      while value.remaining > 0 { addressHints.append(try IPAddress(v4From: &value, "ipv4hint")) }
    case 6:
      while value.remaining > 0 { addressHints.append(try IPAddress(v6From: &value, "ipv6hint")) }
    case 2: break
    default:
      try value.skip(byteCount: value.remaining, "SvcParamValue")
    }
  }
}

extension IPAddress {
  /// Reads four bytes.
  init(v4From reader: inout ByteReader, _ field: StaticString) throws(ParseError) {
    self.init(v4: try reader.readUInt32(field))
  }

  /// Reads sixteen bytes.
  init(v6From reader: inout ByteReader, _ field: StaticString) throws(ParseError) {
    var address = try reader.readBody(byteCount: 16, field)
    let high = try address.readUInt64(field)
    self.init(v6: high, try address.readUInt64(field))
  }
}
