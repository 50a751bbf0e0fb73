/// The direction in which bytes of a connection travel.
///
/// The client is the endpoint that sends the SYN, the ClientHello or the request. Until one of these is observed, the endpoints are
/// distinguished by their order: the lower one has the smaller address, or the smaller port at the same address.
@frozen
@usableFromInline package enum Direction: Hashable, Sendable, CaseIterable {
  case fromLower

  case fromUpper

  /// Both, that from the lower endpoint first.
  @usableFromInline package static let allCases: [Direction] = [.fromLower, .fromUpper]

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
