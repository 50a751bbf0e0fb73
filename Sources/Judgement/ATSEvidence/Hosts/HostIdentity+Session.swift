import ByteParsing
package import PolicyResolution
import SessionModel
package import Values

extension HostIdentity {
  /// The identity that the client of a session expects of its peer (policy text A.3).
  package init(_ session: SessionEvidence) {
    if session.serverNameSource == .address {
      self = .address(session.hostAddress)
    } else if let name = session.serverName, !name.isEmpty {
      self = HostIdentity.isLowercaseName(name) ? .name(name) : HostIdentity(name)
    } else {
      self = .unknown
    }
  }

  /// Whether the capture does not show the host, because what names it is not visible, or because nothing names it.
  package static func isHidden(in session: SessionEvidence) -> Bool { session.serverName?.isEmpty ?? true }

  /// Whether requests were read, and none of them names a host that can be read.
  package static func isUnnamed(in session: SessionEvidence) -> Bool {
    isHidden(in: session) && session.application == .http && session.evidence.clientHello == .complete
      && !session.evidence.isContested(.clientHello) && !isCompressed(in: session)
  }

  /// Whether the requests name their hosts in compressed headers that could not be decoded, as in cleartext HTTP/2.
  package static func isCompressed(in session: SessionEvidence) -> Bool {
    session.application == .http && session.evidence.contains(.http2HeadersNotRead)
  }

  /// Whether a text is already normalized, as most names are: lowercase letters, digits, hyphens and dots, with a letter at the end.
  private static func isLowercaseName(_ text: String) -> Bool {
    guard let last = text.utf8.last, (0x61...0x7A).contains(last) else { return false }
    return text.utf8.allSatisfy {
      isLowercaseAlphanumeric($0) || $0 == 0x2D || $0 == 0x2E
    }
  }

  /// The name; nil if the host is an address or unknown.
  package var name: String? {
    if case .name(let name) = self { name } else { nil }
  }

  /// The IPv4 address of which NAT64 makes this one, for a host that is identified by such an address (RFC 6052 §2.1). The URL may have
  /// either.
  package var translatedAddress: IPAddress? {
    guard let address, address.isIPv6, address.high == 0x0064_FF9B_0000_0000 else { return nil }
    return UInt32(exactly: address.low).map(IPAddress.init(v4:))
  }

  /// The address, if the host is identified by one.
  package var address: IPAddress? {
    if case .address(let address, _) = self { address } else { nil }
  }
}
