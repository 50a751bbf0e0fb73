import CaptureFormats
package import Values

/// The properties that decide whether captures can be parts of one: their interfaces and time range.
package struct CaptureExtent: Sendable {
  /// The interfaces as text, each with its link type.
  let interfaces: Set<String>

  let first: Timestamp
  let last: Timestamp

  /// The time of the first packet in the file, which determines the order in a series.
  let start: Timestamp

  /// Whether the capture has no packets.
  private(set) var isEmpty = false

  /// The maximum number of seconds without a packet between two parts: programs begin a part with the next packet.
  static let maximumGap: Int64 = 60

  /// The maximum number of seconds by which a part may begin before the previous one ends: packets of several queues of an interface are
  /// recorded slightly out of order.
  static let maximumOverlap: Int64 = 1

  package init(interfaces: [String], first: Timestamp, last: Timestamp) {
    self.interfaces = Set(interfaces)
    (self.first, self.last, start) = (first, last, first)
  }

  /// The extent of a capture without packets; dumpcap begins a part when its time has come, whether packets arrive or not.
  package static let empty: CaptureExtent = {
    var extent = CaptureExtent(interfaces: [], first: Timestamp(seconds: 0), last: Timestamp(seconds: 0))
    extent.isEmpty = true
    return extent
  }()

  /// Reads a capture as far as possible; nil if it is damaged before the first packet, or has packets without a time.
  init?(_ file: InputFile, _ opener: InputOpener) {
    guard let opened = try? opener.open(file), case .capture = opened.kind,
      var reader = try? CaptureReader(opened.source)
    else { return nil }
    var extent: (start: Timestamp, first: Timestamp, last: Timestamp)?
    do throws(CaptureError) {
      while let record = try reader.next() {
        guard record.hasTimestamp else { return nil }
        let time = record.timestamp
        if let known = extent {
          if time < known.first { extent?.first = time }
          if known.last < time { extent?.last = time }
        } else {
          extent = (time, time, time)
        }
      }
    } catch {
      // A truncated part counts up to its last packet.
      if extent == nil { return nil }
    }
    guard let extent else {
      self = .empty
      return
    }
    (start, first, last) = extent
    interfaces = Set(
      reader.metadata.interfaces.map {
        "\(reader.metadata.format.rawValue) \($0.linkType.rawValue) \($0.snapshotLength) \($0.name ?? "")"
      })
  }

  /// Whether another capture may be the next part.
  func mayPrecede(_ next: CaptureExtent) -> Bool {
    // Apple's tcpdump describes an interface of a tap only in parts that have packets of it. What covers the same time is another capture.
    guard !interfaces.isDisjoint(with: next.interfaces), last <= next.first || first < next.first && last < next.last else { return false }
    let (gap, overflow) = next.first.seconds.subtractingReportingOverflow(last.seconds)
    guard !overflow, -CaptureExtent.maximumOverlap...CaptureExtent.maximumGap ~= gap else { return false }
    switch gap {
    case -CaptureExtent.maximumOverlap: return next.first.nanoseconds >= last.nanoseconds
    case CaptureExtent.maximumGap: return next.first.nanoseconds < last.nanoseconds
    default: return true
    }
  }
}
