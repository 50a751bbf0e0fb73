import ByteParsing

/// An index of a CRL by serial number, so that a list of many megabytes is scanned once and not for every certificate.
///
/// Serial numbers are indexed by their last bytes; those that end alike are compared in the list.
package struct SerialIndex: Sendable {
  /// The ends of serial numbers in ascending order, and the offsets of their entries in the same order.
  private var ends: [UInt64] = []
  private var offsets: [UInt32] = []

  /// Sorts the entries of a list; equal ends keep the order of the list.
  init(_ entries: [(end: UInt64, offset: UInt32)]) {
    let sorted = entries.sorted { ($0.end, $0.offset) < ($1.end, $1.offset) }
    ends = sorted.map(\.end)
    offsets = sorted.map(\.offset)
  }

  /// The offsets of the entries that may have this serial number, in the order of the list.
  func candidates(for serial: Span<UInt8>) -> ArraySlice<UInt32> {
    let wanted = SerialIndex.end(of: serial)
    let first = ends.partitioningIndex { $0 >= wanted }
    return offsets[first..<ends[first...].partitioningIndex { $0 > wanted }]
  }

  /// The last eight bytes of a serial number.
  static func end(of serial: Span<UInt8>) -> UInt64 {
    var end: UInt64 = 0
    for index in max(0, serial.count - 8)..<serial.count { end = end << 8 | UInt64(serial[index]) }
    return end
  }
}
