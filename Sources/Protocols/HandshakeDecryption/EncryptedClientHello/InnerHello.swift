package import ByteParsing
package import TLSParsing

/// The key log entries for one Encrypted ClientHello (RFC 9850 §2.3).
package struct EncryptedClientHelloKeys: Hashable, Sendable {
  /// The shared secret of HPKE's KEM (`ECH_SECRET`); empty if the log lacks it.
  package var secret: Bytes

  /// The ECHConfig that the client used (`ECH_CONFIG`); empty if the log lacks it.
  package var config: Bytes

  package init(secret: Bytes = [], config: Bytes = []) {
    self.secret = secret
    self.config = config
  }
}

/// A decrypted inner ClientHello (RFC 9849).
package final class InnerHello: Sendable {
  /// The body of the message.
  package let body: Bytes

  /// `random` of the inner hello.
  package let random: ShortBytes

  /// Decrypts the inner hello of an outer one; nil if the keys do not decrypt it, or the result is malformed.
  package init?(in outer: Span<UInt8>, _ keys: EncryptedClientHelloKeys) {
    guard !keys.secret.isEmpty, let kem = InnerHello.kem(of: keys.config.span), let encrypted = try? InnerClientHello.Encrypted(in: outer),
      let context = HPKEContext(
        kem: kem, kdf: encrypted.kdf, aead: encrypted.aead, sharedSecret: keys.secret, info: Bytes("tls ech".utf8) + [0] + keys.config)
    else { return nil }
    // The outer hello with zeros in place of the payload (RFC 9849 §5.2).
    var associated = Bytes(copying: outer)
    for index in encrypted.payload { associated[index] = 0 }
    guard let encoded = context.openFirst(outer.extracting(encrypted.payload), authenticating: associated),
      let body = try? InnerClientHello.decode(encoded.span, outer: outer)
    else { return nil }
    self.body = body
    random = ShortBytes(body.span.extracting(2..<34))
  }

  /// The KEM of an ECHConfig (RFC 9849 §4); nil for another version, or an invalid one.
  private static func kem(of config: Span<UInt8>) -> UInt16? {
    var reader = ByteReader(config)
    guard (try? reader.readUInt16("version")) == ExtensionType.encryptedClientHello.rawValue,
      var contents = try? reader.readVector("contents", 1...0xFFFF), reader.remaining == 0,
      (try? contents.skip(byteCount: 1, "config_id")) != nil
    else { return nil }
    return try? contents.readUInt16("kem_id")
  }

  /// Whether a ServerHello, or the HelloRetryRequest before it, shows that the server accepted the inner hello (RFC 9849 §7.2).
  ///
  /// The server includes eight bytes derived from the inner hello. False if they do not match, or if the suite's hash is unknown.
  package func isAccepted(by serverHello: Span<UInt8>, suite: CipherSuite, isRetry: Bool) -> Bool {
    let hash: HashKind
    switch suite.rawValue {
    case 0x1301, 0x1303, 0x1304, 0x1305: hash = .sha256
    case 0x1302: hash = .sha384
    default: return false
    }
    guard let confirmation = isRetry ? InnerClientHello.confirmation(inRetry: serverHello) : 26..<34,
      confirmation.upperBound <= serverHello.count
    else { return false }
    var body = Bytes(copying: serverHello)
    for index in confirmation { body[index] = 0 }
    let hello = HandshakeHeader.message(.clientHello, self.body)
    // A HelloRetryRequest is preceded by the digest of the first hello (RFC 8446 §4.4.1).
    let before = isRetry ? HandshakeHeader.message(.messageHash, hash.digest(hello)) : hello
    let transcript = hash.digest(before + HandshakeHeader.message(.serverHello, body))
    let expected = hash.expand(
      hash.extract(Bytes(random)), label: "\(isRetry ? "hrr " : "")ech accept confirmation", context: transcript, 8)
    return expected == Bytes(copying: serverHello.extracting(confirmation))
  }
}
