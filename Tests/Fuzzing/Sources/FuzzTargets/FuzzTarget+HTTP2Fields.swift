import ByteParsing
import HTTPParsing
import PacketExtraction

extension FuzzTarget {
  /// Any field blocks either decode or throw, within the limits; a neutralized block decodes to fields of the same sizes.
  static let http2Fields = FuzzTarget("HTTP2Fields") { bytes in
    var decoder = FieldDecoder()
    var neutralDecoder = FieldDecoder()
    let half = bytes.count / 2
    for range in [0..<half, half..<bytes.count] {
      let block = bytes.extracting(range)
      var prefix = decoder
      guard let fields = try? decoder.decode(block) else {
        _ = prefix.decode(prefix: block)
        return
      }
      _ = try? RequestHead(fields)
      _ = ResponseHead(fields)
      let neutral = FieldDecoder.neutralized(Bytes(copying: block), fields)
      precondition(neutral.count == block.count)
      let others = try? neutralDecoder.decode(neutral.span)
      precondition(
        others?.map { [$0.name.count, $0.value.count] } == fields.map { [$0.name.count, $0.value.count] })
      precondition(decoder.tableSize == neutralDecoder.tableSize && decoder.tableSize <= 65_536)
    }
    var reader = ByteReader(bytes)
    if let header = try? FrameHeader(parsing: &reader), let range = try? header.fragmentRange(of: reader.rest) {
      precondition(range.upperBound <= reader.remaining)
    }
  }
}
