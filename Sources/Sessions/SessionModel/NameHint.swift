/// A name that the capture associates with a server's address. It is a hint, and never an input of the policy.
public struct NameHint: Hashable, Sendable {
  /// The source of the name.
  public enum Source: String, Hashable, Sendable {
    /// A DNS response.
    case dns
    /// A Name Resolution Block (pcapng).
    case nameResolutionBlock
  }

  /// The host name.
  public package(set) var name: String

  /// The source of the name.
  public package(set) var source: Source

  /// The packet that contains it; nil if it is not from a packet.
  public package(set) var frame: UInt64?

  package init(name: String, source: Source, frame: UInt64?) {
    self.name = name
    self.source = source
    self.frame = frame
  }
}
