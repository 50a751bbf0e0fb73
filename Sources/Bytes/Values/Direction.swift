/// The direction in which bytes of a connection travel.
///
/// The client is the endpoint that sends the SYN, the ClientHello or the request. Until one of these is observed, the endpoints are
/// distinguished by their order: the lower one has the smaller address, or the smaller port at the same address.
@frozen
@usableFromInline package enum Direction: Hashable, Sendable, CaseIterable {
  case fromLower

  case fromUpper

  /// Both directions, `fromLower` first.
  @usableFromInline package static let allCases: [Direction] = [.fromLower, .fromUpper]

  @inlinable
  package var opposite: Direction { self == .fromLower ? .fromUpper : .fromLower }

  /// The opposite direction if a condition is true.
  @inlinable
  package func reversed(if isReversed: Bool) -> Direction { isReversed ? opposite : self }
}

/// A value for each direction of a connection.
@frozen
@usableFromInline package struct BothDirections<Value: ~Copyable>: ~Copyable {
  /// The value of the bytes that the lower endpoint sends.
  @usableFromInline package var fromLower: Value

  /// The value of the bytes that the upper endpoint sends.
  @usableFromInline package var fromUpper: Value

  @inlinable
  package init(fromLower: consuming Value, fromUpper: consuming Value) {
    self.fromLower = fromLower
    self.fromUpper = fromUpper
  }

  /// The value of one direction, modified in place. What only reads it uses `reading`: an accessor with two yields is never inlined, so
  /// that each access copied both values and allocated (a sixth of the instructions of a session).
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

  /// What `read` returns for the value of one direction, which is not copied.
  @inlinable
  @inline(__always)
  package func reading<Result: ~Copyable>(_ direction: Direction, _ read: (borrowing Value) -> Result) -> Result {
    if direction == .fromLower { read(fromLower) } else { read(fromUpper) }
  }
}

extension BothDirections {
  @inlinable
  package subscript(direction: Direction) -> Value {
    @inline(__always)
    get { direction == .fromLower ? fromLower : fromUpper }
    // An assignment to a local variable by `_modify` was lost when all modules were optimized together (Swift 6.3).
    @inline(__always)
    set { if direction == .fromLower { fromLower = newValue } else { fromUpper = newValue } }
    @inline(__always)
    _modify {
      if direction == .fromLower { yield &fromLower } else { yield &fromUpper }
    }
  }

  /// Creates a pair with the same value for both directions.
  @inlinable
  package init(_ both: Value) { self.init(fromLower: both, fromUpper: both) }
}

extension BothDirections: Copyable where Value: Copyable {}
extension BothDirections: Sendable where Value: Sendable, Value: ~Copyable {}
extension BothDirections: Equatable where Value: Equatable {}
