extension CipherSuite {
  /// The components of a suite, according to its name.
  package struct Structure: Hashable, Sendable {
    package enum KeyExchange: String, Hashable, Sendable {
      /// The suite does not determine it (TLS 1.3); the group or pre-shared key does.
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
      case kerberos
      /// The secure remote password protocol.
      case srp
      /// Another password-authenticated exchange (ECCPWD, ECJPAKE).
      case password
      /// GOST R 34.10 key transport or agreement.
      case gost
      case fortezza
      /// One of the SM2 or SM9 exchanges.
      case sm
    }

    /// The server's means of authentication.
    package enum Authentication: Hashable, Sendable {
      /// None.
      case anonymous
      /// An RSA certificate.
      case rsa
      /// A DSA certificate.
      case dss
      /// An ECDSA (or EdDSA) certificate.
      case ecdsa
      /// Knowledge of the pre-shared key.
      case psk
      /// Knowledge of the password's verifier.
      case password
      /// Another means, or one that the suite does not determine (TLS 1.3).
      case other
    }

    /// The hash at the end of the name: of the MAC, or in an AEAD suite of the key derivation.
    package enum Hash: Hashable, Sendable {
      case sha1
      case sha256
      case sha384
      /// Another hash, or none.
      case other
    }

    package var keyExchange: KeyExchange
    package var authentication: Authentication
    /// Whether records are encrypted with cipher block chaining.
    package var isCBC: Bool
    package var hash: Hash
    /// Whether the suite is deliberately weakened to 40 or 56 bits.
    package var isExport: Bool

    /// Whether a pre-shared key takes part in the key exchange, up to TLS 1.2.
    package var usesPreSharedKey: Bool {
      switch keyExchange {
      case .psk, .dhePSK, .ecdhePSK, .rsaPSK: true
      default: false
      }
    }

    /// Whether a later compromise of the server's key leaves the session confidential. In TLS 1.3 always true except with `psk_ke`.
    package var hasForwardSecrecy: Bool {
      switch keyExchange {
      case .negotiated, .dhe, .ecdhe, .dhePSK, .ecdhePSK, .srp, .password: true
      case .null, .rsa, .dh, .ecdh, .psk, .rsaPSK, .kerberos, .gost, .fortezza, .sm: false
      }
    }
  }

  /// The name in the registry, such as `TLS_AES_128_GCM_SHA256`; nil if there is none.
  public var name: String? {
    CodePointNames.name(of: rawValue, in: CipherSuiteRegistry.registered)
      ?? CodePointNames.name(of: rawValue, in: CipherSuiteRegistry.unregistered)
  }

  /// The components of the suite; nil for unknown code points and signaling values.
  package var structure: Structure? {
    CodePointNames.row(of: rawValue, in: Self.structures, by: { $0.codePoint })?.structure
  }

  /// The components of all suites with a name, in ascending order of code points; created on first use.
  private static let structures: [(codePoint: UInt16, structure: Structure)] =
    (CipherSuiteRegistry.registered + CipherSuiteRegistry.unregistered)
    .compactMap { row in Structure(suiteName: row.name).map { (row.codePoint, $0) } }
    .sorted { $0.codePoint < $1.codePoint }
}

extension CipherSuite.Structure {
  /// Parses a name in the registry; nil if it is not the name of a suite.
  init?(suiteName: String) {
    let words = suiteName.utf8.split(separator: UInt8(ascii: "_")).map { String(Substring($0)) }
    guard let first = words.first, words.last != "SCSV" else { return nil }
    let isOfTLS = first == "TLS" || first == "SSL"
    // In the suites of GM/T 0024, one word precedes the cipher; the names of TLS 1.3 begin with the cipher.
    let exchange = words.firstIndex(of: "WITH").map { words[(isOfTLS ? 1 : 0)..<$0] } ?? words[..<(isOfTLS ? 0 : 1)]
    guard let (keyExchange, authentication) = Self.exchange(exchange) else { return nil }
    self.keyExchange = keyExchange
    self.authentication = authentication
    // GM/T 0024 omits the mode of SM1 from the name.
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
    // RFC 6655 swaps these words in two names.
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
