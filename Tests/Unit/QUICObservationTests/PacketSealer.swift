import ByteParsing
import Crypto
import CryptoExtras
import QUICParsing
import TestBytes
import Testing

@testable import HandshakeDecryption

/// Seals packets of both endpoints of a QUIC connection.
struct PacketSealer {
  var version = QUICVersion.version1
  /// The Destination Connection ID from which the Initial keys are derived.
  var original = hex("8394c8f03e515708")
  var clientID = hex("c1c1c1c1")
  var serverID = hex("5e5e5e5e5e")

  /// An Initial packet.
  func initial(
    _ frames: Bytes, isFromClient: Bool, number: UInt8 = 0, to destination: Bytes? = nil, token: Bytes = []
  ) throws -> Bytes {
    let constants = try #require(version.protections.first)
    let secrets = InitialKeys.secrets(constants, ConnectionID(original))
    let destination = destination ?? (isFromClient ? original : clientID)
    let header =
      header(type: 0, to: destination, from: isFromClient ? clientID : serverID) + [UInt8(token.count)]
      + token
    return try seal(
      header, frames, number: number, secret: isFromClient ? secrets.client : secrets.server,
      suite: .aes128GCM)
  }

  /// A Handshake packet.
  func handshake(
    _ frames: Bytes, isFromClient: Bool, number: UInt8 = 0, secret: Bytes, suite: DecryptableSuite
  ) throws -> Bytes {
    let header = header(
      type: 2, to: isFromClient ? serverID : clientID, from: isFromClient ? clientID : serverID)
    return try seal(header, frames, number: number, secret: secret, suite: suite)
  }

  /// A 1-RTT packet. It is never decrypted, so its payload is arbitrary.
  func short(isFromClient: Bool) -> Bytes {
    [0x41] + (isFromClient ? serverID : clientID) + Bytes(repeating: 0xEE, count: 30)
  }

  /// A Retry packet with a new connection ID of the server.
  func retry(_ newID: Bytes, token: Bytes) throws -> Bytes {
    let packet = header(type: 3, to: clientID, from: newID) + token
    let constants = try #require(version.protections.first?.retry)
    let pseudo = Bytes([UInt8(original.count)]) + original + packet
    let box = try AES.GCM.seal(
      Bytes(), using: SymmetricKey(data: constants.key), nonce: AES.GCM.Nonce(data: constants.nonce),
      authenticating: pseudo)
    return packet + Bytes(box.tag)
  }

  private func header(type: UInt8, to destination: Bytes, from source: Bytes) -> Bytes {
    let number = version.hasTypesOfVersion2 ? (type + 1) & 3 : type
    let versionBytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: version.rawValue >> UInt32($0)) }
    return [0xC0 | number << 4] + versionBytes + [UInt8(destination.count)] + destination
      + [UInt8(source.count)] + source
  }

  private func seal(
    _ start: Bytes, _ frames: Bytes, number: UInt8, secret: Bytes, suite: DecryptableSuite
  ) throws -> Bytes {
    // At least four bytes, because header protection needs a sample (RFC 9001 §5.4.2).
    let payload = frames + Bytes(repeating: 0, count: max(0, 4 - frames.count))
    let length = payload.count + 16 + 1
    var header = start + [0x40 | UInt8(length >> 8), UInt8(length & 0xFF), number]
    let prefix = try #require(version.protections.first?.labelPrefix)
    func key(_ label: String, _ count: Int) -> Bytes {
      suite.hash.expand(secret, label: prefix + label, count)
    }
    var nonce = key("iv", 12)
    nonce[11] ^= number
    let box = try AES.GCM.seal(
      payload, using: SymmetricKey(data: key("key", suite.keyLength)), nonce: AES.GCM.Nonce(data: nonce),
      authenticating: header)
    let sealed = Bytes(box.ciphertext) + Bytes(box.tag)
    var mask = Bytes(sealed[3..<19])
    try AES.permute(&mask, key: SymmetricKey(data: key("hp", suite.keyLength)))
    header[0] ^= mask[0] & 0x0F
    header[header.count - 1] ^= mask[1]
    return header + sealed
  }
}

/// A CRYPTO frame.
func crypto(_ bytes: Bytes, at offset: Int) -> Bytes {
  var frame: Bytes = [0x06]
  for length in [offset, bytes.count] { frame += [0x40 | UInt8(length >> 8), UInt8(length & 0xFF)] }
  return frame + bytes
}

/// A handshake message.
func message(_ type: UInt8, _ body: Bytes) -> Bytes {
  [type, 0, UInt8(body.count >> 8), UInt8(body.count & 0xFF)] + body
}
