import ByteParsing
import HandshakeDecryption
import QUICObservation
import Values

extension FuzzTarget {
  /// Any datagrams are tracked within the limits. Two bytes before each contain its length and direction.
  static let quicDatagrams = FuzzTarget("QUICDatagrams") { input in
    var connection = QUICConnection()
    let secrets = SecretStore()
    var reader = ByteReader(input)
    var frame: UInt64 = 0
    while let head = try? reader.readUInt16("length"),
      let body = try? reader.readBody(byteCount: min(Int(head & 0x7FFF), reader.remaining), "datagram")
    {
      frame += 1
      let direction: Direction = head & 0x8000 != 0 ? .fromLower : .fromUpper
      _ = connection.receive(body.rest, in: direction, frame: frame, secrets: secrets)
      _ = connection.receiveShort(body.rest, in: direction.opposite, frame: frame)
    }
    connection.endReading()
    precondition(connection.heldBytes <= 24 * 1024)
    _ = connection.takeEvents()
  }
}
