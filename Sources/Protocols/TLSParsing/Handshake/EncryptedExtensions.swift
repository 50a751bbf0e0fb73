package import ByteParsing

/// The server's response to the hello in TLS 1.3, except for the key exchange (RFC 8446 §4.3.1).
package struct EncryptedExtensions: Hashable, Sendable {
  /// The types of the extensions in order.
  package var extensions: [ExtensionType] = []

  /// The chosen ALPN protocol, as encoded; nil if there is none.
  package var alpn: Bytes?

  /// The type of the server's credential if it is not an X.509 certificate: 2 is a raw public key (RFC 7250 §4.2).
  package var serverCertificateType: UInt8?

  /// The type of the client's credential if it is not an X.509 certificate.
  package var clientCertificateType: UInt8?

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
      case .clientCertificateType: clientCertificateType = try data.readUInt8("client_certificate_type")
      case .serverCertificateType: serverCertificateType = try data.readUInt8("server_certificate_type")
      default: break
      }
    }
    try reader.requireEnd(of: "EncryptedExtensions")
  }
}
