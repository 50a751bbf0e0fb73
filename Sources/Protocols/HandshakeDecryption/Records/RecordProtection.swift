package import ByteParsing
package import TLSParsing

/// The protection of one direction's records in TLS 1.3 (RFC 8446 §5.2).
package struct RecordProtection: Sendable {
  private let aead: AEADKey
  private var sequence: UInt64 = 0

  package struct Decrypted: Sendable {
    package var type: ContentType

    /// The content, without the padding.
    package var content: Bytes
  }

  /// Derives the keys from a traffic secret; nil if the secret does not have the length that the suite requires.
  package init?(secret: Bytes, suite: DecryptableSuite) {
    guard secret.count == suite.hash.byteCount else { return nil }
    aead = AEADKey(
      suite: suite, key: suite.hash.expand(secret, label: "key", suite.keyLength),
      initialVector: suite.hash.expand(secret, label: "iv", DecryptableSuite.nonceLength))
  }

  /// Advances past a record without decrypting it.
  package mutating func skip() { sequence &+= 1 }

  /// Whether the next record, passed with its header, contains an alert, unless the keys are wrong. Of its content nothing is decrypted,
  /// only the type and the padding after it.
  func containsAlert(_ record: Span<UInt8>) -> Bool {
    let byteCount = record.count - RecordHeader.byteCount - DecryptableSuite.tagLength
    // Level and description precede the type.
    guard byteCount > 2, let stream = aead.keyStream(byteCount, number: sequence) else { return false }
    for index in (2..<byteCount).reversed() {
      let byte = record[RecordHeader.byteCount + index] ^ stream[index]
      if byte != 0 { return index == 2 && byte == ContentType.alert.rawValue }
    }
    return false
  }

  /// Decrypts a record, including its header, and advances to the next one; nil, without advancing, if the keys are wrong.
  package mutating func decrypt(_ record: Span<UInt8>) -> Decrypted? {
    guard record.count > RecordHeader.byteCount,
      let plaintext = aead.decrypt(
        record.extracting(RecordHeader.byteCount..<record.count), number: sequence,
        authenticating: Bytes(copying: record.extracting(0..<RecordHeader.byteCount)))
    else { return nil }
    sequence &+= 1
    // The type is the last nonzero byte; a record that is all padding has none (RFC 8446 §5.4).
    guard let last = plaintext.lastIndex(where: { $0 != 0 }) else { return Decrypted(type: ContentType(rawValue: 0), content: []) }
    return Decrypted(type: ContentType(rawValue: plaintext[last]), content: Bytes(plaintext[..<last]))
  }
}
