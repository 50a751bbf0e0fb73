package import TLSParsing

/// A cipher suite of TLS 1.3 that can be opened here.
package enum SealedSuite: Hashable, Sendable {
  /// `TLS_AES_128_GCM_SHA256`.
  case aes128GCM
  /// `TLS_AES_256_GCM_SHA384`.
  case aes256GCM
  /// `TLS_CHACHA20_POLY1305_SHA256`.
  case chaCha20Poly1305

  /// Nil for every other suite, AES-CCM among them.
  package init?(_ suite: CipherSuite) {
    switch suite.rawValue {
    case 0x1301: self = .aes128GCM
    case 0x1302: self = .aes256GCM
    case 0x1303: self = .chaCha20Poly1305
    default: return nil
    }
  }

  /// Bytes of a traffic secret: those of the suite's hash.
  package var secretLength: Int { self == .aes256GCM ? 48 : 32 }

  /// Bytes of the key.
  var keyLength: Int { self == .aes128GCM ? 16 : 32 }

  /// Bytes of the tag after the ciphertext.
  static let tagLength = 16

  /// Bytes of the nonce.
  static let nonceLength = 12
}
