package import Values

package struct CaptureInterface: Hashable, Sendable {
  /// The section that describes it, counted from 0.
  package internal(set) var section: Int

  package internal(set) var linkType: LinkType

  /// The most bytes that were kept of a packet; 0 for all.
  package internal(set) var snapshotLength: UInt32

  /// How often its clock ticks.
  package internal(set) var timestampUnit = TimestampUnit.microseconds

  /// Seconds to be added to its times, which `PacketRecord.timestamp` has done already.
  package internal(set) var timestampOffset: Int64 = 0

  /// Bytes of frame check sequence at the end of its packets; nil if the file does not specify them.
  package internal(set) var fcsLength: UInt8?

  /// The system's name for it, such as `en0`.
  package internal(set) var name: String?

  /// A name for people, such as `Wi-Fi`.
  package internal(set) var description: String?

  /// The system of the machine that it belongs to.
  package internal(set) var operatingSystem: String?

  package internal(set) var hardware: String?
  package internal(set) var comments: [String] = []
  package internal(set) var statistics: InterfaceStatistics?

  init(section: Int, linkType: LinkType, snapshotLength: UInt32) {
    self.section = section
    self.linkType = linkType
    self.snapshotLength = snapshotLength
  }
}

/// Packets that an interface counted since the start of the capture; nil if the file does not have the count.
package struct InterfaceStatistics: Hashable, Sendable {
  /// Packets that came in (`isb_ifrecv`).
  package internal(set) var received: UInt64?

  /// Packets that the interface had no room for (`isb_ifdrop`).
  package internal(set) var droppedByInterface: UInt64?

  /// Packets that the system had no room for (`isb_osdrop`).
  package internal(set) var droppedBySystem: UInt64?

  /// Packets that passed the capture filter (`isb_filteraccept`).
  package internal(set) var acceptedByFilter: UInt64?

  /// Packets handed to the writing program (`isb_usrdeliv`).
  package internal(set) var delivered: UInt64?
}
