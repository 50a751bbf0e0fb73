package import TLSParsing

/// A TLS 1.3 cipher suite that atscope can decrypt.
package enum DecryptableSuite: Hashable, Sendable {
  /// `TLS_AES_128_GCM_SHA256`.
  case aes128GCM
  /// `TLS_AES_256_GCM_SHA384`.
  case aes256GCM
  /// `TLS_CHACHA20_POLY1305_SHA256`.
  case chaCha20Poly1305

  /// Nil for every other suite, including AES-CCM.
  package init?(_ suite: CipherSuite) {
    switch suite.rawValue {
    case 0x1301: self = .aes128GCM
    case 0x1302: self = .aes256GCM
    case 0x1303: self = .chaCha20Poly1305
    default: return nil
    }
  }

  /// The hash of the suite's key schedule, whose length is also that of a traffic secret.
  var hash: HashKind { self == .aes256GCM ? .sha384 : .sha256 }

  /// The length of the key in bytes.
  var keyLength: Int { self == .aes128GCM ? 16 : 32 }

  /// The length of the tag after the ciphertext in bytes.
  static let tagLength = 16

  /// The length of the nonce in bytes.
  static let nonceLength = 12
}
