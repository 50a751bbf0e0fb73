package import ByteParsing

/// The server's share in the key exchange up to TLS 1.2 (RFC 5246 §7.4.3, RFC 8422 §5.4, RFC 4279).
package struct ServerKeyExchange: Hashable, Sendable {
  /// The server's parameters, by type of key exchange.
  package enum Parameters: Hashable, Sendable {
    /// A point on a named curve.
    case namedCurve(NamedGroup)
    /// A point on an explicit curve over a prime field.
    case explicitPrimeCurve
    /// A point on an explicit curve over a binary field.
    case explicitChar2Curve
    /// A prime, a generator and a public value.
    case finiteField
    /// A weak RSA key for an export suite.
    case temporaryRSA
    /// A prime, a generator, a salt and a public value of SRP (RFC 5054).
    case srp
    /// Only a hint for the pre-shared key to use.
    case pskHint
  }

  /// The signature on the parameters.
  package enum Signature: Hashable, Sendable {
    /// The parameters are not signed.
    case none
    /// With the scheme in the message (TLS 1.2).
    case scheme(SignatureScheme)
    /// RSA over MD5 and SHA-1 together (before TLS 1.2).
    case rsaMD5SHA1
    /// DSA over SHA-1 (before TLS 1.2).
    case dsaSHA1
    /// ECDSA over SHA-1 (before TLS 1.2).
    case ecdsaSHA1
  }

  package var parameters: Parameters

  /// The size in bits of the curve's field, the prime or the RSA modulus; nil if there is none.
  package var bits: Int?

  package var signature: Signature

  /// The range of the signed parameters, which follow both randoms in the signed content.
  package var parametersRange = 0..<0

  /// The range of the signature; empty if there is none.
  package var signatureRange = 0..<0

  /// The named group; nil if there is none.
  package var group: NamedGroup? {
    if case .namedCurve(let group) = parameters { group } else { nil }
  }

  /// The signature scheme, also if the version implies it; nil for RSA before TLS 1.2, which has none.
  package var signatureScheme: SignatureScheme? {
    switch signature {
    case .scheme(let scheme): scheme
    case .dsaSHA1: .dsaSHA1
    case .ecdsaSHA1: .ecdsaSHA1
    case .none, .rsaMD5SHA1: nil
    }
  }

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
      (parameters, bits) = try Self.readECParameters(from: &reader)
    case .dhe, .dhePSK:
      bits = bitCount(ofUnsigned: try reader.readVector("dh_p", 1...0xFFFF).rest)
      _ = try reader.readVector("dh_g", 1...0xFFFF)
      _ = try reader.readVector("dh_Ys", 1...0xFFFF)
      parameters = .finiteField
    case .rsa where structure.isExport:
      bits = bitCount(ofUnsigned: try reader.readVector("rsa_modulus", 1...0xFFFF).rest)
      _ = try reader.readVector("rsa_exponent", 1...0xFFFF)
      parameters = .temporaryRSA
    case .srp:
      bits = bitCount(ofUnsigned: try reader.readVector("srp_N", 1...0xFFFF).rest)
      _ = try reader.readVector("srp_g", 1...0xFFFF)
      _ = try reader.readVector("srp_s", 1...0xFF)
      _ = try reader.readVector("srp_B", 1...0xFFFF)
      parameters = .srp
    case .psk, .rsaPSK:
      parameters = .pskHint
    case .negotiated, .null, .rsa, .dh, .ecdh, .kerberos, .password, .gost, .fortezza, .sm:
      throw ParseError(.unexpectedValue(UInt64(suite.rawValue)), in: "cipher_suite", at: 0)
    }
    signature = .none
    parametersRange = 0..<reader.offset
    (signature, signatureRange) = try Self.readSignature(from: &reader, structure, version)
    try reader.requireEnd(of: "ServerKeyExchange")
  }

  /// Reads ECParameters and the public point (RFC 8422 §5.4; explicit curves: RFC 4492 §5.4).
  private static func readECParameters(from reader: inout ByteReader) throws(ParseError) -> (Parameters, Int?) {
    let start = reader.offset
    let type = try reader.readUInt8("curve_type")
    let parameters: Parameters
    let bits: Int?
    switch type {
    case 1:
      bits = bitCount(ofUnsigned: try reader.readVector("prime_p", 1...255).rest)
      parameters = .explicitPrimeCurve
      try skipCurve(from: &reader)
    case 2:
      bits = Int(try reader.readUInt16("m"))
      parameters = .explicitChar2Curve
      let basis = try reader.readUInt8("basis")
      guard basis == 1 || basis == 2 else { throw ParseError(.unexpectedValue(UInt64(basis)), in: "basis", at: reader.offset) }
      for _ in 0..<(basis == 1 ? 1 : 3) { _ = try reader.readVector("k", 1...255) }
      try skipCurve(from: &reader)
    case 3:
      let group = NamedGroup(rawValue: try reader.readUInt16("namedcurve"))
      bits = group.bits
      parameters = .namedCurve(group)
    default:
      throw ParseError(.unexpectedValue(UInt64(type)), in: "curve_type", at: start)
    }
    _ = try reader.readVector("public", 1...255)
    return (parameters, bits)
  }

  /// Skips curve, base point, order and cofactor of an explicit curve.
  private static func skipCurve(from reader: inout ByteReader) throws(ParseError) {
    _ = try reader.readVector("a", 1...255)
    _ = try reader.readVector("b", 1...255)
    _ = try reader.readVector("base", 1...255)
    _ = try reader.readVector("order", 1...255)
    _ = try reader.readVector("cofactor", 1...255)
  }

  private static func readSignature(
    from reader: inout ByteReader, _ structure: CipherSuite.Structure, _ version: TLSVersion
  ) throws(ParseError) -> (Signature, Range<Int>) {
    switch (structure.keyExchange, structure.authentication) {
    case (.psk, _), (.rsaPSK, _), (_, .psk), (_, .anonymous), (_, .password):
      return (.none, 0..<0)
    default:
      break
    }
    let signature: Signature
    if version.hasSignatureSchemes {
      signature = .scheme(SignatureScheme(rawValue: try reader.readUInt16("algorithm")))
    } else {
      switch structure.authentication {
      case .rsa: signature = .rsaMD5SHA1
      case .dss: signature = .dsaSHA1
      case .ecdsa: signature = .ecdsaSHA1
      default: signature = .none
      }
    }
    let bytes = try reader.readVector("signature", 0...0xFFFF)
    return (signature, bytes.remainingRange)
  }
}

extension TLSVersion {
  /// Whether signatures contain their scheme: since TLS 1.2 and DTLS 1.2.
  var hasSignatureSchemes: Bool {
    rawValue >> 8 == 0xFE ? rawValue <= TLSVersion.dtls12.rawValue : rawValue >= TLSVersion.tls12.rawValue
  }
}
