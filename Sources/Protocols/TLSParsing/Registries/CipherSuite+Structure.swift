import ByteParsing

extension CipherSuite {
  /// What a suite is made of, as its name says.
  package struct Structure: Hashable, Sendable {
    /// How both sides agree on a key.
    package enum KeyExchange: String, Hashable, Sendable {
      /// The suite leaves it open (TLS 1.3): the group or pre-shared key tells.
      case negotiated
      /// None (`TLS_NULL_WITH_NULL_NULL`).
      case null
      /// The client encrypts to the server's RSA key.
      case rsa
      /// Diffie-Hellman with a static key in the certificate.
      case dh
      /// Ephemeral Diffie-Hellman.
      case dhe
      /// Elliptic-curve Diffie-Hellman with a static key in the certificate.
      case ecdh
      /// Ephemeral elliptic-curve Diffie-Hellman.
      case ecdhe
      /// A pre-shared key alone.
      case psk
      /// A pre-shared key and ephemeral Diffie-Hellman.
      case dhePSK
      /// A pre-shared key and ephemeral elliptic-curve Diffie-Hellman.
      case ecdhePSK
      /// A pre-shared key and RSA encryption.
      case rsaPSK
      /// Kerberos.
      case kerberos
      /// The secure remote password protocol.
      case srp
      /// Another password-authenticated exchange (ECCPWD, ECJPAKE).
      case password
      /// GOST R 34.10 key transport or agreement.
      case gost
      /// FORTEZZA.
      case fortezza
      /// One of the SM2 or SM9 exchanges.
      case sm
    }

    /// How the server shows who it is.
    package enum Authentication: String, Hashable, Sendable {
      /// The suite leaves it open (TLS 1.3).
      case negotiated
      /// Not at all.
      case anonymous
      /// With an RSA certificate.
      case rsa
      /// With a DSA certificate.
      case dss
      /// With an ECDSA (or EdDSA) certificate.
      case ecdsa
      /// By knowing the pre-shared key.
      case psk
      /// By Kerberos.
      case kerberos
      /// By knowing the password's verifier.
      case password
      /// With a GOST certificate.
      case gost
      /// With a FORTEZZA certificate.
      case fortezza
      /// With an SM2 certificate or SM9 identity.
      case sm
    }

    /// What encrypts the records.
    package enum Cipher: String, Hashable, Sendable {
      /// Nothing.
      case null
      /// RC4.
      case rc4
      /// RC2.
      case rc2
      /// DES.
      case des
      /// Triple DES.
      case tripleDES
      /// IDEA.
      case idea
      /// SEED.
      case seed
      /// Camellia.
      case camellia
      /// ARIA.
      case aria
      /// AES.
      case aes
      /// ChaCha20.
      case chacha20
      /// AEGIS.
      case aegis
      /// SM4.
      case sm4
      /// SM1.
      case sm1
      /// GOST 28147-89.
      case gost28147
      /// Kuznyechik.
      case kuznyechik
      /// Magma.
      case magma
      /// Salsa20.
      case salsa20
      /// Skipjack, in FORTEZZA.
      case fortezza
    }

    /// How the cipher is used.
    package enum Mode: String, Hashable, Sendable {
      /// No encryption.
      case null
      /// A stream cipher with a MAC.
      case stream
      /// Cipher block chaining with a MAC.
      case cbc
      /// Galois/counter mode.
      case gcm
      /// Counter with CBC-MAC, 16-byte tag.
      case ccm
      /// Counter with CBC-MAC, 8-byte tag.
      case ccm8
      /// With Poly1305.
      case poly1305
      /// AEGIS is a mode of its own.
      case aegis
      /// Counter mode with GOST's MAC.
      case counter
      /// Multilinear Galois mode.
      case mgm
    }

    /// The hash at the end of the name: of the MAC, or with an AEAD of the key derivation.
    package enum Hash: String, Hashable, Sendable {
      /// No hash.
      case null
      /// MD5.
      case md5
      /// SHA-1.
      case sha1
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
      /// GOST 28147-89 in MAC mode.
      case imit
    }

    /// How both sides agree on a key.
    package var keyExchange: KeyExchange
    /// How the server shows who it is.
    package var authentication: Authentication
    /// What encrypts the records.
    package var cipher: Cipher
    /// The length of the cipher's key in bits, 0 without encryption.
    package var keyBits: Int
    /// How the cipher is used.
    package var mode: Mode
    /// The hash at the end of the name; SHA-256 where an AEAD suite names none (RFC 5246 §5).
    package var hash: Hash
    /// Weakened on purpose to 40 or 56 bits.
    package var isExport: Bool

    /// Whether encryption and integrity are one.
    package var isAEAD: Bool {
      switch mode {
      case .gcm, .ccm, .ccm8, .poly1305, .aegis, .mgm: true
      case .null, .stream, .cbc, .counter: false
      }
    }

    /// Whether a later theft of the server's key leaves the session unreadable. In TLS 1.3 true but for `psk_ke`.
    package var hasForwardSecrecy: Bool {
      switch keyExchange {
      case .negotiated, .dhe, .ecdhe, .dhePSK, .ecdhePSK, .srp, .password: true
      case .null, .rsa, .dh, .ecdh, .psk, .rsaPSK, .kerberos, .gost, .fortezza, .sm: false
      }
    }
  }

