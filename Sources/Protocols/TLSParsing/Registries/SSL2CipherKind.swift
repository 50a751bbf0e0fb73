/// A cipher kind of SSL 2, three bytes; those that begin with a zero byte are suites of SSL 3 and later.
@usableFromInline package struct SSL2CipherKind: RawRepresentable, Hashable, Sendable {
  /// The code point, below 2²⁴.
  @usableFromInline package var rawValue: UInt32

  /// Takes any code point, known or not.
  @inlinable
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The suite that the kind stands for in SSL 3 and later (RFC 5246 appendix E.2); `nil` for the kinds of SSL 2.
  package var cipherSuite: CipherSuite? {
    rawValue <= 0xFFFF ? CipherSuite(rawValue: UInt16(rawValue)) : nil
  }

  /// The name in the draft of SSL 2, such as `SSL_CK_RC4_128_WITH_MD5`; of suites of later versions their own.
  package var name: String? {
    if let cipherSuite { return cipherSuite.name }
    return SSL2CipherKindRegistry.entries.first { $0.codePoint == rawValue }?.name
  }
}
