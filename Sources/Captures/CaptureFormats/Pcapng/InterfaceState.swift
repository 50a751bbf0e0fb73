/// The properties of an interface that its packets need.
struct InterfaceState {
  var traits: PacketTraits
  var snapshotLength: UInt32
  var timestampUnit: TimestampUnit
  var timestampOffset: Int64

  init(_ interface: CaptureInterface, byteOrder: ByteOrder) {
    traits = PacketTraits(linkType: interface.linkType, fcsLength: interface.fcsLength ?? 0, byteOrder: byteOrder)
    snapshotLength = interface.snapshotLength
    timestampUnit = interface.timestampUnit
    timestampOffset = interface.timestampOffset
  }
}
