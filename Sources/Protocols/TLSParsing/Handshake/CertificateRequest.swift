package import ByteParsing

/// The server's wish for a certificate of the client (RFC 5246 §7.4.4, RFC 8446 §4.3.2).
package struct CertificateRequest: Hashable, Sendable {
  /// `certificate_types`; empty in TLS 1.3.
  package var certificateTypes: [UInt8] = []

  /// `supported_signature_algorithms` of TLS 1.2, `signature_algorithms` of TLS 1.3; empty before.
  package var signatureSchemes: [SignatureScheme] = []

  /// `signature_algorithms_cert` of TLS 1.3.
  package var certificateSignatureSchemes: [SignatureScheme] = []

  /// How many names of authorities the server gives.
  package var authorityCount = 0

  /// Parses the body of a handshake message of type `certificate_request`, whose layout the version decides.
  package init(parsing body: Span<UInt8>, version: TLSVersion) throws(ParseError) {
    var reader = ByteReader(body)
    if version.hasTLS13Handshake {
      _ = try reader.readVector("certificate_request_context", 0...255)
      var extensions = try reader.readVector("extensions", 0...0xFFFF)
      try readExtensions(from: &extensions)
    } else {
      var types = try reader.readVector("certificate_types", 0...255)
      certificateTypes = Array(types.readRest())
      if version.hasSignatureSchemes {
        var schemes = try reader.readVector("supported_signature_algorithms", 0...0xFFFE)
        signatureSchemes = try schemes.readCodePoints("supported_signature_algorithms")
      }
      var authorities = try reader.readVector("certificate_authorities", 0...0xFFFF)
      try readAuthorities(from: &authorities)
    }
    try reader.requireEnd(of: "CertificateRequest")
  }

  private mutating func readExtensions(from block: inout ByteReader) throws(ParseError) {
    while block.remaining > 0 {
      let type = ExtensionType(rawValue: try block.readUInt16("extension_type"))
      var body = try block.readVector("extension_data", 0...0xFFFF)
      switch type {
      case .signatureAlgorithms:
        signatureSchemes = try body.readOnlyCodePoints("supported_signature_algorithms", 2...0xFFFE)
      case .signatureAlgorithmsCert:
        certificateSignatureSchemes = try body.readOnlyCodePoints(
          "supported_signature_algorithms", 2...0xFFFE)
      case .certificateAuthorities:
        var authorities = try body.readVector("authorities", 3...0xFFFF)
        try readAuthorities(from: &authorities)
      default:
        break
      }
    }
  }

  private mutating func readAuthorities(from list: inout ByteReader) throws(ParseError) {
    while list.remaining > 0 {
      _ = try list.readVector("DistinguishedName", 1...0xFFFF)
      authorityCount += 1
    }
  }
}
