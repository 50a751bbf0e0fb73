package import ByteParsing
package import Values

/// What the bytes of one direction of cleartext turned out to be, for who copies a capture and leaves out what no verdict rests
/// on: what is not told is left out.
package struct MessageTrace {
  /// Some bytes that follow one another.
  package enum Run: Hashable, Sendable {
    /// A head of a message, its empty line included.
    case head(Bytes)
    /// Bytes that say where a message ends, or what follows.
    case framing(Int)
    /// Bytes that nothing is read of.
    case content(Int)
    /// Bytes that say who logs in.
    case secret(Int)
    /// An address that a proxy was asked for.
    case address(IPAddress)
    /// The same as text.
    case addressText(IPAddress, Bytes)
    /// Other bytes that are read.
    case other(Int)
    /// Something said in the clear, as it may be shown.
    case replaced(Bytes)
    /// A handshake begins, behind all that was told before.
    case handshake
    /// What came last is no request and was to be one.
    case misread

    /// How many they are.
    package var count: Int {
      switch self {
      case .head(let bytes), .replaced(let bytes), .addressText(_, let bytes): bytes.count
      case .address(let address): address.isIPv6 ? 16 : 4
      case .handshake, .misread: 0
      case .framing(let count), .content(let count), .secret(let count), .other(let count): count
      }
    }
  }

  enum Kind { case framing, content }

  /// From the first byte that has not been taken yet.
  private(set) var runs: [Run] = []

  mutating func add(_ head: Bytes) { runs.append(.head(head)) }

  mutating func add(_ kind: Kind, _ count: Int) {
    guard count > 0 else { return }
    switch (kind, runs.last) {
    case (.framing, .framing(let before)): runs[runs.count - 1] = .framing(before + count)
    case (.framing, _): runs.append(.framing(count))
    case (.content, .content(let before)): runs[runs.count - 1] = .content(before + count)
    case (.content, _): runs.append(.content(count))
    }
  }

  mutating func add(replaced bytes: Bytes) {
    if !bytes.isEmpty { runs.append(.replaced(bytes)) }
  }

  mutating func addMisread() { runs.append(.misread) }

  /// Takes a head back, which is read later.
  mutating func removeLast() { _ = runs.popLast() }

  /// Gives out what has been gathered.
  mutating func take() -> [Run] {
    defer { runs = [] }
    return runs
  }
}
