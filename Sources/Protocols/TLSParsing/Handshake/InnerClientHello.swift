package import ByteParsing

/// The inner ClientHello of Encrypted ClientHello (RFC 9849 §5).
package enum InnerClientHello {
  /// The fields of an outer ClientHello about the inner one.
  package struct Encrypted: Hashable, Sendable {
    /// The KDF of HPKE (RFC 9180 §7.2).
    package var kdf: UInt16

    /// The AEAD of HPKE (RFC 9180 §7.3).
    package var aead: UInt16

    /// The range of the encrypted inner hello in the body of the outer one.
    package var payload: Range<Int>

    /// Finds the extension in the body of an outer ClientHello; nil if it has none of the outer type.
    package init?(in outer: Span<UInt8>) throws(ParseError) {
      guard let range = try HelloFields(soundClient: outer).body(of: .encryptedClientHello) else { return nil }
      var reader = ByteReader(outer)
      try reader.skip(byteCount: range.lowerBound, "encrypted_client_hello")
      var body = try reader.readBody(byteCount: range.count, "encrypted_client_hello")
      guard try body.readUInt8("type") == 0 else { return nil }
      kdf = try body.readUInt16("kdf_id")
      aead = try body.readUInt16("aead_id")
      try body.skip(byteCount: 1, "config_id")
      _ = try body.readVector("enc", 0...0xFFFF)
      let encrypted = try body.readVector("payload", 1...0xFFFF)
      payload = encrypted.offset..<body.offset
      try body.requireEnd(of: "encrypted_client_hello")
    }
  }

  /// Restores the body of the inner ClientHello from its encoding (RFC 9849 §5.1): the session ID is the outer hello's, and
  /// `ech_outer_extensions` refers to extensions of the outer hello.
  ///
  /// Throws if the encoding is malformed: nonzero padding, a session ID, references to outer extensions that are absent, repeated or
  /// reordered, or no mark of an inner hello.
  package static func decode(_ encoded: Span<UInt8>, outer: Span<UInt8>) throws(ParseError) -> Bytes {
    let inner = try HelloFields(soundClient: encoded, isPadded: true)
    let source = try HelloFields(soundClient: outer)
    guard inner.sessionID.isEmpty else {
      throw ParseError(.lengthOutOfBounds(inner.sessionID.count, allowed: 0...0), in: "legacy_session_id", at: 34)
    }
    for index in inner.end..<encoded.count where encoded[index] != 0 {
      throw ParseError(.unexpectedValue(UInt64(encoded[index])), in: "zeros", at: index)
    }
    // A one-byte type: 1 is an inner hello.
    guard let sign = inner.body(of: .encryptedClientHello), sign.count == 1, encoded[sign.lowerBound] == 1
    else { throw ParseError(.unexpectedValue(0), in: "encrypted_client_hello", at: inner.end) }
    var extensions = Bytes()
    var next = 0
    var isExpanded = false
    for (type, range) in inner.extensions {
      guard type == .echOuterExtensions else {
        extensions.append(copying: encoded.extracting(HelloFields.whole(range)))
        continue
      }
      guard !isExpanded else { throw ParseError(.unexpectedValue(UInt64(type.rawValue)), in: "extension_type", at: range.lowerBound) }
      isExpanded = true
      var reader = ByteReader(encoded.extracting(range))
      let types: [ExtensionType] = try reader.readOnlyCodePoints("outer_extensions", 2...254)
      for type in types {
        while next < source.extensions.count, source.extensions[next].type != type { next += 1 }
        guard next < source.extensions.count, type != .encryptedClientHello else {
          throw ParseError(.unexpectedValue(UInt64(type.rawValue)), in: "outer_extensions", at: range.lowerBound)
        }
        extensions.append(copying: outer.extracting(HelloFields.whole(source.extensions[next].body)))
        next += 1
      }
    }
    guard extensions.count <= 0xFFFF else {
      throw ParseError(.lengthOutOfBounds(extensions.count, allowed: 0...0xFFFF), in: "extensions", at: inner.end)
    }
    var body = Bytes(copying: encoded.extracting(0..<34))
    body.append(UInt8(truncatingIfNeeded: source.sessionID.count))
    body.append(copying: outer.extracting(source.sessionID))
    body.append(copying: encoded.extracting((inner.cipherSuites.lowerBound - 2)..<inner.compressionMethods.upperBound))
    body.append(big: UInt16(extensions.count))
    body.append(contentsOf: extensions)
    return body
  }

  /// The range of the eight bytes in a HelloRetryRequest that confirm the inner hello (RFC 9849 §7.2.1); nil if it has none.
  package static func confirmation(inRetry body: Span<UInt8>) -> Range<Int>? {
    guard let fields = try? HelloFields(ofServer: body), let range = fields.body(of: .encryptedClientHello),
      range.count == 8
    else { return nil }
    return range
  }
}

extension HelloFields {
  /// Finds the fields of a ClientHello; throws if it is malformed, or has no extensions.
  fileprivate init(soundClient body: Span<UInt8>, isPadded: Bool = false) throws(ParseError) {
    self.init(ofClient: body, isPadded: isPadded)
    if let fault { throw fault }
    guard !extensions.isEmpty else { throw ParseError(.truncated(needed: 1, available: 0), in: "extensions", at: end) }
  }

  /// The range of an extension with its type and length, from that of its body.
  fileprivate static func whole(_ body: Range<Int>) -> Range<Int> { (body.lowerBound - 4)..<body.upperBound }
}
