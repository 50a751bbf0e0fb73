/// A version as it stands on the wire: `0x0303` is TLS 1.2 (RFC 8446 §4.2.1), `0x0002` SSL 2, `0xfefd` DTLS 1.2.
public struct TLSVersion: RawRepresentable, Hashable, Sendable {
  /// The code point.
  public var rawValue: UInt16

  /// Takes any code point, known or not.
  @inlinable
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// SSL 2.0.
  public static let ssl2 = TLSVersion(rawValue: 0x0002)
  /// SSL 3.0 (RFC 6101).
  public static let ssl3 = TLSVersion(rawValue: 0x0300)
  /// TLS 1.0 (RFC 2246).
  public static let tls10 = TLSVersion(rawValue: 0x0301)
  /// TLS 1.1 (RFC 4346).
  public static let tls11 = TLSVersion(rawValue: 0x0302)
  /// TLS 1.2 (RFC 5246).
  public static let tls12 = TLSVersion(rawValue: 0x0303)
  /// TLS 1.3 (RFC 8446).
  public static let tls13 = TLSVersion(rawValue: 0x0304)
  /// DTLS 1.0 (RFC 4347).
  public static let dtls10 = TLSVersion(rawValue: 0xFEFF)
  /// DTLS 1.2 (RFC 6347).
  public static let dtls12 = TLSVersion(rawValue: 0xFEFD)
  /// DTLS 1.3 (RFC 9147).
  public static let dtls13 = TLSVersion(rawValue: 0xFEFC)

  /// A draft of TLS 1.3 (`0x7f00` to `0x7fff`) or a public experiment with it (`0x7e00` to `0x7eff`, `0xfb00` to `0xfbff`).
  public var isTLS13Draft: Bool { [0x7F, 0x7E, 0xFB].contains(rawValue >> 8) }

  /// Whether a hello is set out as in TLS 1.3 drafts before 22: no session id, no compression method.
  public var hasEarlyDraftLayout: Bool { rawValue >> 8 == 0x7F && rawValue & 0xFF < 22 }

  /// The usual name, such as `TLS 1.2`; `nil` for code points that have none.
  public var name: String? {
    switch rawValue {
    case 0x0002: "SSL 2.0"
    case 0x0300: "SSL 3.0"
    case 0x0301: "TLS 1.0"
    case 0x0302: "TLS 1.1"
    case 0x0303: "TLS 1.2"
    case 0x0304: "TLS 1.3"
    case 0xFEFF: "DTLS 1.0"
    case 0xFEFD: "DTLS 1.2"
    case 0xFEFC: "DTLS 1.3"
    case 0x7F00...0x7FFF: "TLS 1.3 draft \(rawValue & 0xFF)"
    default: nil
    }
  }
}

/// What a record carries (IANA "TLS ContentType").
public struct ContentType: RawRepresentable, Hashable, Sendable {
  /// The code point.
  public var rawValue: UInt8

  /// Takes any code point, known or not.
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `change_cipher_spec` (RFC 5246 §7.1).
  public static let changeCipherSpec = ContentType(rawValue: 20)
  /// `alert` (RFC 8446 §6).
  public static let alert = ContentType(rawValue: 21)
  /// `handshake` (RFC 8446 §4).
  public static let handshake = ContentType(rawValue: 22)
  /// `application_data` (RFC 8446 §5.2).
  public static let applicationData = ContentType(rawValue: 23)
  /// `heartbeat` (RFC 6520).
  public static let heartbeat = ContentType(rawValue: 24)
  /// `tls12_cid` (RFC 9146), of DTLS.
  public static let tls12CID = ContentType(rawValue: 25)
  /// `ACK` (RFC 9147), of DTLS 1.3.
  public static let ack = ContentType(rawValue: 26)
}

/// What a handshake message is (IANA "TLS HandshakeType").
public struct HandshakeType: RawRepresentable, Hashable, Sendable {
  /// The code point.
  public var rawValue: UInt8

