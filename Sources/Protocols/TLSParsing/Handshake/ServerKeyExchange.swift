package import ByteParsing

/// The server's share in the key exchange up to TLS 1.2 (RFC 5246 §7.4.3, RFC 8422 §5.4, RFC 4279).
package struct ServerKeyExchange: Hashable, Sendable {
  /// The named group; nil if there is none.
  package private(set) var group: NamedGroup?

  /// The size in bits of the curve's field, the prime or the RSA modulus; nil if there is none.
  package private(set) var bits: Int?

  /// The range of the signed parameters, which follow both randoms in the signed content.
  package private(set) var parametersRange = 0..<0

  /// The scheme of the signature, also if the version implies it; nil if the parameters are not signed, and for RSA before TLS 1.2, which
  /// signs MD5 and SHA-1 digests together.
  package private(set) var signatureScheme: SignatureScheme?

  /// The range of the signature; empty if there is none.
  package private(set) var signatureRange = 0..<0

  /// Whether a suite determines the format of the message, or that none is sent; false for unknown suites, and for key exchanges that are
  /// not supported.
  package static func isExplained(by suite: CipherSuite) -> Bool {
    switch suite.structure?.keyExchange {
    case nil, .kerberos, .password, .gost, .fortezza, .sm: false
    case .negotiated, .null, .rsa, .dh, .dhe, .ecdh, .ecdhe, .psk, .dhePSK, .ecdhePSK, .rsaPSK, .srp: true
    }
  }

  /// Parses the body of a handshake message of type `server_key_exchange`, whose format depends on suite and version.
  ///
  /// Throws for a suite that is unknown or sends no such message.
  package init(parsing body: Span<UInt8>, suite: CipherSuite, version: TLSVersion) throws(ParseError) {
    guard let structure = suite.structure else { throw ParseError(.unexpectedValue(UInt64(suite.rawValue)), in: "cipher_suite", at: 0) }
    var reader = ByteReader(body)
    switch structure.keyExchange {
    case .psk, .rsaPSK, .dhePSK, .ecdhePSK:
      _ = try reader.readVector("psk_identity_hint", 0...0xFFFF)
    default:
      break
    }
    switch structure.keyExchange {
    case .ecdhe, .ecdhePSK:
      try readECParameters(from: &reader)
    case .dhe, .dhePSK:
      bits = bitCount(ofUnsigned: try reader.readVector("dh_p", 1...0xFFFF).rest)
      _ = try reader.readVector("dh_g", 1...0xFFFF)
      _ = try reader.readVector("dh_Ys", 1...0xFFFF)
    case .rsa where structure.isExport:
      bits = bitCount(ofUnsigned: try reader.readVector("rsa_modulus", 1...0xFFFF).rest)
      _ = try reader.readVector("rsa_exponent", 1...0xFFFF)
    case .srp:
      bits = bitCount(ofUnsigned: try reader.readVector("srp_N", 1...0xFFFF).rest)
      _ = try reader.readVector("srp_g", 1...0xFFFF)
      _ = try reader.readVector("srp_s", 1...0xFF)
      _ = try reader.readVector("srp_B", 1...0xFFFF)
    case .psk, .rsaPSK:
      break
    case .negotiated, .null, .rsa, .dh, .ecdh, .kerberos, .password, .gost, .fortezza, .sm:
      throw ParseError(.unexpectedValue(UInt64(suite.rawValue)), in: "cipher_suite", at: 0)
    }
    parametersRange = 0..<reader.offset
    try readSignature(from: &reader, structure, version)
    try reader.requireEnd(of: "ServerKeyExchange")
  }

  /// Reads ECParameters and the public point (RFC 8422 §5.4; explicit curves: RFC 4492 §5.4).
  private mutating func readECParameters(from reader: inout ByteReader) throws(ParseError) {
    let start = reader.offset
    let type = try reader.readUInt8("curve_type")
    switch type {
    case 1:
      bits = bitCount(ofUnsigned: try reader.readVector("prime_p", 1...255).rest)
      try Self.skipCurve(from: &reader)
    case 2:
      bits = Int(try reader.readUInt16("m"))
      let basis = try reader.readUInt8("basis")
      guard basis == 1 || basis == 2 else { throw ParseError(.unexpectedValue(UInt64(basis)), in: "basis", at: reader.offset) }
      for _ in 0..<(basis == 1 ? 1 : 3) { _ = try reader.readVector("k", 1...255) }
      try Self.skipCurve(from: &reader)
    case 3:
      let group = NamedGroup(rawValue: try reader.readUInt16("namedcurve"))
      (self.group, bits) = (group, group.bits)
    default:
      throw ParseError(.unexpectedValue(UInt64(type)), in: "curve_type", at: start)
    }
    _ = try reader.readVector("public", 1...255)
  }

  /// Skips curve, base point, order and cofactor of an explicit curve.
  private static func skipCurve(from reader: inout ByteReader) throws(ParseError) {
    _ = try reader.readVector("a", 1...255)
    _ = try reader.readVector("b", 1...255)
    _ = try reader.readVector("base", 1...255)
    _ = try reader.readVector("order", 1...255)
    _ = try reader.readVector("cofactor", 1...255)
  }

  private mutating func readSignature(
    from reader: inout ByteReader, _ structure: CipherSuite.Structure, _ version: TLSVersion
  ) throws(ParseError) {
    switch (structure.keyExchange, structure.authentication) {
    case (.psk, _), (.rsaPSK, _), (_, .psk), (_, .anonymous), (_, .password): return
    case _ where version.hasSignatureSchemes: signatureScheme = SignatureScheme(rawValue: try reader.readUInt16("algorithm"))
    case (_, .dss): signatureScheme = .dsaSHA1
    case (_, .ecdsa): signatureScheme = .ecdsaSHA1
    default: break
    }
    signatureRange = try reader.readVector("signature", 0...0xFFFF).remainingRange
  }
}

extension TLSVersion {
  /// Whether signatures contain their scheme: since TLS 1.2 and DTLS 1.2.
  var hasSignatureSchemes: Bool {
    rawValue >> 8 == 0xFE ? rawValue <= TLSVersion.dtls12.rawValue : rawValue >= TLSVersion.tls12.rawValue
  }
}
