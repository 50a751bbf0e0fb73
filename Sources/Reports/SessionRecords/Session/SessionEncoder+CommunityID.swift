import ByteParsing
import Crypto
package import SessionModel
import Values

extension SessionEncoder {
  /// The Community ID of a session's flow: version 1, seed 0.
  ///
  /// Both directions have the same ID, so records join with the logs of Zeek and Suricata. QUIC and DTLS are UDP flows.
  /// The specification requires SHA-1; no security depends on its strength.
  package static func communityID(of session: borrowing ObservedSession) -> String {
    var first = session.client
    var second = session.server
    if second.precedes(first) { swap(&first, &second) }
    var flow = Bytes([0, 0])
    flow.reserveCapacity(40)
    flow += first.address.bytes
    flow += second.address.bytes
    flow.append(session.transport == .tcp ? 6 : 17)
    flow.append(0)
    flow.append(big: first.port)
    flow.append(big: second.port)
    return "1:" + Base64.text(of: Bytes(Insecure.SHA1.hash(data: flow)))
  }
}

extension Endpoint {
  /// Whether the endpoint comes first in the order of the specification: by the bytes of the address, then by the port.
  fileprivate func precedes(_ other: Endpoint) -> Bool {
    (address.high, address.low, port) < (other.address.high, other.address.low, other.port)
  }
}
