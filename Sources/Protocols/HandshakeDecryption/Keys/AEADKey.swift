import ByteParsing
import Crypto

/// The AEAD of one direction: its key, and the IV from which the nonces are derived (RFC 8446 §5.3).
struct AEADKey: Sendable {
  private let suite: DecryptableSuite
  private let key: SymmetricKey
  private let initialVector: Bytes

  init(suite: DecryptableSuite, key: Bytes, initialVector: Bytes) {
    self.suite = suite
    self.key = SymmetricKey(data: key)
    self.initialVector = initialVector
  }

  /// Decrypts ciphertext and tag; nil if authentication fails.
  func decrypt(_ protected: Span<UInt8>, number: UInt64, authenticating header: Bytes) -> Bytes? {
    var sealed = nonce(number)
    sealed.append(copying: protected)
    let plaintext =
      switch suite {
      case .aes128GCM, .aes256GCM: try? AES.GCM.open(AES.GCM.SealedBox(combined: sealed), using: key, authenticating: header)
      case .chaCha20Poly1305: try? ChaChaPoly.open(ChaChaPoly.SealedBox(combined: sealed), using: key, authenticating: header)
      }
    return plaintext.map { Bytes($0) }
  }

  /// The tag of a plaintext under AES-GCM; nil for other ciphers.
  func tag(of plaintext: Bytes, number: UInt64, authenticating header: Bytes) -> Bytes? {
    guard suite != .chaCha20Poly1305, let nonce = try? AES.GCM.Nonce(data: nonce(number)) else { return nil }
    return (try? AES.GCM.seal(plaintext, using: key, nonce: nonce, authenticating: header)).map {
      Bytes($0.tag)
    }
  }

  /// The first bytes of the key stream for a number; nil if there are none. All suites encrypt with a stream cipher.
  func keyStream(_ byteCount: Int, number: UInt64) -> Bytes? {
    let zeros = Bytes(repeating: 0, count: byteCount)
    let nonce = nonce(number)
    return switch suite {
    case .aes128GCM, .aes256GCM:
      (try? AES.GCM.seal(zeros, using: key, nonce: AES.GCM.Nonce(data: nonce))).map { Bytes($0.ciphertext) }
    case .chaCha20Poly1305:
      (try? ChaChaPoly.seal(zeros, using: key, nonce: ChaChaPoly.Nonce(data: nonce))).map { Bytes($0.ciphertext) }
    }
  }

  private func nonce(_ number: UInt64) -> Bytes {
    var nonce = initialVector
    var rest = number
    for index in nonce.indices.reversed().prefix(8) {
      nonce[index] ^= UInt8(truncatingIfNeeded: rest)
      rest >>= 8
    }
    return nonce
  }
}
