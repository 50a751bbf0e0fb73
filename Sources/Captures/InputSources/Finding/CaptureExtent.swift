import CaptureFormats
import Values

/// What decides whether captures can be parts of one: their link types and the time they cover.
struct CaptureExtent {
  let linkTypes: Set<LinkType>
  let first: Timestamp
  let last: Timestamp

  /// The time of the packet that comes first in the file, which orders the parts of a series.
  let start: Timestamp

  /// Reads through a capture, as far as it can be read; nil if it has no packets, or some without a time.
  init?(_ file: InputFile, _ opener: InputOpener) {
    guard let opened = try? opener.open(file), case .capture = opened.kind,
      var reader = try? CaptureReader(opened.source)
    else { return nil }
    var extent: (start: Timestamp, first: Timestamp, last: Timestamp)?
    // A part that is cut off counts up to there.
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
    linkTypes = Set(reader.metadata.interfaces.map(\.linkType))
  }
}
