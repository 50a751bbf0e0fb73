import ByteParsing

extension ForeignProtocol {
  /// The protocol of a segment that consists of whole messages which precede a change to TLS; nil for any other segment. The check is
  /// strict because any segment of a connection that began before the capture may be tested.
  @inline(never)
  package init?(messages segment: Span<UInt8>) {
    guard (ForeignProtocol.minimumByteCount...ForeignProtocol.maximumByteCount).contains(segment.count) else { return nil }
    let beginning = segment.raw.little32(0)
    guard SegmentPrefilter.mayBegin(beginning) || SegmentPrefilter.mayPrecedeTLS(beginning) else { return nil }
    let start = BeginningText(segment)
    if ForeignProtocol.isText(segment) {
      let isStartTLS = start.begins("<starttls ") && start.contains("urn:ietf:params:xml:ns:xmpp-tls")
      guard let known = isStartTLS ? .xmpp : ForeignProtocol(beginningWith: segment), known.isText else { return nil }
      // XML may be anything. A stream header names its namespace (RFC 6120 §4.8).
      if known == .xmpp, !isStartTLS, !start.contains("jabber:client"), !start.contains("jabber:server") { return nil }
      self = known
    } else {
      // Text and random bytes need no closer look.
      guard segment[0] < 0x20 || segment[1] < 0x20 || segment[1] >= 0x80,
        let known = ForeignProtocol(beginningWith: segment)
      else { return nil }
      let isWhole =
        switch known {
        case .postgresql: segment.count == 8
        case .mysql: Int(segment[0]) | Int(segment[1]) << 8 | Int(segment[2]) << 16 == segment.count - 4
        // The request for TLS (RFC 4511 §4.14.1).
        case .ldap: start.contains("1.3.6.1.4.1.1466.20037")
        case .rdp: Int(segment.raw.big16(2)) == segment.count
        default: false
        }
      guard isWhole else { return nil }
      self = known
    }
  }

  /// The length of the shortest message: PostgreSQL's SSLRequest, or `STLS` and a line break.
  private static let minimumByteCount = 6

  /// The maximum length of greetings and commands.
  private static let maximumByteCount = 1024

  /// Whether bytes are whole lines of text, or end with a tag.
  private static func isText(_ bytes: Span<UInt8>) -> Bool {
    let last = bytes[bytes.count - 1]
    guard last == 0x0A || last == UInt8(ascii: ">") else { return false }
    return bytes.indices.allSatisfy { StreamBeginning.isOfText(bytes[$0]) }
  }
}
