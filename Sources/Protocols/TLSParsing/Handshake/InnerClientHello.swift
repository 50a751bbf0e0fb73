public import ByteParsing

/// Where a hello's parts are that Encrypted ClientHello takes from it or puts into it.
struct HelloExtents {
  /// `legacy_session_id`, without its length.
  private(set) var sessionID = 0..<0

  /// The bytes from the cipher suites up to the extensions.
  private(set) var choices = 0..<0

  /// The extensions in their order, each with its type and length.
  private(set) var extensions: [(type: ExtensionType, range: Range<Int>)] = []

  /// Where the hello ends.
  private(set) var end = 0

  /// Reads a ClientHello's body, after which zeros may follow.
  init(ofClient body: Span<UInt8>) throws(ParseError) {
    var reader = ByteReader(body)
    try readStart(&reader)
    let start = reader.offset
    _ = try reader.readVector("cipher_suites", 0...0xFFFE)
    _ = try reader.readVector("legacy_compression_methods", 0...0xFF)
    choices = start..<reader.offset
    try readExtensions(&reader)
  }

  /// Reads a ServerHello's body.
  init(ofServer body: Span<UInt8>) throws(ParseError) {
    var reader = ByteReader(body)
    try readStart(&reader)
    try reader.skip(byteCount: 3, "cipher_suite")
    try readExtensions(&reader)
  }

  private mutating func readStart(_ reader: inout ByteReader) throws(ParseError) {
    try reader.skip(byteCount: 34, "random")
    let session = try reader.readVector("legacy_session_id", 0...32)
    sessionID = session.offset..<reader.offset
  }

  private mutating func readExtensions(_ reader: inout ByteReader) throws(ParseError) {
    var block = try reader.readVector("extensions", 0...0xFFFF)
    end = reader.offset
    while block.remaining > 0 {
      let start = block.offset
      let type = ExtensionType(rawValue: try block.readUInt16("extension_type"))
      _ = try block.readVector("extension_data", 0...0xFFFF)
      guard extensions.count < ClientHello.maximumExtensionCount else {
        throw ParseError(.limitReached(ClientHello.maximumExtensionCount), in: "extensions", at: start)
      }
      extensions.append((type, start..<block.offset))
    }
  }

  /// The body of the first extension of a type; nil where there is none.
  func body(of type: ExtensionType) -> Range<Int>? {
    extensions.first { $0.type == type }.map { ($0.range.lowerBound + 4)..<$0.range.upperBound }
  }
}

/// The inner ClientHello of Encrypted ClientHello (RFC 9849 §5).
public enum InnerClientHello {
  /// What an outer ClientHello says of the inner one.
  public struct Sealed: Hashable, Sendable {
    /// The KDF of HPKE (RFC 9180 §7.2).
    public var kdf: UInt16

    /// The AEAD of HPKE (RFC 9180 §7.3).
    public var aead: UInt16

    /// Which of the server's configurations it is encrypted under.
    public var configID: UInt8

    /// Where the encrypted inner hello is in the body of the outer one.
    public var payload: Range<Int>

    /// Finds the extension in the body of an outer ClientHello; nil where it has none of the outer kind.
    public init?(in outer: Span<UInt8>) throws(ParseError) {
      guard let range = try HelloExtents(ofClient: outer).body(of: .encryptedClientHello) else { return nil }
      var reader = ByteReader(outer)
      try reader.skip(byteCount: range.lowerBound, "encrypted_client_hello")
      var body = try reader.readBody(byteCount: range.count, "encrypted_client_hello")
      guard try body.readUInt8("type") == 0 else { return nil }
      kdf = try body.readUInt16("kdf_id")
      aead = try body.readUInt16("aead_id")
      configID = try body.readUInt8("config_id")
      _ = try body.readVector("enc", 0...0xFFFF)
      let sealed = try body.readVector("payload", 1...0xFFFF)
      payload = sealed.offset..<body.offset
      try body.requireEnd(of: "encrypted_client_hello")
    }
  }

  /// Restores the body of the inner ClientHello from its encoding (RFC 9849 §5.1): the session ID is the outer hello's, and
  /// `ech_outer_extensions` stands for extensions of the outer hello.
  ///
  /// Throws where the encoding breaks a rule: padding that is not zero, a session ID, extensions of the outer hello that are
  /// absent, repeated or in another order, or no sign that it is an inner hello.
  public static func decode(_ encoded: Span<UInt8>, outer: Span<UInt8>) throws(ParseError) -> Bytes {
    let inner = try HelloExtents(ofClient: encoded)
    let source = try HelloExtents(ofClient: outer)
    guard inner.sessionID.isEmpty else {
      throw ParseError(
        .lengthOutOfBounds(inner.sessionID.count, allowed: 0...0), in: "legacy_session_id", at: 34)
    }
    for index in inner.end..<encoded.count where encoded[index] != 0 {
      throw ParseError(.unexpectedValue(UInt64(encoded[index])), in: "zeros", at: index)
    }
    // One byte of type: 1 is an inner hello.
    guard let sign = inner.body(of: .encryptedClientHello), sign.count == 1, encoded[sign.lowerBound] == 1
    else {
      throw ParseError(.unexpectedValue(0), in: "encrypted_client_hello", at: inner.end)
    }
    var extensions = Bytes()
    var next = 0
    var isExpanded = false
    for (type, range) in inner.extensions {
      guard type == .echOuterExtensions else {
        extensions.append(copying: encoded.extracting(range))
        continue
      }
      guard !isExpanded else {
        throw ParseError(.unexpectedValue(UInt64(type.rawValue)), in: "extension_type", at: range.lowerBound)
      }
      isExpanded = true
      var reader = ByteReader(encoded.extracting((range.lowerBound + 4)..<range.upperBound))
      let types: [ExtensionType] = try reader.readOnlyCodePoints("outer_extensions", 2...254)
      for type in types {
        while next < source.extensions.count, source.extensions[next].type != type { next += 1 }
        guard next < source.extensions.count, type != .encryptedClientHello else {
          throw ParseError(
            .unexpectedValue(UInt64(type.rawValue)), in: "outer_extensions", at: range.lowerBound)
        }
        extensions.append(copying: outer.extracting(source.extensions[next].range))
        next += 1
      }
    }
    guard extensions.count <= 0xFFFF else {
      throw ParseError(
        .lengthOutOfBounds(extensions.count, allowed: 0...0xFFFF), in: "extensions", at: inner.end)
    }
    var body = Bytes(copying: encoded.extracting(0..<34))
    body.append(UInt8(truncatingIfNeeded: source.sessionID.count))
    body.append(copying: outer.extracting(source.sessionID))
    body.append(copying: encoded.extracting(inner.choices))
    body.append(UInt8(truncatingIfNeeded: extensions.count >> 8))
    body.append(UInt8(truncatingIfNeeded: extensions.count))
    body.append(contentsOf: extensions)
    return body
  }

  /// Where a HelloRetryRequest says whether the inner hello was accepted (RFC 9849 §7.2.1): eight bytes; nil where it does not.
  public static func confirmation(inRetry body: Span<UInt8>) -> Range<Int>? {
    guard let extents = try? HelloExtents(ofServer: body),
      let range = extents.body(of: .encryptedClientHello), range.count == 8
    else { return nil }
    return range
  }
}

extension ExtensionType: CodePoint16 {}
