package import SessionModel
package import TLSParsing

/// The means of agreeing on a key, by the record's word.
package enum KeyExchangeName {
  /// `ecdhe`, `dhe`, `ecdh`, `dh`, `rsa`, `psk`, `kem` or `hybrid`, or a word for a rarer means; nil where it is not
  /// known.
  ///
  /// In a ServerHello that is not whole, the group may be in the missing part.
  package static func name(_ serverHello: ServerHelloFacts, isWhole: Bool, group: NamedGroup?) -> String? {
    guard let suite = serverHello.cipherSuite else { return nil }
    return name(
      suite: suite, group: group,
      isPreSharedKeySelected: isWhole && serverHello.extensions.contains(ExtensionType(rawValue: 41)))
  }

  /// The word for a suite and a group. TLS 1.3 leaves the means to the group, or to the pre-shared key without one.
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
