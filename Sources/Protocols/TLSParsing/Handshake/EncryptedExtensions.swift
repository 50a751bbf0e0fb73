package import ByteParsing

/// What the server answers to the hello beside the keys in TLS 1.3 (RFC 8446 §4.3.1).
package struct EncryptedExtensions: Hashable, Sendable {
  /// The types of the extensions in the order of the wire.
  package var extensions: [ExtensionType] = []

  /// The protocol that the server chose, as it stands there.
  package var alpn: Bytes?

  /// What the server shows in place of certificates, if not those: 2 is a raw public key (RFC 7250 §4.2).
  package var serverCertificateType: UInt8?

  /// Parses the body of a handshake message of type `encrypted_extensions`.
  package init(parsing body: Span<UInt8>) throws(ParseError) {
    var reader = ByteReader(body)
    var block = try reader.readVector("extensions", 0...0xFFFF)
    while block.remaining > 0 {
      guard extensions.count < ServerHello.maximumExtensionCount else {
        throw ParseError(.limitReached(ServerHello.maximumExtensionCount), in: "extensions", at: block.offset)
      }
      let type = ExtensionType(rawValue: try block.readUInt16("extension_type"))
      var data = try block.readVector("extension_data", 0...0xFFFF)
      extensions.append(type)
      switch type {
      case .alpn: alpn = try readProtocolNames(from: &data).first
      case .serverCertificateType: serverCertificateType = try data.readUInt8("server_certificate_type")
      default: break
      }
    }
    try reader.requireEnd(of: "EncryptedExtensions")
  }
}
