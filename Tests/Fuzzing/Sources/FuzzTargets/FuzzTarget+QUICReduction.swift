import ByteParsing
import QUICParsing

extension FuzzTarget {
  /// Of any datagram an extract keeps bytes as they are or as zeros, and what is taken out once needs no taking out again. The first
  /// byte says how long the ends' names are, which follow it; the next two how much the snapshot length cut off.
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