  /// The name in the registry, such as `TLS_AES_128_GCM_SHA256`.
  public var name: String? {
    CodePointNames.name(of: rawValue, in: CipherSuiteRegistry.registered)
      ?? CodePointNames.name(of: rawValue, in: CipherSuiteRegistry.unregistered)
  }

  /// What the suite is made of; `nil` for unknown code points and mere signals.
  package var structure: Structure? {
    CodePointNames.index(of: rawValue, count: Self.structures.count) { Self.structures[$0].codePoint }
      .map { Self.structures[$0].structure }
  }

  /// The structures of all suites with a name, in the order of the code points; made once, when first asked for.
  private static let structures: [(codePoint: UInt16, structure: Structure)] =
    (CipherSuiteRegistry.registered + CipherSuiteRegistry.unregistered)
    .compactMap { row in Structure(suiteName: row.name).map { (row.codePoint, $0) } }
    .sorted { $0.codePoint < $1.codePoint }
}

extension CipherSuite.Structure {
  /// Takes a name of the registry to pieces; `nil` if it names no suite.
  init?(suiteName: String) {
    let words = Self.words(of: suiteName)
    guard let first = words.first, words.last != "SCSV" else { return nil }
    let isOfTLS = first == "TLS" || first == "SSL"

    isExport = words.contains { $0.hasPrefix("EXPORT") }
    var exchange = words[0..<0]
    var rest = words.dropFirst(isOfTLS ? 1 : 0)
    if let with = rest.firstIndex(of: "WITH") {
      exchange = rest[..<with]
      rest = rest[(with + 1)...]
    } else if isOfTLS {
      // TLS 1.3: the name begins with the cipher; RFC 9150's has two hashes and no cipher.
      if rest.count == 2, rest.first?.hasPrefix("SHA") == true { rest[rest.startIndex] = "NULL" }
    } else {
      // The suites of GM/T 0024 have one word before the cipher.
      exchange = words[..<1]
      rest = words[1...]
    }
    guard let (keyExchange, authentication) = Self.exchange(exchange),
      let (cipher, keyBits, mode) = Self.protection(rest)
    else { return nil }
    self.keyExchange = keyExchange
    self.authentication = authentication
    self.cipher = cipher
    self.keyBits = keyBits
    self.mode = mode
    hash = Self.hash(rest, mode: mode)
  }

  private static func words(of name: String) -> [String] {
    let bytes = Bytes(name.utf8)
    var words: [String] = []
    words.reserveCapacity(10)
    var start = 0
    for end in 0...bytes.count where end == bytes.count || bytes[end] == UInt8(ascii: "_") {
      if end > start { words.append(String(decoding: bytes[start..<end], as: UTF8.self)) }
      start = end + 1
    }
    return words
  }

