import ByteParsing
import CleartextObservation
import HTTPParsing

/// A check of the first four payload bytes of a segment, the first in the lowest bits, before anything else reads them.
enum SegmentPrefilter {
  /// Whether a protocol may begin with these bytes, or a record of TLS: true for few random ones. It has no branches, since random bytes
  /// cannot be predicted.
  @inline(__always)
  static func mayBegin(_ beginning: UInt32) -> Bool {
    // Each difference is 0, and with one subtracted negative, where the first bytes are ...
    let record = (beginning & 0xFFFC) ^ 0x0314  // 20 to 23, 3
    let ssl2 = (beginning & 0xFA_0080) ^ 0x80  // 0x80 and more, any, 0, 1, 4 or 5
    let letters = (beginning & 0xE0E0) ^ 0x4040  // about the letters, twice
    let hyphen = (beginning & 0xFFE0) ^ 0x2D40  // such a letter and a hyphen
    let signs = (record &- 1) | (ssl2 &- 1) | (letters &- 1) | (hyphen &- 1)
    // ... and this bit is set: a line break, or a version of SOCKS
    let others = (1 << 0x0A | 1 << 0x0D | 1 << 4 | 1 << 5 as UInt64) >> UInt64(beginning & 0xFF)
    return UInt64(signs >> 31) | others & 1 != 0
  }

  /// Whether a segment begins like a record of TLS with application data.
  @inline(__always)
  static func isData(_ beginning: UInt32) -> Bool {
    beginning & 0xFFFF == 0x0317 && beginning >> 16 & 0xFF <= 4
  }
}

extension StreamBeginning {
  /// What begins with a segment of a connection whose start was not observed, or that carried something else before: a hello, or a request
  /// of HTTP, of which a part may suffice; nil for anything else.
  static func newBeginning(_ segment: Span<UInt8>) -> Kind? {
    guard segment.count < 4 || SegmentPrefilter.mayBegin(segment.raw.little32(0)) else { return nil }
    let kind = kind(of: segment)
    return switch kind {
    case .hello, .ssl2Hello, .httpRequest, .http2Preface, .proxyHeader: kind
    // The first bytes of a record with a hello, split small, or a request line that is longer than a segment: later bytes decide.
    case .undecided:
      (1..<6).contains(segment.count) && segment[0] == 22 || HTTPRecognition.isBegunRequest(segment) ? kind : nil
    case .alert, .httpResponse, .foreign: nil
    }
  }
}
