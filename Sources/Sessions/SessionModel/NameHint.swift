/// A name that the capture gives to a server's address; a hint, and never an input of the policy.
public struct NameHint: Hashable, Sendable {
  /// What gave the name.
  public enum Source: String, Hashable, Sendable {
    /// A DNS response.
    case dns
    /// A Name Resolution Block of pcapng.
    case nameResolutionBlock
  }

  /// The name.
  public package(set) var name: String

  /// What gave it.
  public package(set) var source: Source

  /// The packet that carries it; nil where no packet does.
  public package(set) var frame: UInt64?

  /// Creates a hint.
  package init(name: String, source: Source, frame: UInt64?) {
    self.name = name
    self.source = source
    self.frame = frame
  }
}