  private static func exchange(_ words: ArraySlice<String>) -> (KeyExchange, Authentication)? {
    var name = ""
    for word in words where !word.hasPrefix("EXPORT") { name += name.isEmpty ? word : "_" + word }
    return switch name {
    case "": (.negotiated, .negotiated)
    case "NULL": (.null, .anonymous)
    case "RSA", "RSA_FIPS": (.rsa, .rsa)
    case "DH_DSS": (.dh, .dss)
    case "DH_RSA": (.dh, .rsa)
    case "DH_anon": (.dhe, .anonymous)
    case "DHE_DSS": (.dhe, .dss)
    case "DHE_RSA": (.dhe, .rsa)
    case "ECDH_ECDSA": (.ecdh, .ecdsa)
    case "ECDH_RSA": (.ecdh, .rsa)
    case "ECDH_anon": (.ecdhe, .anonymous)
    case "ECDHE_ECDSA": (.ecdhe, .ecdsa)
    case "ECDHE_RSA": (.ecdhe, .rsa)
    case "PSK": (.psk, .psk)
    // RFC 6655 swaps the words in two names.
    case "DHE_PSK", "PSK_DHE": (.dhePSK, .psk)
    case "ECDHE_PSK": (.ecdhePSK, .psk)
    case "RSA_PSK": (.rsaPSK, .rsa)
    case "KRB5": (.kerberos, .kerberos)
    case "SRP_SHA": (.srp, .password)
    case "SRP_SHA_RSA": (.srp, .rsa)
    case "SRP_SHA_DSS": (.srp, .dss)
    case "ECCPWD", "ECJPAKE": (.password, .password)
    case "GOSTR341094", "GOSTR341001", "GOSTR341112_256": (.gost, .gost)
    case "FORTEZZA_KEA": (.fortezza, .fortezza)
    case "ECDHE", "ECC", "IBSDH", "IBC": (.sm, .sm)
    default: nil
    }
  }

  private static func protection(_ words: ArraySlice<String>) -> (Cipher, Int, Mode)? {
    guard let cipher = words.first else { return nil }
    let bits = words.dropFirst().lazy.compactMap { Int($0) }.first { $0 > 8 }
    let mode: Mode =
      if words.contains("CBC") {
        .cbc
      } else if words.contains("GCM") {
        .gcm
      } else if words.contains("CCM") {
        words.contains("8") ? .ccm8 : .ccm
      } else if words.contains("POLY1305") {
        .poly1305
      } else if words.contains("MGM") {
        .mgm
      } else if words.contains("CTR") || words.contains("CNT") {
        .counter
      } else {
        .stream
      }
    return switch cipher {
    case "NULL": (.null, 0, .null)
    case "RC4": (.rc4, bits ?? 128, .stream)
    case "RC2": (.rc2, bits ?? 128, mode)
    case "DES": (.des, bits ?? 56, mode)
    case "DES40": (.des, 40, mode)
    case "3DES": (.tripleDES, 168, mode)
    case "IDEA": (.idea, 128, mode)
    case "SEED": (.seed, 128, mode)
    case "CAMELLIA": (.camellia, bits ?? 128, mode)
    case "ARIA": (.aria, bits ?? 128, mode)
    case "AES": (.aes, bits ?? 128, mode)
    case "CHACHA20": (.chacha20, 256, mode)
    case "AEGIS": (.aegis, words.contains("256") ? 256 : 128, .aegis)
    case "SM4": (.sm4, 128, mode)
    // GM/T 0024 leaves the mode of SM1 out of the name; it is CBC.
    case "SM1": (.sm1, 128, .cbc)
    case "28147": (.gost28147, 256, mode)
    case "KUZNYECHIK": (.kuznyechik, 256, mode)
    case "MAGMA": (.magma, 256, mode)
    case "SALSA20", "ESTREAM": (.salsa20, 256, .stream)
    case "FORTEZZA": (.fortezza, 80, mode)
    default: nil
    }
  }

  private static func hash(_ words: ArraySlice<String>, mode: Mode) -> Hash {
    switch words.last {
    case "MD5": .md5
    case "SHA", "SHA1": .sha1
    case "SHA256": .sha256
    case "SHA384": .sha384
    case "SHA512": .sha512
    case "SM3": .sm3
    case "GOSTR3411", "OMAC", "L", "S": .gostr3411
    case "IMIT": .imit
    // RFC 6655 and RFC 7251 name no hash: the one of TLS 1.2 itself.
    case "CCM", "8": .sha256
    default: .null
    }
  }
}
