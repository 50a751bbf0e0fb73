import ByteParsing
import QUICParsing

/// Parses the header of a packet. The span of a global cannot be used within a throwing expression.
func header(of packet: Bytes, from start: Int = 0) throws -> LongHeader {
  try LongHeader(parsing: packet.span, from: start)
}
