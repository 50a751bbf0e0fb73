extension HostPattern: ExpressibleByStringLiteral {
  /// Creates a pattern: `*` matches any characters, `?` one; case does not matter.
  public init(stringLiteral text: String) { self.init(text) }
}
