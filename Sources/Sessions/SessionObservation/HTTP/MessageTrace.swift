package import ByteParsing
package import PacketParsing
package import QUICParsing
package import Reassembly
import SessionModel
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

/// The bytes of one direction that were read or found missing.
package struct ReadBytes {
  /// Number of the byte behind the last of them.
  package var end: SequenceNumber
  package var count: Int
}

/// Is told what becomes of the connections of a capture.
package protocol ConnectionListener: AnyObject {
  /// A connection begins to be watched, with a SYN or in its middle; until it is no longer watched, `index` is its own.
  func opened(_ key: ConnectionKey, _ index: Int, withSYN: Bool)

  /// What was said on it is told again, from its beginning: another copy of some bytes counts.
  func readsAgain(_ key: ConnectionKey, _ index: Int)

  /// It is no longer watched; of each direction, nil for one that said nothing, only so many bytes up to a number were read or missing.
  func closed(_ key: ConnectionKey, _ index: Int, lower: ReadBytes?, upper: ReadBytes?)

  /// A segment was taken for one of a connection that has had others between its ends beside it; its payload begins at `sequence`.
  func took(
    _ sequence: SequenceNumber, of key: ConnectionKey, _ index: Int, fromLower: Bool, at frame: UInt64)

  /// A session of QUIC goes on between other ends.
  func moved(from key: ConnectionKey, to other: ConnectionKey)

  /// What the ends of a QUIC connection call themselves so far.
  func named(_ known: [ConnectionID], of key: ConnectionKey)

  /// A segment or datagram was put together, as far as it came, from the fragments that these packets carry; `frame` is the packet
  /// that is taken for it. `isTunnelled` says that it travels in a tunnel which is what came in fragments.
  func joined(
    _ headers: borrowing PacketHeaders, _ bytes: Span<UInt8>, isUDP: Bool, isTunnelled: Bool,
    at frame: UInt64,
    from frames: [UInt64])

  /// A fragment of something else was put together from the fragments that these packets carry.
  func joinedFragment(from frames: [UInt64])

  /// A packet came that stands in front of one that came earlier.
  func cameLate(_ frame: UInt64, behind earlier: UInt64, of key: ConnectionKey)

  /// Bytes of one direction have been told apart; the last of them stands in front of a sequence number.
  func read(
    _ runs: [MessageTrace.Run], of key: ConnectionKey, _ index: Int, fromLower: Bool,
    upTo end: SequenceNumber)
}
