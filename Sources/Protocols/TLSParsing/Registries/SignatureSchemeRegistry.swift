/// Signature schemes by code point: IANA "TLS SignatureScheme", the pairs of hash and signature algorithm that TLS 1.2 encodes in the same
/// two bytes (RFC 5246 §7.4.1.4.1), and private ones that occur.
enum SignatureSchemeRegistry {
  struct Entry {
    var codePoint: UInt16
    var name: String
    var hash: SignatureScheme.Hash
    var algorithm: SignatureScheme.Algorithm

    init(_ codePoint: UInt16, _ name: String, _ hash: SignatureScheme.Hash, _ algorithm: SignatureScheme.Algorithm) {
      self.codePoint = codePoint
      self.name = name
      self.hash = hash
      self.algorithm = algorithm
    }
  }

  /// In ascending order of code points, without reserved and GREASE values.
  static let entries: [Entry] = [
    Entry(0x0000, "anonymous_none", .none, .anonymous),
    Entry(0x0001, "rsa_pkcs1_none", .none, .rsaPKCS1),
    Entry(0x0002, "dsa_none", .none, .dsa),
    Entry(0x0003, "ecdsa_none", .none, .ecdsa),
    Entry(0x0100, "anonymous_md5", .md5, .anonymous),
    Entry(0x0101, "rsa_pkcs1_md5", .md5, .rsaPKCS1),
    Entry(0x0102, "dsa_md5", .md5, .dsa),
    Entry(0x0103, "ecdsa_md5", .md5, .ecdsa),
    Entry(0x0200, "anonymous_sha1", .sha1, .anonymous),
    Entry(0x0201, "rsa_pkcs1_sha1", .sha1, .rsaPKCS1),
    Entry(0x0202, "dsa_sha1", .sha1, .dsa),
    Entry(0x0203, "ecdsa_sha1", .sha1, .ecdsa),
    Entry(0x0300, "anonymous_sha224", .sha224, .anonymous),
    Entry(0x0301, "rsa_pkcs1_sha224", .sha224, .rsaPKCS1),
    Entry(0x0302, "dsa_sha224", .sha224, .dsa),
    Entry(0x0303, "ecdsa_sha224", .sha224, .ecdsa),
    Entry(0x0400, "anonymous_sha256", .sha256, .anonymous),
    Entry(0x0401, "rsa_pkcs1_sha256", .sha256, .rsaPKCS1),
    Entry(0x0402, "dsa_sha256", .sha256, .dsa),
    Entry(0x0403, "ecdsa_secp256r1_sha256", .sha256, .ecdsa),
    Entry(0x0420, "rsa_pkcs1_sha256_legacy", .sha256, .rsaPKCS1),
    Entry(0x0500, "anonymous_sha384", .sha384, .anonymous),
    Entry(0x0501, "rsa_pkcs1_sha384", .sha384, .rsaPKCS1),
    Entry(0x0502, "dsa_sha384", .sha384, .dsa),
    Entry(0x0503, "ecdsa_secp384r1_sha384", .sha384, .ecdsa),
    Entry(0x0520, "rsa_pkcs1_sha384_legacy", .sha384, .rsaPKCS1),
    Entry(0x0600, "anonymous_sha512", .sha512, .anonymous),
    Entry(0x0601, "rsa_pkcs1_sha512", .sha512, .rsaPKCS1),
    Entry(0x0602, "dsa_sha512", .sha512, .dsa),
    Entry(0x0603, "ecdsa_secp521r1_sha512", .sha512, .ecdsa),
    Entry(0x0620, "rsa_pkcs1_sha512_legacy", .sha512, .rsaPKCS1),
    Entry(0x0704, "eccsi_sha256", .sha256, .identityBased),
    Entry(0x0705, "iso_ibs1", .other, .identityBased),
    Entry(0x0706, "iso_ibs2", .other, .identityBased),
    Entry(0x0707, "iso_chinese_ibs", .other, .identityBased),
    Entry(0x0708, "sm2sig_sm3", .sm3, .sm2),
    Entry(0x0709, "gostr34102012_256a", .gostr3411, .gost),
    Entry(0x070A, "gostr34102012_256b", .gostr3411, .gost),
    Entry(0x070B, "gostr34102012_256c", .gostr3411, .gost),
    Entry(0x070C, "gostr34102012_256d", .gostr3411, .gost),
    Entry(0x070D, "gostr34102012_512a", .gostr3411, .gost),
    Entry(0x070E, "gostr34102012_512b", .gostr3411, .gost),
    Entry(0x070F, "gostr34102012_512c", .gostr3411, .gost),
    Entry(0x0804, "rsa_pss_rsae_sha256", .sha256, .rsaPSS),
    Entry(0x0805, "rsa_pss_rsae_sha384", .sha384, .rsaPSS),
    Entry(0x0806, "rsa_pss_rsae_sha512", .sha512, .rsaPSS),
    Entry(0x0807, "ed25519", .intrinsic, .edDSA),
    Entry(0x0808, "ed448", .intrinsic, .edDSA),
    Entry(0x0809, "rsa_pss_pss_sha256", .sha256, .rsaPSS),
    Entry(0x080A, "rsa_pss_pss_sha384", .sha384, .rsaPSS),
    Entry(0x080B, "rsa_pss_pss_sha512", .sha512, .rsaPSS),
    Entry(0x081A, "ecdsa_brainpoolP256r1tls13_sha256", .sha256, .ecdsa),
    Entry(0x081B, "ecdsa_brainpoolP384r1tls13_sha384", .sha384, .ecdsa),
    Entry(0x081C, "ecdsa_brainpoolP512r1tls13_sha512", .sha512, .ecdsa),
    Entry(0x0840, "gostr34102012_256", .gostr3411, .gost),
    Entry(0x0841, "gostr34102012_512", .gostr3411, .gost),
    Entry(0x0904, "mldsa44", .intrinsic, .mlDSA),
    Entry(0x0905, "mldsa65", .intrinsic, .mlDSA),
    Entry(0x0906, "mldsa87", .intrinsic, .mlDSA),
    Entry(0x0911, "slhdsa_sha2_128s", .intrinsic, .slhDSA),
    Entry(0x0912, "slhdsa_sha2_128f", .intrinsic, .slhDSA),
    Entry(0x0913, "slhdsa_sha2_192s", .intrinsic, .slhDSA),
    Entry(0x0914, "slhdsa_sha2_192f", .intrinsic, .slhDSA),
    Entry(0x0915, "slhdsa_sha2_256s", .intrinsic, .slhDSA),
    Entry(0x0916, "slhdsa_sha2_256f", .intrinsic, .slhDSA),
    Entry(0x0917, "slhdsa_shake_128s", .intrinsic, .slhDSA),
    Entry(0x0918, "slhdsa_shake_128f", .intrinsic, .slhDSA),
    Entry(0x0919, "slhdsa_shake_192s", .intrinsic, .slhDSA),
    Entry(0x091A, "slhdsa_shake_192f", .intrinsic, .slhDSA),
    Entry(0x091B, "slhdsa_shake_256s", .intrinsic, .slhDSA),
    Entry(0x091C, "slhdsa_shake_256f", .intrinsic, .slhDSA),
    Entry(0xEDED, "gostr34102001_gostr3411", .gostr3411, .gost),
    Entry(0xEEEE, "gostr34102012_256_gostr34112012_256", .gostr3411, .gost),
    Entry(0xEFEF, "gostr34102012_512_gostr34112012_512", .gostr3411, .gost),
  ]
}
