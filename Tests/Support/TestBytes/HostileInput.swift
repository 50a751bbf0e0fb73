package import ByteParsing
import SeededRandom

/// Runs a parser on random bytes, on changed copies of a valid input, and on prefixes of those; it must return each time. `marks` are
/// bytes with a meaning in the format. Returns the number of inputs that the parser accepted.
@discardableResult
package func torment(
  _ valid: Bytes, rounds: Int = 20_000, seed: UInt64 = 1, marks: Bytes = [0x00, 0x01, 0x7F, 0x80, 0xFF],
  _ parser: (Span<UInt8>) throws -> Void
) -> Int {
  var random = SeededGenerator(seed: seed)
  var accepted = 0
  for round in 0..<rounds {
    var input = valid
    switch round % 4 {
    case 0:
      input = Bytes()
      for _ in 0..<random.below(300) { input.append(random.byte()) }
    case 1:
      input[random.below(input.count)] ^= 1 << UInt8(random.below(8))
    case 2:
      for _ in 0..<4 { input[random.below(input.count)] = marks[random.below(marks.count)] }
    default:
      input[random.below(input.count)] = random.byte()
      input.removeLast(random.below(input.count))
    }
    do {
      try parser(input.span)
      accepted += 1
    } catch {}
  }
  return accepted
}
