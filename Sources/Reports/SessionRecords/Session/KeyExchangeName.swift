package import SessionModel
package import TLSParsing

/// The names of key exchanges in records.
package enum KeyExchangeName {
  /// Returns `ecdhe`, `dhe`, `ecdh`, `dh`, `rsa`, `psk`, `kem` or `hybrid`, or the word for a rarer key exchange; nil if it
  /// is not known.
  ///
  /// In an incomplete ServerHello, the group may be in the missing part.
  package static func name(_ serverHello: ServerHelloFacts, isWhole: Bool, group: NamedGroup?) -> String? {
    guard let suite = serverHello.cipherSuite else { return nil }
    return name(suite: suite, group: group, isPreSharedKeySelected: isWhole && serverHello.extensions.contains(.preSharedKey))
  }

  /// Returns the word for a suite and a group. In TLS 1.3 the group determines the key exchange, or without one the pre-shared key.
  package static func name(suite: CipherSuite, group: NamedGroup?, isPreSharedKeySelected: Bool) -> String? {
    guard let keyExchange = suite.structure?.keyExchange else { return nil }
    switch keyExchange {
    case .negotiated:
      guard let group else { return isPreSharedKeySelected ? "psk" : nil }
      switch group.kind {
      case .ecdhe: return "ecdhe"
      case .ffdhe: return "dhe"
      case .kem: return "kem"
      case .hybrid: return "hybrid"
      case nil: return nil
      }
    case .ecdhe, .ecdhePSK: return "ecdhe"
    case .dhe, .dhePSK: return "dhe"
    case .rsa, .rsaPSK: return "rsa"
    case .null: return nil
    default: return keyExchange.rawValue
    }
  }
}
