import ByteParsing

/// The format or encoding that the first bytes of a non-binary file show.
enum XMLEncoding: Hashable {
  /// XML in the encoding that its first bytes show; nil if the XML declaration decides.
  case found(String?)
  /// Only white space.
  case empty
  /// An ASCII property list, or JSON.
  case oldStyle
  case other

  init(of bytes: Bytes) {
    let start = Array(bytes.prefix(4))
    if start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]) {
      // In UTF-16, each ASCII character has a zero byte too.
      let first = bytes.dropFirst(2).first { $0 != 0 && !isWSPOrLineEnd($0) }
      self = first.map(XMLEncoding.isOldStyle) == true ? .oldStyle : .found("UTF-16")
    } else if start.starts(with: [0x3C, 0x00]) {
      self = .found("UTF-16LE")
    } else if start.starts(with: [0x00, 0x3C]) {
      self = .found("UTF-16BE")
    } else {
      let hasMark = start.starts(with: [0xEF, 0xBB, 0xBF])
      let first = bytes.dropFirst(hasMark ? 3 : 0).first { !isWSPOrLineEnd($0) }
      guard let first else {
        self = .empty
        return
      }
      switch first {
      case UInt8(ascii: "<"): self = .found(hasMark ? "UTF-8" : nil)
      case _ where XMLEncoding.isOldStyle(first): self = .oldStyle
      default: self = .other
      }
    }
  }

  /// Whether an ASCII property list or JSON can begin with a character: a dictionary, an array, a quoted string, a comment, or a bare word.
  private static func isOldStyle(_ first: UInt8) -> Bool {
    switch first {
    case UInt8(ascii: "{"), UInt8(ascii: "("), UInt8(ascii: "\""), UInt8(ascii: "/"), UInt8(ascii: "["), 0x41...0x5A, 0x61...0x7A: true
    default: false
    }
  }
}
