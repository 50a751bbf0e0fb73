package import ByteParsing
import Crypto
import CryptoExtras
package import QUICParsing

/// The protection of one direction's packets at one level (RFC 9001 §5.3 and §5.4).
package struct PacketProtection: Sendable {
  private let suite: DecryptableSuite
  private let aead: AEADKey
  private let headerKey: SymmetricKey

  package struct Decrypted: Sendable {
    /// The full packet number.
    package var number: UInt64

    /// The frames.
    package var payload: Bytes
  }

  /// Derives the keys of a level from its secret; nil if the secret does not have the length that the suite requires.
  package init?(secret: Bytes, suite: DecryptableSuite, version: QUICVersion) {
    guard let constants = version.protections.first else { return nil }
    self.init(secret: secret, suite: suite, constants: constants)
  }

  init?(secret: Bytes, suite: DecryptableSuite, constants: VersionConstants) {
    guard secret.count == suite.hash.byteCount else { return nil }
    self.suite = suite
    func derive(_ label: String, _ byteCount: Int) -> Bytes {
      suite.hash.expand(secret, label: constants.labelPrefix + label, byteCount)
    }
    aead = AEADKey(suite: suite, key: derive("key", suite.keyLength), initialVector: derive("iv", DecryptableSuite.nonceLength))
    headerKey = SymmetricKey(data: derive("hp", suite.keyLength))
  }

  /// Decrypts the packet with a long header; nil if the keys are wrong.
  package func decrypt(_ header: LongHeader, in datagram: Span<UInt8>, largest: UInt64?) -> Decrypted? {
    decrypt(datagram, packet: header.packet, payloadStart: header.payloadStart, isLong: true, largest: largest)
  }

  func decrypt(_ datagram: Span<UInt8>, packet: Range<Int>, payloadStart: Int, isLong: Bool, largest: UInt64?) -> Decrypted? {
    guard
      let head = unprotectedHeader(datagram, packet: packet, payloadStart: payloadStart, isLong: isLong, largest: largest)
    else { return nil }
    let protected = datagram.extracting(head.end..<packet.upperBound)
    guard let payload = aead.decrypt(protected, number: head.number, authenticating: head.bytes) else { return nil }
    return Decrypted(number: head.number, payload: payload)
  }

  /// Returns a datagram in which the token of an Initial packet is zeroed and the packet's tag recomputed; nil if these are not the
  /// packet's keys, or not those of Initial packets.
  package func clearingToken(of header: LongHeader, in datagram: Span<UInt8>) -> Bytes? {
    let (packet, token) = (header.packet, header.token)
    guard let head = unprotectedHeader(datagram, packet: packet, payloadStart: header.payloadStart, isLong: true, largest: nil),
      token.lowerBound >= packet.lowerBound, token.upperBound <= head.end, packet.upperBound - head.end >= DecryptableSuite.tagLength,
      let payload = aead.decrypt(datagram.extracting(head.end..<packet.upperBound), number: head.number, authenticating: head.bytes)
    else { return nil }
    var bytes = head.bytes
    for index in token { bytes[index - packet.lowerBound] = 0 }
    guard let tag = aead.tag(of: payload, number: head.number, authenticating: bytes) else { return nil }
    var result = Bytes(copying: datagram)
    for index in token { result[index] = 0 }
    result.replaceSubrange((packet.upperBound - DecryptableSuite.tagLength)..<packet.upperBound, with: tag)
    return result
  }

  /// The header of a packet without its protection, including the packet number, and its end in the datagram.
  private func unprotectedHeader(
    _ datagram: Span<UInt8>, packet: Range<Int>, payloadStart: Int, isLong: Bool, largest: UInt64?
  ) -> (bytes: Bytes, number: UInt64, end: Int)? {
    let sampleStart = payloadStart + 4
    guard packet.lowerBound >= 0, packet.upperBound <= datagram.count, packet.lowerBound < payloadStart,
      sampleStart + 16 <= packet.upperBound
    else { return nil }
    guard let mask = mask(Bytes(copying: datagram.extracting(sampleStart..<(sampleStart + 16)))) else { return nil }
    let first = datagram[packet.lowerBound] ^ mask[0] & (isLong ? 0x0F : 0x1F)
    let numberLength = Int(first & 0x03) + 1
    var header = Bytes(copying: datagram.extracting(packet.lowerBound..<(payloadStart + numberLength)))
    header[0] = first
    var truncated: UInt32 = 0
    for index in 0..<numberLength {
      let offset = header.count - numberLength + index
      header[offset] ^= mask[1 + index]
      truncated = truncated << 8 | UInt32(header[offset])
    }
    let number = PacketNumber.decode(truncated, byteCount: numberLength, largest: largest)
    return (header, number, payloadStart + numberLength)
  }

  /// The five-byte header protection mask (RFC 9001 §5.4.3 and §5.4.4).
  func mask(_ sample: Bytes) -> Bytes? {
    guard sample.count == 16 else { return nil }
    switch suite {
    case .aes128GCM, .aes256GCM:
      var block = sample
      guard (try? AES.permute(&block, key: headerKey)) != nil else { return nil }
      return Bytes(block.prefix(5))
    case .chaCha20Poly1305:
      guard let counter = try? Insecure.ChaCha20CTR.Counter(data: Bytes(sample.prefix(4))),
        let nonce = try? Insecure.ChaCha20CTR.Nonce(data: Bytes(sample.suffix(12))),
        let mask = try? Insecure.ChaCha20CTR.encrypt(Bytes(repeating: 0, count: 5), using: headerKey, counter: counter, nonce: nonce)
      else { return nil }
      return Bytes(mask)
    }
  }
}
