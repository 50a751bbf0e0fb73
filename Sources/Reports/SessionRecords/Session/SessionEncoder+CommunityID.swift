import ByteParsing
import Crypto
package import SessionModel
import Values

extension SessionEncoder {
  /// The Community ID of a session's flow: version 1, seed 0.
  ///
  /// The same for both directions, so that records join with the logs of Zeek and Suricata. QUIC and DTLS are flows of UDP.
  /// SHA-1 is what the specification requires; nothing rests on its strength.
  package static func communityID(of session: borrowing ObservedSession) -> String {
    var first = session.client
    var second = session.server
    if second.precedes(first) { swap(&first, &second) }
    var flow = Bytes([0, 0])
    flow.reserveCapacity(40)
    flow.appendNetworkOrder(first.address)
    flow.appendNetworkOrder(second.address)
    flow.append(session.transport == .tcp ? 6 : 17)
    flow.append(0)
    for port in [first.port, second.port] {
      flow.append(UInt8(port >> 8))
      flow.append(UInt8(truncatingIfNeeded: port))
    }
    return "1:" + Base64.text(of: Bytes(Insecure.SHA1.hash(data: flow)))
  }
}

extension ContiguousArray where Element == UInt8 {
  fileprivate mutating func appendNetworkOrder(_ address: IPAddress) {
    if address.isIPv6 { appendBigEndian(address.high, count: 8) }
    appendBigEndian(address.low, count: address.isIPv6 ? 8 : 4)
  }

  private mutating func appendBigEndian(_ word: UInt64, count: Int) {
    for index in (0..<count).reversed() { append(UInt8(truncatingIfNeeded: word >> UInt64(8 * index))) }
  }
}

extension Endpoint {
  /// Whether the endpoint comes first in the order of the specification: by the bytes of the address, then by the port.
  fileprivate func precedes(_ other: Endpoint) -> Bool {
    (address.high, address.low, port) < (other.address.high, other.address.low, other.port)
  }
}
