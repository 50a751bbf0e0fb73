/// A value in a box that its copies share: a copy costs one reference, and a change does not affect the other copies.
///
/// The properties of the value are those of the box, so that `session.sharedTLS?.outcome` reads the outcome of a `Shared<TLSFacts>`.
@dynamicMemberLookup
@usableFromInline package struct Shared<Value: Sendable>: Sendable {
  @usableFromInline final class Object: Sendable {
    @usableFromInline let value: Value

    @inlinable
    init(_ value: consuming Value) { self.value = value }
  }

  @usableFromInline var object: Object

  /// Moves a value into a new box.
  @inlinable
  package init(_ value: consuming Value) { object = Object(value) }

  /// The value itself, for functions that need all of it.
  @inlinable
  package var value: Value { object.value }

  /// The identity of the box: equal for its copies, and unique as long as one of them exists.
  @inlinable
  package var identity: ObjectIdentifier { ObjectIdentifier(object) }

  /// Accesses a property of the value.
  @inlinable
  package subscript<Member>(dynamicMember path: KeyPath<Value, Member>) -> Member {
    object.value[keyPath: path]
  }

  /// Accesses a property of the value; setting it replaces the box.
  @inlinable
  package subscript<Member>(dynamicMember path: WritableKeyPath<Value, Member>) -> Member {
    get { object.value[keyPath: path] }
    set {
      var changed = object.value
      changed[keyPath: path] = newValue
      object = Object(changed)
    }
  }
}

extension Shared: Equatable where Value: Equatable {
  /// Returns whether both values are equal.
  @inlinable
  package static func == (a: Shared, b: Shared) -> Bool { a.object === b.object || a.object.value == b.object.value }
}

extension Shared: Hashable where Value: Hashable {
  @inlinable
  package func hash(into hasher: inout Hasher) { object.value.hash(into: &hasher) }
}
