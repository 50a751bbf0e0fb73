package import Values

package struct CaptureInterface: Hashable, Sendable {
  package internal(set) var linkType: LinkType

  /// The maximum number of bytes captured of a packet; 0 means all.
  package internal(set) var snapshotLength: UInt32

  /// The resolution of its clock.
  package internal(set) var timestampUnit = TimestampUnit.microseconds

  /// Seconds to add to its times, which `PacketRecord.timestamp` includes.
  package internal(set) var timestampOffset: Int64 = 0

  /// The length of the frame check sequence at the end of its packets in bytes; nil if unspecified.
  package internal(set) var fcsLength: UInt8?

  /// The system's name for the interface, such as `en0`.
  package internal(set) var name: String?

  /// The operating system of the interface's machine.
  package internal(set) var operatingSystem: String?

  package internal(set) var statistics: InterfaceStatistics?
}

/// Packet counts of an interface since the start of the capture; nil if the file does not contain them.
package struct InterfaceStatistics: Hashable, Sendable {
  /// Packets received (`isb_ifrecv`).
  package internal(set) var received: UInt64?

  /// Packets dropped by the interface (`isb_ifdrop`).
  package internal(set) var droppedByInterface: UInt64?

  /// Packets dropped by the system (`isb_osdrop`).
  package internal(set) var droppedBySystem: UInt64?
}
