import ByteParsing
import QUICParsing

extension FuzzTarget {
  /// Any datagram gives packets within its bounds, or an error.
  static let quicPacket = FuzzTarget("QUICPacket") { datagram in
    _ = QUICRecognition(datagram)
    var position = 0
    while position < datagram.count, let header = try? LongHeader(parsing: datagram, from: position) {
      precondition(header.packet.upperBound <= datagram.count && header.packet.upperBound > position)
      precondition(header.payloadStart <= header.packet.upperBound)
      precondition(header.supportedVersions(in: datagram).count <= LongHeader.maximumVersionCount)
      position = header.packet.upperBound
    }
  }
}