  /// Takes any code point, known or not.
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `hello_request` (RFC 5246 §7.4.1.1).
  public static let helloRequest = HandshakeType(rawValue: 0)
  /// `client_hello` (RFC 8446 §4.1.2).
  public static let clientHello = HandshakeType(rawValue: 1)
  /// `server_hello` (RFC 8446 §4.1.3).
  public static let serverHello = HandshakeType(rawValue: 2)
  /// `hello_verify_request` (RFC 6347 §4.2.1), of DTLS.
  public static let helloVerifyRequest = HandshakeType(rawValue: 3)
  /// `new_session_ticket` (RFC 5077 §3.3, RFC 8446 §4.6.1).
  public static let newSessionTicket = HandshakeType(rawValue: 4)
  /// `end_of_early_data` (RFC 8446 §4.5).
  public static let endOfEarlyData = HandshakeType(rawValue: 5)
  /// `hello_retry_request` of the drafts of TLS 1.3 before 22.
  public static let helloRetryRequest = HandshakeType(rawValue: 6)
  /// `encrypted_extensions` (RFC 8446 §4.3.1).
  public static let encryptedExtensions = HandshakeType(rawValue: 8)
  /// `certificate` (RFC 8446 §4.4.2).
  public static let certificate = HandshakeType(rawValue: 11)
  /// `server_key_exchange` (RFC 5246 §7.4.3).
  public static let serverKeyExchange = HandshakeType(rawValue: 12)
  /// `certificate_request` (RFC 8446 §4.3.2).
  public static let certificateRequest = HandshakeType(rawValue: 13)
  /// `server_hello_done` (RFC 5246 §7.4.5).
  public static let serverHelloDone = HandshakeType(rawValue: 14)
  /// `certificate_verify` (RFC 8446 §4.4.3).
  public static let certificateVerify = HandshakeType(rawValue: 15)
  /// `client_key_exchange` (RFC 5246 §7.4.7).
  public static let clientKeyExchange = HandshakeType(rawValue: 16)
  /// `finished` (RFC 8446 §4.4.4).
  public static let finished = HandshakeType(rawValue: 20)
  /// `certificate_status` (RFC 6066 §8).
  public static let certificateStatus = HandshakeType(rawValue: 22)
  /// `key_update` (RFC 8446 §4.6.3).
  public static let keyUpdate = HandshakeType(rawValue: 24)
  /// `compressed_certificate` (RFC 8879 §4).
  public static let compressedCertificate = HandshakeType(rawValue: 25)
  /// `message_hash` (RFC 8446 §4.4.1), never on the wire.
  public static let messageHash = HandshakeType(rawValue: 254)

  /// The name in the registry, such as `client_hello`.
  public var name: String? { CodePointNames.name(of: rawValue, in: HandshakeTypeRegistry.entries) }
}

/// A cipher suite (IANA "TLS Cipher Suites"); the two last bytes of an SSL 2 cipher kind are not among them.
public struct CipherSuite: RawRepresentable, Hashable, Sendable {
  /// The code point.
  public var rawValue: UInt16

  /// Takes any code point, known or not.
  @inlinable
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// `TLS_EMPTY_RENEGOTIATION_INFO_SCSV` (RFC 5746 §3.3): a signal, not a suite.
  public static let emptyRenegotiationInfoSCSV = CipherSuite(rawValue: 0x00FF)
  /// `TLS_FALLBACK_SCSV` (RFC 7507): a signal, not a suite.
  public static let fallbackSCSV = CipherSuite(rawValue: 0x5600)

  /// Whether the value only signals something and cannot be negotiated: GREASE or one of the two SCSVs.
  public var isSignal: Bool {
    isGREASE(rawValue) || self == .emptyRenegotiationInfoSCSV || self == .fallbackSCSV
  }
}

/// A cipher kind of SSL 2, three bytes; those that begin with a zero byte are suites of SSL 3 and later.
public struct SSL2CipherKind: RawRepresentable, Hashable, Sendable {
  /// The code point, below 2²⁴.
  public var rawValue: UInt32

  /// Takes any code point, known or not.
  @inlinable
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The suite that the kind stands for in SSL 3 and later (RFC 5246 appendix E.2); `nil` for the kinds of SSL 2.
  public var cipherSuite: CipherSuite? {
    rawValue <= 0xFFFF ? CipherSuite(rawValue: UInt16(rawValue)) : nil
  }

  /// The name in the draft of SSL 2, such as `SSL_CK_RC4_128_WITH_MD5`; of suites of later versions their own.
  public var name: String? {
    if let cipherSuite { return cipherSuite.name }
    return SSL2CipherKindRegistry.entries.first { $0.codePoint == rawValue }?.name
  }
}

