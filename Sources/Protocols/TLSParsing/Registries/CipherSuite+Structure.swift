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
    package enum Authentication: Hashable, Sendable {
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
      /// By knowing the password's verifier.
      case password
      /// In another way, or one that the suite leaves open (TLS 1.3).
      case other
    }

    /// The hash at the end of the name: of the MAC, or with an AEAD suite of the key derivation.
    package enum Hash: Hashable, Sendable {
      case sha1
      case sha256
      case sha384
      /// Another one, or none.
      case other
    }

    /// How both sides agree on a key.
    package var keyExchange: KeyExchange
    /// How the server shows who it is.
    package var authentication: Authentication
    /// Whether records are encrypted by cipher block chaining.
    package var isCBC: Bool
    /// The hash at the end of the name.
    package var hash: Hash
    /// Weakened on purpose to 40 or 56 bits.
    package var isExport: Bool

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

  /// The structures of all suites with a name, in the order of the code points; made once, when first requested.
  private static let structures: [(codePoint: UInt16, structure: Structure)] =
    (CipherSuiteRegistry.registered + CipherSuiteRegistry.unregistered)
    .compactMap { row in Structure(suiteName: row.name).map { (row.codePoint, $0) } }
    .sorted { $0.codePoint < $1.codePoint }
}

extension CipherSuite.Structure {
  /// Takes a name of the registry to pieces; `nil` if it names no suite.
  init?(suiteName: String) {
    let words = suiteName.utf8.split(separator: UInt8(ascii: "_")).map { String(Substring($0)) }
    guard let first = words.first, words.last != "SCSV" else { return nil }
    let isOfTLS = first == "TLS" || first == "SSL"
    // The suites of GM/T 0024 have one word before the cipher; the names of TLS 1.3 begin with it.
    let exchange = words.firstIndex(of: "WITH").map { words[(isOfTLS ? 1 : 0)..<$0] } ?? words[..<(isOfTLS ? 0 : 1)]
    guard let (keyExchange, authentication) = Self.exchange(exchange) else { return nil }
    self.keyExchange = keyExchange
    self.authentication = authentication
    // GM/T 0024 leaves the mode of SM1 out of the name.
    isCBC = words.contains("CBC") || words.contains("SM1")
    hash =
      switch words.last {
      case "SHA", "SHA1": .sha1
      case "SHA256": .sha256
      case "SHA384": .sha384
      default: .other
      }
    isExport = words.contains { $0.hasPrefix("EXPORT") }
  }

  private static func exchange(_ words: ArraySlice<String>) -> (KeyExchange, Authentication)? {
    return switch words.filter({ !$0.hasPrefix("EXPORT") }).joined(separator: "_") {
    case "": (.negotiated, .other)
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
    case "KRB5": (.kerberos, .other)
    case "SRP_SHA": (.srp, .password)
    case "SRP_SHA_RSA": (.srp, .rsa)
    case "SRP_SHA_DSS": (.srp, .dss)
    case "ECCPWD", "ECJPAKE": (.password, .password)
    case "GOSTR341094", "GOSTR341001", "GOSTR341112_256": (.gost, .other)
    case "FORTEZZA_KEA": (.fortezza, .other)
    case "ECDHE", "ECC", "IBSDH", "IBC": (.sm, .other)
    default: nil
    }
  }
}
