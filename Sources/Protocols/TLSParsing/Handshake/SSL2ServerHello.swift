package import ByteParsing

/// The response of an SSL 2 server, which contains its certificate and leaves the choice of cipher to the client.
package struct SSL2ServerHello: Hashable, Sendable {
  /// `SERVER-VERSION`.
  package var version: TLSVersion

  /// The server's certificate, DER.
  package var certificate: Bytes

  /// `CONNECTION-ID`.
  package var connectionID: Bytes

  /// Parses a SERVER-HELLO without the two bytes of its record header.
  package init(parsing message: Span<UInt8>) throws(ParseError) {
    var reader = ByteReader(message)
    let type = try reader.readUInt8("MSG-SERVER-HELLO")
    guard type == 4 else { throw ParseError(.unexpectedValue(UInt64(type)), in: "MSG-SERVER-HELLO", at: 0) }
    try reader.skip(byteCount: 1, "SESSION-ID-HIT")
    try reader.skip(byteCount: 1, "CERTIFICATE-TYPE")
    version = TLSVersion(rawValue: try reader.readUInt16("SERVER-VERSION"))
    let certificateLength = Int(try reader.readUInt16("CERTIFICATE-LENGTH"))
    let specsLength = Int(try reader.readUInt16("CIPHER-SPECS-LENGTH"))
    let connectionLength = Int(try reader.readUInt16("CONNECTION-ID-LENGTH"))
    var certificate = try reader.readBody(byteCount: certificateLength, "CERTIFICATE-DATA")
    self.certificate = certificate.readRest()
    let specs = try reader.readBody(byteCount: specsLength, "CIPHER-SPECS-DATA")
    guard specs.remaining.isMultiple(of: 3) else {
      throw ParseError(.truncated(needed: 3, available: specs.remaining % 3), in: "CIPHER-SPECS-DATA", at: specs.offset)
    }
    var connection = try reader.readBody(byteCount: connectionLength, "CONNECTION-ID-DATA")
    connectionID = connection.readRest()
    try reader.requireEnd(of: "SERVER-HELLO")
  }
}
