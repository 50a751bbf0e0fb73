/// A filter expression cannot be used.
public struct FilterError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Why, as a clause.
  public let description: String

  init(_ description: String) { self.description = description }
}
