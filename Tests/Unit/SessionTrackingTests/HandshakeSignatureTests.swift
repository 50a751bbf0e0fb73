import ByteParsing
import CertificateIssuing
import Crypto
import CryptoExtras
import TLSParsing
import TestBytes
import Testing

import SessionModel
@testable import SessionTracking
@testable import TLSObservation

/// Signatures of ServerKeyExchange by generated keys.
@Suite struct HandshakeSignatureTests {
  /// A server's handshake messages up to TLS 1.2.
  struct Flight: Sendable {
    var leaf: Issued
    /// The signing function; nil for a cipher suite without signatures.
    var sign: (@Sendable (_ message: Bytes) -> Bytes)?
    var scheme: UInt16? = 0x0403
    var version: UInt8 = 3
    var suite: UInt16 = 0xC02B
    var point = Bytes(repeating: 9, count: 32)
    /// The point that is sent instead of the signed one.
    var sentPoint: Bytes?
    var certificates: [Issued]?
    /// Whether the capture has the server's messages first.
    var isServerFirst = false

    static let clientRandom = Bytes(repeating: 5, count: 32)
    static let serverRandom = Bytes(repeating: 7, count: 32)

    private func message(_ type: UInt8, _ body: Bytes) -> Bytes { [type] + vector24(body) }

    private func record(_ message: Bytes) -> Bytes { [22, 3, version] + vector16(message) }

    /// Plays the handshake.
    func play(_ player: inout SegmentPlayer) {
      let hello: Bytes =
        [3, version] + Flight.clientRandom + [0, 0, 2, UInt8(suite >> 8), UInt8(suite & 0xFF), 1, 0]
      let answer: Bytes =
        [3, version] + Flight.serverRandom + [0, UInt8(suite >> 8), UInt8(suite & 0xFF), 0]
      let chain = vector24(Bytes((certificates ?? [leaf]).map { vector24($0.der) }.joined()))
      func parameters(_ point: Bytes) -> Bytes { [3, 0, 29, UInt8(point.count)] + point }
      var exchange = parameters(sentPoint ?? point)
      if let signature = sign?(Flight.clientRandom + Flight.serverRandom + parameters(point)) {
        if let scheme { exchange += two(Int(scheme)) }
        exchange += vector16(signature)
      }
      let flight = [message(2, answer), message(11, chain), message(12, exchange), message(14, [])].map(
        record
      )
      .reduce(Bytes(), +)
      player.play(flags: 2, sequence: 0)
      player.play(flags: 18, sequence: 0, fromClient: false)
      if isServerFirst { player.play(flight, fromClient: false) }
      player.play(record(message(1, hello)))
      if !isServerFirst { player.play(flight, fromClient: false) }
    }

    /// The result of verifying the signature.
    var found: HandshakeSignature? {
      var player = SegmentPlayer()
      play(&player)
      return player.sessions().first?.sharedTLS?.handshakeSignature
    }
  }

  static let root = Issued.root()

  private static func flight(_ key: IssuingKey, _ scheme: UInt16, _ algorithm: String? = nil) -> Flight {
    Flight(
      leaf: root.leaf(key: key), sign: { (try? key.sign($0, algorithm: algorithm ?? key.algorithm)) ?? [] },
      scheme: scheme)
  }

  private static let flights: [Flight] = {
    let ed25519 = IssuingKey.ed25519(Curve25519.Signing.PrivateKey())
    let p384 = IssuingKey.p384(P384.Signing.PrivateKey())
    var list = [
      flight(.newP256(), 0x0403), flight(.newP256(), 0x0203, "1.2.840.10045.4.1"), flight(p384, 0x0503),
      flight(ed25519, 0x0807),
    ]
    // ECDSA before TLS 1.2 signs SHA-1, and the message has no signature scheme.
    var old = flight(.newP256(), 0x0203, "1.2.840.10045.4.1")
    (old.version, old.scheme, old.suite) = (1, nil, 0xC009)
    list.append(old)
    if let key = try? _RSA.Signing.PrivateKey(keySize: .bits2048) {
      var pkcs1 = flight(.rsa(key), 0x0401)
      pkcs1.suite = 0xC02F
      list.append(pkcs1)
      var pss = pkcs1
      pss.scheme = 0x0804
      pss.sign = {
        (try? key.signature(for: SHA256.hash(data: $0), padding: .PSS)).map { Bytes($0.rawRepresentation) }
          ?? []
      }
      list.append(pss)
    }
    return list
  }()

  @Test func `a signature is verified also if the hello was captured after it`() {
    for var flight in Self.flights {
      flight.isServerFirst = true
      #expect(flight.found == .valid)
      flight.sentPoint = [8] + flight.point.dropFirst()
      #expect(flight.found == .invalid)
    }
  }

  @Test func `only a signature by the leaf's key over the sent parameters is valid`() {
    #expect(Self.flights.count == 7)
    for flight in Self.flights {
      #expect(flight.found == .valid)
      var changed = flight
      changed.sentPoint = [8] + flight.point.dropFirst()
      #expect(changed.found == .invalid)
      var other = flight
      other.certificates = [Self.root.leaf(), flight.leaf]
      #expect(other.found == .invalid)
      var malformed = flight
      malformed.sign = { _ in [1, 2, 3] }
      #expect(malformed.found == .invalid)
    }
  }

  @Test func `a signature with an unsupported scheme is not verifiable, rather than invalid`() {
    var flight = Self.flights[0]
    for scheme: UInt16 in [0x0303, 0x0402, 0x0808, 0x0103, 0xFEFE] {
      flight.scheme = scheme
      #expect(flight.found == .notVerifiable, "\(scheme)")
    }
    // MD5 and SHA-1 together.
    flight = Self.flights[5]
    (flight.version, flight.scheme, flight.suite) = (1, nil, 0xC013)
    #expect(flight.found == .notVerifiable)
    // An anonymous suite.
    flight.sign = nil
    (flight.version, flight.suite) = (3, 0xC018)
    #expect(flight.found == nil)
  }

  @Test func `beyond the limit the first signature of each leaf is verified, and the rest are counted`() {
    var signatures = HandshakeSignatures(limit: 2)
    let leaves = (0..<3).map { _ in Self.root.leaf().observed }
    let taken = [0, 0, 0, 1, 1, 0, 2].map { signatures.admit(leaves[$0]) }
    #expect(taken == [true, true, false, true, false, false, true])
    #expect(signatures.notVerifiedCount == 3)
  }
}