/// A key exchange group (IANA "TLS Supported Groups").
public struct NamedGroup: RawRepresentable, Hashable, Sendable {
  /// The code point.
  public var rawValue: UInt16

  /// Takes any code point, known or not.
  @inlinable
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// How a group agrees on a key.
  public enum Kind: String, Hashable, Sendable {
    /// A curve (RFC 8422).
    case ecdhe
    /// A finite field (RFC 7919).
    case ffdhe
    /// A key encapsulation mechanism alone.
    case kem
    /// A curve and a key encapsulation mechanism together.
    case hybrid
  }

  /// `arbitrary_explicit_prime_curves` (RFC 8422 §5.1.1).
  public static let arbitraryExplicitPrimeCurves = NamedGroup(rawValue: 0xFF01)
  /// `arbitrary_explicit_char2_curves` (RFC 8422 §5.1.1).
  public static let arbitraryExplicitChar2Curves = NamedGroup(rawValue: 0xFF02)

  /// The name in the registry, such as `x25519`.
  public var name: String? { entry?.name }

  /// How the group agrees on a key.
  public var kind: Kind? { entry?.kind }

  /// The size of the field or of the group's order in bits, as tools print it: 253 for x25519, 256 for
  /// secp256r1; of a hybrid that of its curve, of a mechanism alone none.
  public var bits: Int? { entry?.bits }

  private var entry: NamedGroupRegistry.Entry? {
    let entries = NamedGroupRegistry.entries
    return CodePointNames.index(of: rawValue, count: entries.count) { entries[$0].codePoint }
      .map { entries[$0] }
  }
}

/// A signature scheme (IANA "TLS SignatureScheme"; in TLS 1.2 a hash and a signature algorithm).
public struct SignatureScheme: RawRepresentable, Hashable, Sendable {
  /// The code point.
  public var rawValue: UInt16

  /// Takes any code point, known or not.
  @inlinable
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The hash that is signed.
  public enum Hash: String, Hashable, Sendable {
    /// The algorithm brings its own: EdDSA, ML-DSA, SLH-DSA.
    case intrinsic
    /// `none` of TLS 1.2.
    case none
    /// One that is none of the others.
    case other
    /// MD5.
    case md5
    /// SHA-1.
    case sha1
    /// SHA-224.
    case sha224
    /// SHA-256.
    case sha256
    /// SHA-384.
    case sha384
    /// SHA-512.
    case sha512
    /// SM3.
    case sm3
    /// GOST R 34.11, either edition.
    case gostr3411
  }

  /// The algorithm that signs.
  public enum Algorithm: String, Hashable, Sendable {
    /// No signature (TLS 1.2's `anonymous`).
    case anonymous
    /// RSASSA-PKCS1-v1_5.
    case rsaPKCS1
    /// RSASSA-PSS.
    case rsaPSS
    /// DSA.
    case dsa
    /// ECDSA.
    case ecdsa
    /// Ed25519 or Ed448.
    case edDSA
    /// ML-DSA.
    case mlDSA
    /// SLH-DSA.
    case slhDSA
    /// SM2.
    case sm2
    /// GOST R 34.10, either edition.
    case gost
    /// One of the identity-based schemes.
    case identityBased
  }

  /// `rsa_pkcs1_sha1` (RFC 8446 §4.2.3).
  public static let rsaPKCS1SHA1 = SignatureScheme(rawValue: 0x0201)
  /// `dsa_sha1` of TLS 1.2 (RFC 5246 §7.4.1.4.1).
  public static let dsaSHA1 = SignatureScheme(rawValue: 0x0202)
  /// `ecdsa_sha1` (RFC 8446 §4.2.3).
  public static let ecdsaSHA1 = SignatureScheme(rawValue: 0x0203)

  /// The name in the registry, such as `ecdsa_secp256r1_sha256`; pairs that only TLS 1.2 has are named alike.
  public var name: String? { entry?.name }

  /// The hash that is signed.
  public var hash: Hash? { entry?.hash }

  /// The algorithm that signs.
  public var algorithm: Algorithm? { entry?.algorithm }

