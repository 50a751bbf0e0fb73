package import Values

/// The classification of the bytes of one connection, in each direction and in order, for an extract. Each reader adds the bytes that it
/// has finished with.
package final class ByteAccount {
  /// A number of consecutive bytes.
  package enum Run {
    /// The head of a message of HTTP/1.x, including its empty line.
    case head(Int)
    /// The bytes between heads.
    case body(Int)
    /// HTTP/2, from the client's preface on.
    case frames(Int, isRequests: Bool)
    /// HTTP/2 that the capture lacks.
    case missingFrames(Int, isRequests: Bool)
    /// Bytes that no reader interprets.
    case content(Int)
    /// Bytes that identify a user, or a password.
    case secret(Int)
    /// An address that a client requested from a proxy, which is written as text or in binary form.
    case address(Int, isText: Bool)
    /// The first bytes of a protocol; nil if it is unknown.
    case beginning(Int, of: ForeignProtocol?)
    /// The header of the PROXY protocol.
    case proxyHeader(Int)
    /// Later bytes of a protocol, after which it was known as `refined`.
    case continuation(Int, of: ForeignProtocol, refined: ForeignProtocol)
    /// A line of a greeting that precedes a hello.
    case line(Int)
    /// Other bytes that a reader interprets, such as those of a handshake.
    case other(Int)
    /// A request that could not be read.
    case misread

    /// The number of bytes in the run.
    package var count: Int {
      switch self {
      case .head(let count), .body(let count), .frames(let count, _), .missingFrames(let count, _), .content(let count), .secret(let count),
        .address(let count, _), .beginning(let count, _), .proxyHeader(let count), .continuation(let count, _, _), .line(let count),
        .other(let count):
        count
      case .misread: 0
      }
    }

    /// Both runs as one, if they are of the same kind and their boundary means nothing.
    fileprivate func joined(with next: Run) -> Run? {
      switch (self, next) {
      case (.body(let one), .body(let other)): .body(one + other)
      case (.content(let one), .content(let other)): .content(one + other)
      case (.other(let one), .other(let other)): .other(one + other)
      default: nil
      }
    }
  }

  private var runs: BothDirections<[Run]> = BothDirections([])

  /// Whether the bytes being read were added before.
  private var isAdded = false

  package func add(_ runs: [Run], in direction: Direction) { for run in runs { add(run, in: direction) } }

  package func add(_ run: Run, in direction: Direction) {
    if isAdded { return }
    if case .misread = run {} else if run.count == 0 { return }
    if let last = runs[direction].last, let joined = last.joined(with: run) {
      runs[direction][runs[direction].count - 1] = joined
    } else {
      runs[direction].append(run)
    }
  }

  /// Returns the runs of a direction added since the last call.
  package func take(in direction: Direction) -> [Run] {
    defer { runs[direction] = [] }
    return runs[direction]
  }

  /// Sets whether the following bytes were added before.
  package func expectAdded(_ isAdded: Bool) { self.isAdded = isAdded }

  package init() {}
}
