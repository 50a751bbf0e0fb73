import ByteParsing
import PacketParsing
import Reassembly

extension FuzzTarget {
  /// Any fragments are reassembled within the limits. Four bytes describe each: datagram, offset, length and flags, time.
  static let fragments = FuzzTarget("Fragments") { bytes in
    var limits = FragmentLimits()
    limits.datagrams = 4
    limits.heldBytes = 2048
    limits.pieces = 8
    var reassembly = FragmentReassembly(limits: limits)
    var seconds: Int64 = 0
    var position = 0
    while position + 4 <= bytes.count {
      let length = Int(bytes[position + 2] & 0x3F) + 1
      let payload = bytes.extracting(position..<min(position + length, bytes.count))
      var headers = PacketHeaders()
      headers.fragment.identification = UInt32(bytes[position] & 0x07)
      headers.fragment.offset = Int(bytes[position + 1]) * 8
      headers.fragment.isLast = bytes[position + 2] & 0x40 != 0
      headers.payloadLength = payload.count
      headers.payloadLengthOnWire = length
      seconds += Int64(Int8(bitPattern: bytes[position + 3]))
      if let whole = reassembly.add(headers, payload, seconds: bytes[position + 2] & 0x80 != 0 ? seconds : nil) {
        precondition(whole.payload.count <= whole.lengthOnWire)
        precondition(whole.lengthOnWire <= 255 * 8 + 64)
      }
      precondition(reassembly.openDatagrams <= limits.datagrams)
      check(reassembly.takeBroken())
      position += 4
    }
    reassembly.finish()
    check(reassembly.takeBroken())
    precondition(reassembly.openDatagrams == 0)
  }
}

private func check(_ broken: [BrokenDatagram]) {
  for datagram in broken {
    precondition(datagram.start.count <= datagram.startLengthOnWire)
    precondition(datagram.startLengthOnWire <= datagram.knownLength)
    var end = datagram.start.count
    for piece in datagram.rest {
      precondition(piece.start >= end && piece.bytes.count <= piece.lengthOnWire)
      end = piece.start + piece.bytes.count
    }
  }
}
