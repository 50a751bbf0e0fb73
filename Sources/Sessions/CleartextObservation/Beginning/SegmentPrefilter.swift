import ByteParsing
import HTTPParsing

/// A check of the first four payload bytes of a segment, the first in the lowest bits, before anything else reads them.
@usableFromInline package enum SegmentPrefilter {
  /// Whether a protocol, or a TLS record, may begin with these bytes; true for few random ones. It is branch-free, since random bytes make
  /// branches unpredictable.
  @inlinable
  @inline(__always)
  package static func mayBegin(_ beginning: UInt32) -> Bool {
    // Each difference is 0, and therefore negative after subtracting one, if the first bytes are ...
    let record = (beginning & 0xFFFC) ^ 0x0314  // 20 to 23, 3
    let ssl2 = (beginning & 0xFA_0080) ^ 0x80  // 0x80 and more, any, 0, 1, 4 or 5
    let letters = (beginning & 0xE0E0) ^ 0x4040  // roughly letters, twice
    let hyphen = (beginning & 0xFFE0) ^ 0x2D40  // such a letter and a hyphen
    let signs = (record &- 1) | (ssl2 &- 1) | (letters &- 1) | (hyphen &- 1)
    // ... and this bit is set for a line break, or a version of SOCKS.
    let others = (1 << 0x0A | 1 << 0x0D | 1 << 4 | 1 << 5 as UInt64) >> UInt64(beginning & 0xFF)
    return UInt64(signs >> 31) | others & 1 != 0
  }

  /// Whether a message that precedes a change to TLS may begin with these bytes, if it does not begin with letters, which pass
  /// `mayBegin`; true for few random ones.
  @inlinable
  @inline(__always)
  package static func mayPrecedeTLS(_ beginning: UInt32) -> Bool {
    // TPKT, MySQL, `"IMPLEMENTATION"`, `* OK`, `+OK`, LDAP, `220` or `200`, XMPP
    let first =
      (1 << 0x03 | 1 << 0x20 | 1 << 0x22 | 1 << 0x2A | 1 << 0x2B | 1 << 0x30 | 1 << 0x32 | 1 << 0x3C as UInt64) >> UInt64(beginning & 0xFF)
    // Six bits of the second byte: of TPKT and MySQL, a length of LDAP in the long form, `I`, `O`, a length of LDAP, a blank, the second
    // digit, `s`, `?`.
    let second =
      (1 | 1 << 0x04 | 1 << 0x09 | 1 << 0x0F | 1 << 0x1D | 1 << 0x1E | 1 << 0x20 | 1 << 0x30 | 1 << 0x32 | 1 << 0x33
        | 1 << 0x3F as UInt64) &>> UInt64(beginning >> 8)
    // The length of PostgreSQL's SSLRequest.
    let isRequest: UInt64 = beginning == 0x0800_0000 ? 1 : 0
    return (first & second | isRequest) & 1 != 0
  }

  /// Whether a segment begins like a TLS record with application data.
  @inlinable
  @inline(__always)
  package static func isData(_ beginning: UInt32) -> Bool {
    beginning & 0xFFFF == 0x0317 && beginning >> 16 & 0xFF <= 4
  }
}

extension StreamBeginning {
  /// Returns what a segment begins if the connection's start was not captured or its earlier protocol has ended: a hello or an HTTP
  /// request, possibly incomplete; nil for anything else.
  package static func newBeginning(_ segment: Span<UInt8>) -> Kind? {
    guard segment.count < 4 || SegmentPrefilter.mayBegin(segment.raw.little32(0)) else { return nil }
    let kind = kind(of: segment)
    return switch kind {
    case .hello, .ssl2Hello, .httpRequest, .http2Preface, .proxyHeader: kind
    // A record with a hello that is split after a few bytes, or a request line longer than a segment: later bytes decide.
    case .undecided:
      (1..<6).contains(segment.count) && segment[0] == 22 || HTTPRecognition.isBegunRequest(segment) ? kind : nil
    case .alert, .response, .foreign: nil
    }
  }
}