  private var entry: SignatureSchemeRegistry.Entry? {
    let entries = SignatureSchemeRegistry.entries
    return CodePointNames.index(of: rawValue, count: entries.count) { entries[$0].codePoint }
      .map { entries[$0] }
  }
}

/// The type of a hello extension (IANA "TLS ExtensionType Values").
public struct ExtensionType: RawRepresentable, Hashable, Sendable {
  /// The code point.
  public var rawValue: UInt16

  /// Takes any code point, known or not.
  @inlinable
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// `server_name` (RFC 6066 §3).
  public static let serverName = ExtensionType(rawValue: 0)
  /// `status_request` (RFC 6066 §8).
  public static let statusRequest = ExtensionType(rawValue: 5)
  /// `supported_groups` (RFC 8446 §4.2.7).
  public static let supportedGroups = ExtensionType(rawValue: 10)
  /// `ec_point_formats` (RFC 8422 §5.1.2).
  public static let ecPointFormats = ExtensionType(rawValue: 11)
  /// `signature_algorithms` (RFC 8446 §4.2.3).
  public static let signatureAlgorithms = ExtensionType(rawValue: 13)
  /// `heartbeat` (RFC 6520 §2).
  public static let heartbeat = ExtensionType(rawValue: 15)
  /// `application_layer_protocol_negotiation` (RFC 7301 §3.1).
  public static let alpn = ExtensionType(rawValue: 16)
  /// `status_request_v2` (RFC 6961 §2.2).
  public static let statusRequestV2 = ExtensionType(rawValue: 17)
  /// `signed_certificate_timestamp` (RFC 6962 §3.3.1).
  public static let signedCertificateTimestamp = ExtensionType(rawValue: 18)
  /// `padding` (RFC 7685 §3).
  public static let padding = ExtensionType(rawValue: 21)
  /// `extended_master_secret` (RFC 7627 §5.1).
  public static let extendedMasterSecret = ExtensionType(rawValue: 23)
  /// `compress_certificate` (RFC 8879 §3).
  public static let compressCertificate = ExtensionType(rawValue: 27)
  /// `delegated_credential` (RFC 9345 §4.1.1).
  public static let delegatedCredential = ExtensionType(rawValue: 34)
  /// `session_ticket` (RFC 5077 §3.2).
  public static let sessionTicket = ExtensionType(rawValue: 35)
  /// `key_share` of the drafts of TLS 1.3 before 23.
  public static let draftKeyShare = ExtensionType(rawValue: 40)
  /// `pre_shared_key` (RFC 8446 §4.2.11).
  public static let preSharedKey = ExtensionType(rawValue: 41)
  /// `early_data` (RFC 8446 §4.2.10).
  public static let earlyData = ExtensionType(rawValue: 42)
  /// `supported_versions` (RFC 8446 §4.2.1).
  public static let supportedVersions = ExtensionType(rawValue: 43)
  /// `cookie` (RFC 8446 §4.2.2).
  public static let cookie = ExtensionType(rawValue: 44)
  /// `psk_key_exchange_modes` (RFC 8446 §4.2.9).
  public static let pskKeyExchangeModes = ExtensionType(rawValue: 45)
  /// `certificate_authorities` (RFC 8446 §4.2.4).
  public static let certificateAuthorities = ExtensionType(rawValue: 47)
  /// `signature_algorithms_cert` (RFC 8446 §4.2.3).
  public static let signatureAlgorithmsCert = ExtensionType(rawValue: 50)
  /// `key_share` (RFC 8446 §4.2.8).
  public static let keyShare = ExtensionType(rawValue: 51)
  /// `quic_transport_parameters` (RFC 9001 §8.2).
  public static let quicTransportParameters = ExtensionType(rawValue: 57)
  /// `quic_transport_parameters` of the drafts.
  public static let draftQUICTransportParameters = ExtensionType(rawValue: 0xFFA5)
  /// `encrypted_server_name` of the drafts that came before ECH.
  public static let encryptedServerName = ExtensionType(rawValue: 0xFFCE)
  /// `encrypted_client_hello` (RFC 9849 §5).
  public static let encryptedClientHello = ExtensionType(rawValue: 0xFE0D)
  /// `renegotiation_info` (RFC 5746 §3.2).
  public static let renegotiationInfo = ExtensionType(rawValue: 0xFF01)

