/// A value in one object that its copies share: a copy costs one reference, and a change to it leaves the others as they are.
///
/// The properties of the value are those of the box, so that `session.tls?.outcome` reads the outcome of a `Shared<TLSFacts>`.
@dynamicMemberLookup
public struct Shared<Value: Sendable>: Sendable {
  @usableFromInline
  final class Object: Sendable {
    @usableFromInline let value: Value

    @inlinable
    init(_ value: consuming Value) { self.value = value }
  }

  @usableFromInline var object: Object

  /// Moves a value into a new box.
  @inlinable
  package init(_ value: consuming Value) { object = Object(value) }

  /// The value itself, for functions that take all of it.
  @inlinable
  public var value: Value { object.value }

  /// Equal for copies of one box, and for no others as long as one of them is kept.
  @inlinable
  public var identity: ObjectIdentifier { ObjectIdentifier(object) }

  /// A property of the value.
  @inlinable
  public subscript<Member>(dynamicMember path: KeyPath<Value, Member>) -> Member {
    object.value[keyPath: path]
  }

  /// A property of the value; to set it replaces the object.
  @inlinable
  public subscript<Member>(dynamicMember path: WritableKeyPath<Value, Member>) -> Member {
    get { object.value[keyPath: path] }
    set {
      var changed = object.value
      changed[keyPath: path] = newValue
      object = Object(changed)
    }
  }
}

extension Shared: Equatable where Value: Equatable {
  /// Boxes are equal when their values are.
  public static func == (a: Shared, b: Shared) -> Bool { a.object === b.object || a.value == b.value }
}

extension Shared: Hashable where Value: Hashable {
  /// Hashes the value.
  public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
