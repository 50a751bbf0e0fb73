import ByteParsing
import Crypto
import CryptoExtras
import QUICParsing
import TLSParsing

@testable import HandshakeDecryption

/// Encrypts records like one side of a TLS 1.3 connection.
struct RecordSealer {
  let suite: DecryptableSuite
  let secret: Bytes
  var sequence: UInt64 = 0

  mutating func seal(_ content: Bytes, type: ContentType, padding: Int = 0) throws -> Bytes {
    let key = SymmetricKey(
      data: suite.hash.expand(secret, label: "key", suite.keyLength))
    var nonce = suite.hash.expand(secret, label: "iv", 12)
    for index in 0..<8 { nonce[11 - index] ^= UInt8(truncatingIfNeeded: sequence >> (8 * UInt64(index))) }
    sequence += 1
    let inner = content + [type.rawValue] + Bytes(repeating: 0, count: padding)
    let length = inner.count + 16
    let header: Bytes = [23, 3, 3, UInt8(length >> 8), UInt8(length & 0xFF)]
    if suite == .chaCha20Poly1305 {
      let box = try ChaChaPoly.seal(
        inner, using: key, nonce: ChaChaPoly.Nonce(data: nonce), authenticating: header)
      return header + Bytes(box.ciphertext) + Bytes(box.tag)
    }
    let box = try AES.GCM.seal(
      inner, using: key, nonce: AES.GCM.Nonce(data: nonce), authenticating: header)
    return header + Bytes(box.ciphertext) + Bytes(box.tag)
  }
}

/// Parses the long header of a packet, because spans of globals cannot be used in throwing expressions.
func header(of packet: Bytes, from start: Int = 0) throws -> LongHeader {
  try LongHeader(parsing: packet.span, from: start)
}
