import ByteParsing
import QUICParsing
import SeededRandom

/// Bytes from hexadecimal digits; blanks and line ends are ignored.
func hex(_ text: String) -> Bytes {
  let digits = text.compactMap(\.hexDigitValue)
  var bytes = Bytes()
  for index in stride(from: 0, to: digits.count - 1, by: 2) {
    bytes.append(UInt8(digits[index] << 4 | digits[index + 1]))
  }
  return bytes
}

/// Hands the parser random bytes and changed or cut copies of a valid input: it must come back each time.
func torment(_ valid: Bytes, seed: UInt64, _ parser: (Span<UInt8>) -> Void) {
  var random = SeededGenerator(seed: seed)
  for round in 0..<20_000 {
    var input = valid
    switch round % 3 {
    case 0:
      let count = Int.random(in: 0...200, using: &random)
      input = Bytes((0..<count).map { _ in .random(in: 0...255, using: &random) })
    case 1:
      input[.random(in: 0..<input.count, using: &random)] ^= 1 << UInt8.random(in: 0...7, using: &random)
    default:
      input[.random(in: 0..<input.count, using: &random)] = .random(in: 0...255, using: &random)
      input.removeLast(.random(in: 0..<input.count, using: &random))
    }
    parser(input.span)
  }
}

/// Reads the header of a packet; spans of globals do not go through throwing expressions.
func header(of packet: Bytes, from start: Int = 0) throws -> LongHeader {
  try LongHeader(parsing: packet.span, from: start)
}
