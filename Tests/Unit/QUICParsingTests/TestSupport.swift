import ByteParsing
import QUICParsing

/// Reads the header of a packet; spans of globals do not go through throwing expressions.
func header(of packet: Bytes, from start: Int = 0) throws -> LongHeader {
  try LongHeader(parsing: packet.span, from: start)
}
