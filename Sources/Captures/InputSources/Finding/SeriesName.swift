import ByteParsing

/// A file's name with its digits taken out: rotated captures differ in nothing else.
struct SeriesName: Hashable {
  /// Everything in front of the file's own name, `!` of an archive included.
  let folder: Bytes

  /// The name with a zero byte, which no name holds, in place of each row of digits.
  let pattern: Bytes

  init(_ file: InputFile) {
    let path = SeriesName.path(of: file)
    let start = path.lastIndex { $0 == UInt8(ascii: "/") }.map { $0 + 1 } ?? 0
    let name = path[start...]
    folder = Bytes(path[..<start])
    var pattern = Bytes()
    for byte in name {
      if byte >= 0x30, byte <= 0x39 {
        if pattern.last != 0 { pattern.append(0) }
      } else {
        pattern.append(byte)
      }
    }
    self.pattern = pattern
  }

  /// The same name without any digits, as the first part of a series may have it (`trace.pcap`, `trace.pcap1`, …).
  var withoutDigits: SeriesName { SeriesName(folder: folder, pattern: Bytes(pattern.filter { $0 != 0 })) }

  /// Whether the name has digits.
  var hasDigits: Bool { pattern.contains(0) }

  private init(folder: Bytes, pattern: Bytes) {
    self.folder = folder
    self.pattern = pattern
  }

  private static func path(of file: InputFile) -> Bytes {
    switch file.location {
    case .standardInput: []
    case .named(let path), .found(let path): path.bytes
    // A name in an archive may have no folder: the archive is one.
    case .member(let archive, _):
      path(of: archive) + Bytes("!/".utf8)
        + Bytes(file.displayName.utf8.dropFirst(archive.displayName.utf8.count + 1))
    }
  }
}
