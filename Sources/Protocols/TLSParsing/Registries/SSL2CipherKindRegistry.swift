/// Cipher kinds by code point, from the draft of SSL 2 (Hickman, 1995) and what was added to it in practice.
enum SSL2CipherKindRegistry {
  /// In the order of the code points.
  static let entries: [(codePoint: UInt32, name: String)] = [
    (0x01_0080, "SSL_CK_RC4_128_WITH_MD5"),
    (0x02_0080, "SSL_CK_RC4_128_EXPORT40_WITH_MD5"),
    (0x03_0080, "SSL_CK_RC2_128_CBC_WITH_MD5"),
    (0x04_0080, "SSL_CK_RC2_128_CBC_EXPORT40_WITH_MD5"),
    (0x05_0080, "SSL_CK_IDEA_128_CBC_WITH_MD5"),
    (0x06_0040, "SSL_CK_DES_64_CBC_WITH_MD5"),
    (0x06_0140, "SSL_CK_DES_64_CBC_WITH_SHA"),
    (0x07_00C0, "SSL_CK_DES_192_EDE3_CBC_WITH_MD5"),
    (0x07_01C0, "SSL_CK_DES_192_EDE3_CBC_WITH_SHA"),
    (0x08_0080, "SSL_CK_RC4_64_WITH_MD5"),
    (0xFF_0800, "SSL_CK_DES_64_CFB64_WITH_MD5_1"),
    (0xFF_0810, "SSL_CK_NULL"),
  ]
}
