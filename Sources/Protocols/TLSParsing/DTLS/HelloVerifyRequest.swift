package import ByteParsing

/// The server's wish to see the hello again with a cookie (RFC 6347 §4.2.1), up to DTLS 1.2.
package struct HelloVerifyRequest: Hashable, Sendable {
  /// `server_version`, which says nothing of the version that will be chosen.
  package var version: TLSVersion

  /// `cookie`.
  package var cookie: Bytes

  /// Parses the body of a handshake message of type `hello_verify_request`.
  package init(parsing body: Span<UInt8>) throws(ParseError) {
    var reader = ByteReader(body)
    version = TLSVersion(rawValue: try reader.readUInt16("server_version"))
    var cookie = try reader.readVector("cookie", 0...255)
    self.cookie = cookie.readRest()
    try reader.requireEnd(of: "HelloVerifyRequest")
  }
}
