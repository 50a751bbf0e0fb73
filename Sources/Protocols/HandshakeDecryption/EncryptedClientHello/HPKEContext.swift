import ByteParsing

/// The recipient's HPKE context in base mode, from the KEM's shared secret (RFC 9180 §5.1).
struct HPKEContext {
  private let baseKey: AEADKey

  /// Runs the key schedule; nil for a KDF or an AEAD that RFC 9180 does not define, and for export-only AEADs.
  init?(kem: UInt16, kdf: UInt16, aead: UInt16, sharedSecret: Bytes, info: Bytes) {
    let hash: HashKind
    switch kdf {
    case 1: hash = .sha256
    case 2: hash = .sha384
    case 3: hash = .sha512
    default: return nil
    }
    let suite: DecryptableSuite
    switch aead {
    case 1: suite = .aes128GCM
    case 2: suite = .aes256GCM
    case 3: suite = .chaCha20Poly1305
    default: return nil
    }
    var name = Bytes("HPKE-v1HPKE".utf8)
    for value in [kem, kdf, aead] { name.append(big: value) }
    func extract(_ label: String, _ material: Bytes, salt: Bytes = []) -> Bytes {
      hash.extract(name + Bytes(label.utf8) + material, salt: salt)
    }
    let context = [0] + extract("psk_id_hash", []) + extract("info_hash", info)
    let secret = extract("secret", [], salt: sharedSecret)
    func expand(_ label: String, _ count: Int) -> Bytes {
      hash.expand(secret, [0, UInt8(truncatingIfNeeded: count)] + name + Bytes(label.utf8) + context, count)
    }
    baseKey = AEADKey(suite: suite, key: expand("key", suite.keyLength), initialVector: expand("base_nonce", DecryptableSuite.nonceLength))
  }

  /// The first plaintext of the context; nil if authentication fails.
  func openFirst(_ sealed: Span<UInt8>, authenticating data: Bytes) -> Bytes? {
    baseKey.decrypt(sealed, number: 0, authenticating: data)
  }
}
