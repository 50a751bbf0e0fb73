package import ByteParsing
package import Values

/// What the bytes of one connection turned out to be, in each direction and in their order, for an extract: it omits what no verdict
/// depends on, and all that is not in the account. Every reader adds the bytes that it is done with.
package final class ByteAccount {
  /// Some bytes that follow one another.
  package enum Run: Sendable {
    /// A head of a message, its empty line included.
    case head(Bytes)
    /// Bytes that say where a message ends, or what follows.
    case framing(Int)
    /// Bytes that nothing is read of.
    case content(Int)
    /// Bytes that say who logs in.
    case secret(Int)
    /// An address that a proxy was requested to connect to.
    case address(IPAddress)
    /// The same as text.
    case addressText(IPAddress, Bytes)
    /// Other bytes that are read, such as those of a handshake.
    case other(Int)
    /// Something said in the clear, as it may be shown.
    case replaced(Bytes)
    /// What came last was to be a request and could not be read.
    case misread

    /// How many they are.
    package var count: Int {
      switch self {
      case .head(let bytes), .replaced(let bytes), .addressText(_, let bytes): bytes.count
      case .address(let address): address.isIPv6 ? 16 : 4
      case .misread: 0
      case .framing(let count), .content(let count), .secret(let count), .other(let count): count
      }
    }

    /// How many bytes it keeps.
    package var keptByteCount: Int {
      switch self {
      case .head(let bytes), .replaced(let bytes), .addressText(_, let bytes): bytes.count
      case .framing, .content, .secret, .address, .other, .misread: 0
      }
    }

    /// Both in one, where they are of one kind.
    package func joined(with next: Run) -> Run? {
      switch (self, next) {
      case (.framing(let one), .framing(let other)): .framing(one + other)
      case (.content(let one), .content(let other)): .content(one + other)
      case (.other(let one), .other(let other)): .other(one + other)
      default: nil
      }
    }
  }

  /// The account of one direction, for a reader that knows no other.
  package struct Side {
    fileprivate let account: ByteAccount
    fileprivate let direction: Direction

    func add(_ run: Run) { account.add(run, in: direction) }

    /// Takes a head back, which is read later.
    func removeLast() {
      if !account.isAdded { _ = account.runs[direction].popLast() }
    }
  }

  private var runs: BothDirections<[Run]> = BothDirections([])

  /// Whether what is read now was added before.
  private var isAdded = false

  package func side(_ direction: Direction) -> Side { Side(account: self, direction: direction) }

  /// Adds the next bytes of a direction.
  package func add(_ run: Run, in direction: Direction) {
    if isAdded { return }
    if case .misread = run {} else if run.count == 0 { return }
    if let last = runs[direction].last, let joined = last.joined(with: run) {
      runs[direction][runs[direction].count - 1] = joined
    } else {
      runs[direction].append(run)
    }
  }

  /// Hands out what was added to a direction since this was called last.
  package func take(in direction: Direction) -> [Run] {
    defer { runs[direction] = [] }
    return runs[direction]
  }

  /// Begins to read bytes that were added before, or ends it.
  package func expectAdded(_ isAdded: Bool) { self.isAdded = isAdded }

  /// Creates an empty account.
  package init() {}
}
