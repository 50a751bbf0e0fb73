import ByteParsing
import SeededRandom
import Testing

@testable import HTTPParsing

/// The bytes of text.
func bytes(_ text: String) -> Bytes { Bytes(text.utf8) }

/// Spans do not go through the macros of the testing library; text and bytes do.
func recognized(
  _ text: String, _ recognizer: (Span<UInt8>) -> HTTPRecognition
) -> HTTPRecognition {
  recognizer(bytes(text).span)
}

extension RequestHead {
  init(_ text: String) throws { self = try RequestHead(parsing: bytes(text).span) }
}

extension ResponseHead {
  init(_ text: String) throws { self = try ResponseHead(parsing: bytes(text).span) }
}

/// Hands the parser random bytes and changed bytes of a valid input: it must come back each time.
func torment(_ valid: Bytes, rounds: Int = 20_000, seed: UInt64 = 1, _ parser: (Span<UInt8>) throws -> Void) {
  var random = SeededGenerator(seed: seed)
  let marks: Bytes = [0x0D, 0x0A, 0x20, 0x3A, 0x2C, 0x00, 0xFF, 0x2F, 0x39]
  for round in 0..<rounds {
    var input = valid
    switch round % 3 {
    case 0:
      input = Bytes(
        (0..<Int.random(in: 0...200, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
    case 1:
      for _ in 0..<3 {
        guard let index = input.indices.randomElement(using: &random) else { continue }
        input[index] = marks.randomElement(using: &random) ?? 0
      }
    default:
      guard let index = input.indices.randomElement(using: &random) else { continue }
      input[index] = UInt8.random(in: 0...255, using: &random)
      input.removeLast(Int.random(in: 0..<input.count, using: &random))
    }
    do { try parser(input.span) } catch {}
  }
}
