/// Which way the bytes of a connection travel.
///
/// Which endpoint is the client shows with its SYN, hello or request, and not before: until then the two are told apart by their order, in
/// which the lower one has the lesser address, or the lesser port at the same address.
@frozen
@usableFromInline package enum Direction: Hashable, Sendable, CaseIterable {
  /// The lower endpoint sends.
  case fromLower

  /// The upper endpoint sends.
  case fromUpper

  /// Both, that from the lower endpoint first.
  @usableFromInline package static let allCases: [Direction] = [.fromLower, .fromUpper]

  /// The other direction.
  @inlinable
  package var opposite: Direction { self == .fromLower ? .fromUpper : .fromLower }

  /// The other direction where a condition holds.
  @inlinable
  package func reversed(if isReversed: Bool) -> Direction { isReversed ? opposite : self }
}

/// A value for each direction of a connection.
@frozen
@usableFromInline package struct BothDirections<Value: ~Copyable>: ~Copyable {
  /// That of what the lower endpoint sends.
  @usableFromInline package var fromLower: Value

  /// That of what the upper endpoint sends.
  @usableFromInline package var fromUpper: Value

  /// Creates a pair of two values.
  @inlinable
  package init(fromLower: consuming Value, fromUpper: consuming Value) {
    self.fromLower = fromLower
    self.fromUpper = fromUpper
  }

  /// The value of one direction, changed where it lies.
  @inlinable
  package subscript(direction: Direction) -> Value {
    @inline(__always)
    _read {
      if direction == .fromLower { yield fromLower } else { yield fromUpper }
    }
    @inline(__always)
    _modify {
      if direction == .fromLower { yield &fromLower } else { yield &fromUpper }
    }
  }
}

extension BothDirections {
  /// Creates a pair of the same value twice.
  @inlinable
  package init(_ both: Value) { self.init(fromLower: both, fromUpper: both) }
}

extension BothDirections: Copyable where Value: Copyable {}
extension BothDirections: Sendable where Value: Sendable, Value: ~Copyable {}
extension BothDirections: Equatable where Value: Equatable {}
