/// The input broke a rule of its format: what, in which field, and where.
@usableFromInline package struct ParseError: Error, Hashable, Sendable {
  /// What was wrong, with the counts as numbers.
  @usableFromInline package enum Reason: Hashable, Sendable {
    /// The field needs more bytes than its surroundings hold. Both in bytes.
    case truncated(needed: Int, available: Int)

    /// The length is outside what the specification allows. In bytes.
    case lengthOutOfBounds(Int, allowed: ClosedRange<Int>)

    /// The value is none that the field may hold.
    case unexpectedValue(UInt64)

    /// Bytes follow the end of the structure.
    case trailingBytes(Int)

    /// A limit of ours was reached (how many items, how deep).
    case limitReached(Int)
  }

  @usableFromInline package var reason: Reason

  /// The field, by the name that its specification gives it.
  @usableFromInline package var field: StaticString

  /// Where, in bytes from the start of the outermost input.
  @usableFromInline package var offset: Int

  /// Creates an error about `field` at `offset`.
  @inlinable
  package init(_ reason: Reason, in field: StaticString, at offset: Int) {
    self.reason = reason
    self.field = field
    self.offset = offset
  }

  /// Field names compare by their text.
  @usableFromInline package static func == (a: ParseError, b: ParseError) -> Bool {
    a.reason == b.reason && a.offset == b.offset && a.field.description == b.field.description
  }

  /// Hashes what `==` compares.
  @usableFromInline package func hash(into hasher: inout Hasher) {
    hasher.combine(reason)
    hasher.combine(offset)
  }
}

extension ParseError: CustomStringConvertible {
  /// One line for people, such as `session_id at byte 38: 12 bytes needed, 3 there`.
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
