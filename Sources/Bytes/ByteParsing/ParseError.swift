/// A violation of an input format: the reason, the field, and the offset.
@usableFromInline package struct ParseError: Error, Hashable, Sendable {
  /// The reason, with counts as numbers.
  @usableFromInline package enum Reason: Hashable, Sendable {
    /// The field extends beyond the enclosing structure. Both values are in bytes.
    case truncated(needed: Int, available: Int)

    /// The length is outside the range that the specification allows, in bytes.
    case lengthOutOfBounds(Int, allowed: ClosedRange<Int>)

    /// The field may not have this value.
    case unexpectedValue(UInt64)

    /// Bytes follow the end of the structure.
    case trailingBytes(Int)

    /// A limit of this program was reached, such as a number of items or a depth.
    case limitReached(Int)
  }

  @usableFromInline package var reason: Reason

  /// The field, with its name in the specification.
  @usableFromInline package var field: StaticString

  /// The offset in bytes from the start of the outermost input.
  @usableFromInline package var offset: Int

  /// Creates an error about `field` at `offset`.
  @inlinable
  package init(_ reason: Reason, in field: StaticString, at offset: Int) {
    self.reason = reason
    self.field = field
    self.offset = offset
  }

  /// Compares field names by their text.
  @usableFromInline package static func == (a: ParseError, b: ParseError) -> Bool {
    a.reason == b.reason && a.offset == b.offset && a.field.description == b.field.description
  }

  @usableFromInline package func hash(into hasher: inout Hasher) {
    hasher.combine(reason)
    hasher.combine(offset)
  }
}

extension ParseError: CustomStringConvertible {
  /// One line of text, such as `session_id at byte 38: 12 bytes needed, 3 available`.
  @usableFromInline package var description: String {
    let what =
      switch reason {
      case .truncated(let needed, let available): "\(needed) bytes needed, \(available) available"
      case .lengthOutOfBounds(let length, let allowed):
        "length \(length) is outside \(allowed.lowerBound)...\(allowed.upperBound)"
      case .unexpectedValue(let value): "unexpected value \(value)"
      case .trailingBytes(let count): "\(count) bytes left over"
      case .limitReached(let limit): "more than \(limit)"
      }
    return "\(field) at byte \(offset): \(what)"
  }
}