  /// The name in the registry, such as `server_name`.
  public var name: String? {
    CodePointNames.name(of: rawValue, in: ExtensionTypeRegistry.registered)
      ?? CodePointNames.name(of: rawValue, in: ExtensionTypeRegistry.unregistered)
  }
}

/// What an alert says (IANA "TLS Alerts").
public struct AlertDescription: RawRepresentable, Hashable, Sendable {
  /// The code point.
  public var rawValue: UInt8

  /// Takes any code point, known or not.
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `close_notify` (RFC 8446 §6.1).
  public static let closeNotify = AlertDescription(rawValue: 0)
  /// `handshake_failure` (RFC 8446 §6.2).
  public static let handshakeFailure = AlertDescription(rawValue: 40)
  /// `bad_certificate` (RFC 8446 §6.2).
  public static let badCertificate = AlertDescription(rawValue: 42)
  /// `certificate_revoked` (RFC 8446 §6.2).
  public static let certificateRevoked = AlertDescription(rawValue: 44)
  /// `certificate_expired` (RFC 8446 §6.2).
  public static let certificateExpired = AlertDescription(rawValue: 45)
  /// `certificate_unknown` (RFC 8446 §6.2).
  public static let certificateUnknown = AlertDescription(rawValue: 46)
  /// `unknown_ca` (RFC 8446 §6.2).
  public static let unknownCA = AlertDescription(rawValue: 48)
  /// `protocol_version` (RFC 8446 §6.2).
  public static let protocolVersion = AlertDescription(rawValue: 70)
  /// `insufficient_security` (RFC 8446 §6.2).
  public static let insufficientSecurity = AlertDescription(rawValue: 71)
  /// `inappropriate_fallback` (RFC 7507 §4).
  public static let inappropriateFallback = AlertDescription(rawValue: 86)

  /// The name in the registry, such as `unknown_ca`.
  public var name: String? { CodePointNames.name(of: rawValue, in: AlertRegistry.entries) }
}

/// A compression method (IANA "TLS Compression Method Identifiers").
public struct CompressionMethod: RawRepresentable, Hashable, Sendable {
  /// The code point.
  public var rawValue: UInt8

  /// Takes any code point, known or not.
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// No compression.
  public static let null = CompressionMethod(rawValue: 0)

  /// The name in the registry, such as `null`.
  public var name: String? { CodePointNames.name(of: rawValue, in: CompressionMethodRegistry.entries) }
}

/// The kind of a certificate status (IANA "TLS Certificate Status Types").
public struct CertificateStatusType: RawRepresentable, Hashable, Sendable {
  /// The code point.
  public var rawValue: UInt8

  /// Takes any code point, known or not.
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `ocsp` (RFC 6066 §8).
  public static let ocsp = CertificateStatusType(rawValue: 1)
  /// `ocsp_multi` (RFC 6961 §2.2).
  public static let ocspMulti = CertificateStatusType(rawValue: 2)

  /// The name in the registry, such as `ocsp`.
  public var name: String? { CodePointNames.name(of: rawValue, in: CertificateStatusTypeRegistry.entries) }
}

/// An algorithm that compresses certificates (IANA "TLS Certificate Compression Algorithm IDs", RFC 8879 §3).
public struct CertificateCompressionAlgorithm: RawRepresentable, Hashable, Sendable {
  /// The code point.
  public var rawValue: UInt16

  /// Takes any code point, known or not.
  @inlinable
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// zlib (RFC 1950).
  public static let zlib = CertificateCompressionAlgorithm(rawValue: 1)
  /// Brotli (RFC 7932).
  public static let brotli = CertificateCompressionAlgorithm(rawValue: 2)
  /// Zstandard (RFC 8878).
  public static let zstd = CertificateCompressionAlgorithm(rawValue: 3)

  /// The name in the registry, such as `brotli`.
  public var name: String? {
    switch rawValue {
    case 1: "zlib"
    case 2: "brotli"
    case 3: "zstd"
    default: nil
    }
  }
}

/// Whether a code point is one that RFC 8701 sets aside to be ignored (`0x0a0a`, `0x1a1a` … `0xfafa`).
@inlinable
public func isGREASE(_ codePoint: UInt16) -> Bool {
  codePoint & 0x0F0F == 0x0A0A && codePoint >> 8 == codePoint & 0xFF
}
