/// The result of recognizing a structure in the first bytes of a stream.
package enum Recognized<Message> {
  /// The bytes begin with it.
  case yes(Message)
  /// The bytes may be its beginning, but are too few to decide.
  case needMore
  /// The bytes are something else.
  case no
}

extension Recognized: Equatable where Message: Equatable {}
