package import ByteParsing

/// Decodes one form of compression, a step at a time.
package protocol StreamDecoder: AnyObject {
  /// Decodes `packed` bytes of `input` into `room`, from index `first` on, which is inside; what is left of either is for
  /// the next step. Without packed bytes it hands out what it holds.
  func decode(_ input: Bytes, _ packed: Range<Int>, into room: inout Bytes, from first: Int) -> DecodingStep

  /// Whether a member may begin with this byte.
  func canBegin(with byte: UInt8) -> Bool

  /// Begins the next member.
  func begin()
}

package struct DecodingStep {
  /// How it continued.
  package enum State: Equatable {
    /// More may follow.
    case goesOn
    /// The member is whole, its checksum included.
    case memberEnded
    /// The library's words.
    case failed(String)
  }

  /// Packed bytes that were used up.
  package var consumed = 0

  /// Bytes that came out.
  package var produced = 0

  /// How it continued.
  package var state = State.goesOn
}
