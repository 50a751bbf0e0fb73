import CaptureFormats
package import Values

/// What decides whether captures can be parts of one: their interfaces and the time they cover.
package struct CaptureExtent: Sendable {
  /// The interfaces in words, each with its link type.
  let interfaces: Set<String>

  let first: Timestamp
  let last: Timestamp

  /// The time of the packet that comes first in the file, which orders the parts of a series.
  let start: Timestamp

  /// Seconds that may pass without a packet between two parts: programs begin a part with the packet that comes next.
  static let maximumGap: Int64 = 60

  package init(interfaces: [String], first: Timestamp, last: Timestamp) {
    self.interfaces = Set(interfaces)
    (self.first, self.last, start) = (first, last, first)
  }

  /// Reads through a capture, as far as it can be read; nil if it has no packets, or some without a time.
  init?(_ file: InputFile, _ opener: InputOpener) {
    guard let opened = try? opener.open(file), case .capture = opened.kind,
      var reader = try? CaptureReader(opened.source)
    else { return nil }
    var extent: (start: Timestamp, first: Timestamp, last: Timestamp)?
    // A truncated part counts up to its last packet.
    while let record = try? reader.next() {
      guard record.hasTimestamp else { return nil }
      let time = record.timestamp
      if let known = extent {
        if time < known.first { extent?.first = time }
        if known.last < time { extent?.last = time }
      } else {
        extent = (time, time, time)
      }
    }
    guard let extent else { return nil }
    (start, first, last) = extent
    interfaces = Set(
      reader.metadata.interfaces.map {
        "\(reader.metadata.format.rawValue) \($0.linkType.rawValue) \($0.snapshotLength) \($0.name ?? "")"
      })
  }

  /// Whether another capture may be the part that comes next.
  func mayPrecede(_ next: CaptureExtent) -> Bool {
    guard interfaces == next.interfaces, last <= next.first else { return false }
    let (gap, overflow) = next.first.seconds.subtractingReportingOverflow(last.seconds)
    guard !overflow, gap <= CaptureExtent.maximumGap else { return false }
    return gap < CaptureExtent.maximumGap || next.first.nanoseconds < last.nanoseconds
  }
}
