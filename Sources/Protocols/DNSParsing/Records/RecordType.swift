/// The type of a resource record (IANA "Resource Record (RR) TYPEs"); only types that are decoded have members.
package struct RecordType: RawRepresentable, Hashable, Sendable {
  package var rawValue: UInt16

  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// `A`, an IPv4 address (RFC 1035 §3.4.1).
  package static let a = RecordType(rawValue: 1)
  /// `CNAME`, an alias (RFC 1035 §3.3.1).
  package static let cname = RecordType(rawValue: 5)
  /// `AAAA`, an IPv6 address (RFC 3596 §2.1).
  package static let aaaa = RecordType(rawValue: 28)
  /// `SVCB`, the endpoint and parameters of a service (RFC 9460 §2).
  package static let svcb = RecordType(rawValue: 64)
  /// `HTTPS`, the same for the `https` scheme (RFC 9460 §9).
  package static let https = RecordType(rawValue: 65)
}
