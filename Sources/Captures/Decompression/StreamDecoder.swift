package import ByteParsing

/// Decodes one compression format step by step.
package protocol StreamDecoder: AnyObject {
  /// Decodes the `packed` range of `input` into `room`, from index `first` on, which must be in bounds. The rest of either is for the next
  /// step. Without packed bytes, it returns buffered output.
  func decode(_ input: Bytes, _ packed: Range<Int>, into room: inout Bytes, from first: Int) -> DecodingStep

  /// Whether a member may begin with this byte.
  func canBegin(with byte: UInt8) -> Bool

  /// Begins the next member.
  func begin()
}

package struct DecodingStep {
  /// The state after a step.
  package enum State: Equatable {
    /// More may follow.
    case goesOn
    /// The member is complete and its checksum valid.
    case memberEnded
    /// Decoding failed with the library's message.
    case failed(String)
    /// Intact data requires more memory than is allowed; what it requires, such as `a window of more than 128 MiB`.
    case exceedsMemory(String)
  }

  /// The number of packed bytes used.
  package var consumed = 0

  /// The number of bytes unpacked.
  package var produced = 0

  /// The state after the step.
  package var state = State.goesOn
}
