import ByteParsing
import CleartextObservation
import PacketParsing
import QUICParsing
import SessionModel
import Values

/// Datagrams of protocols that contain TLS or QUIC, or hide it, and are not read.
extension SessionTracker {
  /// Counts a datagram with which such a protocol begins a handshake; returns false for other datagrams.
  mutating func countHiddenHandshake(_ packet: Packet) -> Bool {
    let payload = packet.payload
    let lengthOnWire = packet.headers.payloadLengthOnWire
    switch payload[0] {
    case OpenVPNReset.versionTwo, OpenVPNReset.versionThree:
      guard OpenVPNReset.isOne(payload, at: packet.reference.time?.seconds) else { return false }
      health.openVPNBeginnings += 1
    case WireGuardInitiation.type where WireGuardInitiation.isOne(payload, lengthOnWire: lengthOnWire):
      health.wireGuardBeginnings += 1
    case EAPRequest.accessRequest where EAPRequest.beginsTLS(payload, lengthOnWire: lengthOnWire):
      health.eapBeginnings += 1
    case 0 where isQUICInSOCKS(payload):
      health.quicInSOCKS += 1
    default:
      guard TURNMessage.relaysHello(payload) else { return false }
      health.dtlsInTURN += 1
    }
    return true
  }

  /// Whether SOCKS relays a datagram that begins with a long header of a supported version.
  private func isQUICInSOCKS(_ datagram: Span<UInt8>) -> Bool {
    guard let start = SOCKSDatagram.contentOffset(in: datagram), datagram.count >= start + 5, datagram[start] & 0xC0 == 0xC0
    else { return false }
    let version = QUICVersion(rawValue: datagram.raw.big32(start + 1))
    return version.isUnderstood && !version.isReserved
  }
}
