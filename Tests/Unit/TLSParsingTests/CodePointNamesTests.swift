import Testing

@testable import TLSParsing

@Suite struct CodePointNamesTests {
  @Test func `tables are sorted by code point and have no duplicate names`() {
    func ascends<Value: Comparable>(_ values: [Value]) -> Bool {
      zip(values, values.dropFirst()).allSatisfy { $0 < $1 }
    }
    #expect(ascends(CipherSuiteRegistry.registered.map(\.codePoint)))
    #expect(ascends(CipherSuiteRegistry.unregistered.map(\.codePoint)))
    #expect(ascends(NamedGroupRegistry.entries.map(\.codePoint)))
    #expect(ascends(SignatureSchemeRegistry.entries.map(\.codePoint)))
    #expect(ascends(ExtensionTypeRegistry.registered.map(\.codePoint)))
    #expect(ascends(ExtensionTypeRegistry.unregistered.map(\.codePoint)))
    #expect(ascends(AlertRegistry.entries.map(\.codePoint)))
    #expect(ascends(HandshakeTypeRegistry.entries.map(\.codePoint)))
    #expect(ascends(CompressionMethodRegistry.entries.map(\.codePoint)))
    #expect(Set(CipherSuiteRegistry.registered.map(\.name)).count == CipherSuiteRegistry.registered.count)
    // The drafts of ChaCha20-Poly1305 had other code points for names that were registered later.
    #expect(
      Set(CipherSuiteRegistry.registered.map(\.name)).isDisjoint(
        with: CipherSuiteRegistry.unregistered.map(\.name)))
    #expect(Set(SignatureSchemeRegistry.entries.map(\.name)).count == SignatureSchemeRegistry.entries.count)
  }

  @Test func `tables have the expected number of rows`() {
    #expect(CipherSuiteRegistry.registered.count == 352)
    #expect(ExtensionTypeRegistry.registered.count == 63)
    #expect(AlertRegistry.entries.count == 38)
    #expect(NamedGroupRegistry.entries.filter { $0.codePoint < 0x0100 }.count == 41)
  }

  @Test func `GREASE values have no names`() {
    for byte in stride(from: UInt16(0x0A), through: 0xFA, by: 0x10) {
      let value = byte << 8 | byte
      #expect(isGREASE(value))
      #expect(CipherSuite(rawValue: value).name == nil)
      #expect(NamedGroup(rawValue: value).name == nil)
      #expect(ExtensionType(rawValue: value).name == nil)
      #expect(CipherSuite(rawValue: value).isSignal)
    }
    #expect(!isGREASE(0x0A1A))
    #expect(!isGREASE(0x1301))
  }

  @Test(
    arguments: [
      (0x0000, "TLS_NULL_WITH_NULL_NULL"), (0x0005, "TLS_RSA_WITH_RC4_128_SHA"),
      (0x002F, "TLS_RSA_WITH_AES_128_CBC_SHA"),
      (0x009C, "TLS_RSA_WITH_AES_128_GCM_SHA256"), (0x00FF, "TLS_EMPTY_RENEGOTIATION_INFO_SCSV"),
      (0x1301, "TLS_AES_128_GCM_SHA256"), (0x1303, "TLS_CHACHA20_POLY1305_SHA256"),
      (0x5600, "TLS_FALLBACK_SCSV"),
      (0xC02F, "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"), (0xC0AA, "TLS_PSK_DHE_WITH_AES_128_CCM_8"),
      (0xCCA9, "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"),
      (0xD005, "TLS_ECDHE_PSK_WITH_AES_128_CCM_SHA256"),
      (0xFEFF, "SSL_RSA_FIPS_WITH_3DES_EDE_CBC_SHA"), (0x0062, "TLS_RSA_EXPORT1024_WITH_DES_CBC_SHA"),
    ] as [(UInt16, String)])
  func `cipher suites have their registered names`(codePoint: UInt16, name: String) {
    #expect(CipherSuite(rawValue: codePoint).name == name)
  }

  @Test func `unknown code points have neither name nor structure`() {
    #expect(CipherSuite(rawValue: 0x00C8).name == nil)
    #expect(CipherSuite(rawValue: 0x00C8).structure == nil)
    #expect(NamedGroup(rawValue: 0x0000).name == nil)
    #expect(NamedGroup(rawValue: 0x0099).bits == nil)
    #expect(SignatureScheme(rawValue: 0xFFFF).name == nil)
    #expect(AlertDescription(rawValue: 255).name == nil)
    #expect(HandshakeType(rawValue: 200).name == nil)
    #expect(TLSVersion(rawValue: 0x0305).name == nil)
  }

  @Test func `every cipher suite except the signaling values has a structure`() {
    let without = (CipherSuiteRegistry.registered + CipherSuiteRegistry.unregistered)
      .filter { CipherSuite(rawValue: $0.codePoint).structure == nil }
    #expect(without.map(\.codePoint) == [0x00FF, 0x5600])
  }

  typealias Structure = CipherSuite.Structure

  @Test(
    arguments: [
      (0xC02F, .ecdhe, .rsa, false), (0xC02C, .ecdhe, .ecdsa, false), (0xC024, .ecdhe, .ecdsa, true),
      (0xC013, .ecdhe, .rsa, true), (0x0035, .rsa, .rsa, true), (0x000A, .rsa, .rsa, true),
      (0x0033, .dhe, .rsa, true), (0x0032, .dhe, .dss, true), (0x0034, .dhe, .anonymous, true),
      (0x0030, .dh, .dss, true), (0xC004, .ecdh, .ecdsa, true), (0xC018, .ecdhe, .anonymous, true),
      (0x1301, .negotiated, .other, false), (0x1303, .negotiated, .other, false), (0x1305, .negotiated, .other, false),
      (0x1306, .negotiated, .other, false), (0xC0B4, .negotiated, .other, false), (0xCCA8, .ecdhe, .rsa, false),
      (0xCC13, .ecdhe, .rsa, false), (0x0005, .rsa, .rsa, false), (0x0004, .rsa, .rsa, false),
      (0x0001, .rsa, .rsa, false), (0x0000, .null, .anonymous, false), (0xC0AC, .ecdhe, .ecdsa, false),
      (0xC0A2, .dhe, .rsa, false), (0xC0AA, .dhePSK, .psk, false), (0x008C, .psk, .psk, true),
      (0xC035, .ecdhePSK, .psk, true), (0x0094, .rsaPSK, .rsa, true), (0xC01E, .srp, .rsa, true),
      (0x001E, .kerberos, .other, true), (0x0041, .rsa, .rsa, true), (0xC100, .gost, .other, false),
      (0xC106, .gost, .other, false), (0x00C6, .negotiated, .other, false), (0xE013, .sm, .other, true),
      (0xFEFF, .rsa, .rsa, true),
    ] as [(UInt16, Structure.KeyExchange, Structure.Authentication, Bool)])
  func `a cipher suite has the key exchange, authentication and mode in its name`(
    codePoint: UInt16, keyExchange: Structure.KeyExchange, authentication: Structure.Authentication, isCBC: Bool
  ) throws {
    let structure = try #require(CipherSuite(rawValue: codePoint).structure)
    #expect(structure.keyExchange == keyExchange)
    #expect(structure.authentication == authentication)
    #expect(structure.isCBC == isCBC)
    #expect(!structure.isExport)
  }

  @Test(
    arguments: [
      (0xC013, .sha1), (0xE01A, .sha1), (0xE00A, .sha1), (0xC027, .sha256), (0xC024, .sha384), (0x0004, .other), (0xC0A2, .other),
    ] as [(UInt16, Structure.Hash)])
  func `a cipher suite has the hash at the end of its name`(codePoint: UInt16, hash: Structure.Hash) throws {
    #expect(try #require(CipherSuite(rawValue: codePoint).structure).hash == hash)
  }

  @Test(arguments: [3, 6, 8, 0x14, 0x17, 0x26, 0x2B, 0x60, 0x61, 0x62, 0x64, 0x65] as [UInt16])
  func `export cipher suites are recognized`(codePoint: UInt16) throws {
    #expect(try #require(CipherSuite(rawValue: codePoint).structure).isExport)
  }

  @Test func `forward secrecy follows from the key exchange`() throws {
    let counts = CipherSuiteRegistry.registered.compactMap { CipherSuite(rawValue: $0.codePoint).structure }
    #expect(counts.filter(\.isExport).count == 15)
    #expect(try #require(CipherSuite(rawValue: 0x009E).structure).hasForwardSecrecy)
    #expect(try #require(CipherSuite(rawValue: 0x1301).structure).hasForwardSecrecy)
    #expect(try !#require(CipherSuite(rawValue: 0x009C).structure).hasForwardSecrecy)
    #expect(try !#require(CipherSuite(rawValue: 0xC004).structure).hasForwardSecrecy)
  }

  @Test(
    arguments: [
      (29, "x25519", .ecdhe, 253), (23, "secp256r1", .ecdhe, 256), (25, "secp521r1", .ecdhe, 521),
      (30, "x448", .ecdhe, 448), (256, "ffdhe2048", .ffdhe, 2048), (0x11EC, "X25519MLKEM768", .hybrid, 253),
      (0x11EB, "SecP256r1MLKEM768", .hybrid, 256), (0x0201, "MLKEM768", .kem, nil),
      (0x6399, "X25519Kyber768Draft00", .hybrid, 253), (41, "curveSM2", .ecdhe, 256),
    ] as [(UInt16, String, NamedGroup.Kind, Int?)])
  func `named groups have names, kinds and sizes`(
    codePoint: UInt16, name: String, kind: NamedGroup.Kind, bits: Int?
  ) {
    let group = NamedGroup(rawValue: codePoint)
    #expect(group.name == name)
    #expect(group.kind == kind)
    #expect(group.bits == bits)
  }

  @Test(
    arguments: [
      (0x0804, "rsa_pss_rsae_sha256", .sha256, .rsaPSS), (0x0403, "ecdsa_secp256r1_sha256", .sha256, .ecdsa),
      (0x0201, "rsa_pkcs1_sha1", .sha1, .rsaPKCS1), (0x0202, "dsa_sha1", .sha1, .dsa),
      (0x0203, "ecdsa_sha1", .sha1, .ecdsa),
      (0x0101, "rsa_pkcs1_md5", .md5, .rsaPKCS1), (0x0303, "ecdsa_sha224", .sha224, .ecdsa),
      (0x0807, "ed25519", .intrinsic, .edDSA), (0x0905, "mldsa65", .intrinsic, .mlDSA),
      (0x0708, "sm2sig_sm3", .sm3, .sm2),
      (0x0603, "ecdsa_secp521r1_sha512", .sha512, .ecdsa),
    ] as [(UInt16, String, SignatureScheme.Hash, SignatureScheme.Algorithm)])
  func `signature schemes have names, hashes and algorithms`(
    codePoint: UInt16, name: String, hash: SignatureScheme.Hash, algorithm: SignatureScheme.Algorithm
  ) {
    let scheme = SignatureScheme(rawValue: codePoint)
    #expect(scheme.name == name)
    #expect(scheme.hash == hash)
    #expect(scheme.algorithm == algorithm)
  }

  @Test func `alerts, messages, extensions, compression methods and versions have names`() {
    #expect(AlertDescription(rawValue: 48).name == "unknown_ca")
    #expect(AlertDescription.protocolVersion.name == "protocol_version")
    #expect(HandshakeType.clientHello.name == "client_hello")
    #expect(HandshakeType.compressedCertificate.name == "compressed_certificate")
    #expect(ExtensionType.serverName.name == "server_name")
    #expect(ExtensionType.encryptedClientHello.name == "encrypted_client_hello")
    #expect(ExtensionType(rawValue: 13172).name == "next_protocol_negotiation")
    #expect(CompressionMethod.null.name == "null")
    #expect(TLSVersion.tls12.name == "TLS 1.2")
    #expect(TLSVersion(rawValue: 0x7F1C).name == "TLS 1.3 draft 28")
  }
}
