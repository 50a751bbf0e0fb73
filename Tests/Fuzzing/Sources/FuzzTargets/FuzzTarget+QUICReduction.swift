import ByteParsing
import PacketExtraction
import QUICParsing

extension FuzzTarget {
  /// Reduction of any datagram keeps or zeroes each byte, and reducing the result again changes nothing. The first byte contains the
  /// lengths of the two connection IDs, the next two the number of bytes truncated by the snapshot length; then the connection IDs.
  static let quicReduction = FuzzTarget("QUICReduction") { input in
    var reader = ByteReader(input)
    guard let lengths = try? reader.readUInt8("lengths"), let cut = try? reader.readUInt16("cut"),
      let client = try? reader.readBody(byteCount: Int(lengths & 0x0F), "client"),
      let server = try? reader.readBody(byteCount: Int(lengths >> 4), "server")
    else { return }
    let reduction = QUICReduction(connectionIDs: [ConnectionID(client.rest), ConnectionID(server.rest)])
    let datagram = Bytes(copying: reader.rest)
    let length = datagram.count + Int(cut)
    let reduced = reduction.reduced(datagram, lengthOnWire: length)
    precondition(reduced.count == datagram.count)
    for index in reduced.indices { precondition(reduced[index] == datagram[index] || reduced[index] == 0) }
    precondition(reduction.reduced(reduced, lengthOnWire: length) == reduced)
  }
}
