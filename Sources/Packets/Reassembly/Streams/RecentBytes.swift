import BasicContainers
import ByteParsing

/// The bytes of handshakes that were read last, so that what is sent again can be held against them.
///
/// Bytes in order are read where they lie, and the buffer that they lie in is filled again. Copies of them go into a few
/// blocks that all connections share and that are used in turn: memory is the same however many connections are open, and
/// a retransmission is compared as long as its first copy has not given way to others.
public struct RecentBytes: ~Copyable {
  /// Where bytes that were remembered lie: those of one direction form a chain. 0 stands for none.
  public typealias Place = UInt64

  struct Piece {
    /// The piece of the same direction that was remembered before.
    var previous: Place
    var sequence: SequenceNumber
    var start: Int
    var count: Int
  }

  // Other modules have to know it by name, since they destroy what holds it.
  @usableFromInline
  struct Block: ~Copyable {
    var bytes = RigidArray<UInt8>(capacity: 0)
    var pieces = RigidArray<Piece>(capacity: 0)

    func hasRoom(for count: Int) -> Bool { count <= bytes.freeCapacity && !pieces.isFull }

    mutating func clear() {
      if bytes.capacity == 0 {
        bytes.reserveCapacity(RecentBytes.blockSize)
        pieces.reserveCapacity(RecentBytes.piecesInBlock)
      }
      bytes.removeAll()
      pieces.removeAll()
    }

    /// How many bytes differ from those of a piece, and the piece of the same direction before it; nil where there is no such piece.
    func disagreements(
      of bytes: Span<UInt8>, at sequence: SequenceNumber, with entry: Int
    ) -> (count: Int, previous: Place)? {
      guard entry >= 0, entry < pieces.count else { return nil }
      let piece = pieces[entry]
      let offset = sequence.distance(to: piece.sequence)
      let lower = max(0, offset)
      let upper = min(bytes.count, offset + piece.count)
      var different = 0
      if lower < upper {
        for position in lower..<upper where bytes[position] != self.bytes[piece.start + position - offset] {
          different += 1
        }
      }
      return (different, piece.previous)
    }

    /// Adds bytes that there is room for; returns how many pieces there are then.
    mutating func append(_ span: Span<UInt8>, at sequence: SequenceNumber, after previous: Place) -> Int {
      pieces.append(Piece(previous: previous, sequence: sequence, start: bytes.count, count: span.count))
      bytes.append(copying: span)
      return pieces.count
    }
  }

  /// A block takes one of the longest segments and more; 1 MiB in all is some two hundred handshakes.
  private static let blockSize = 64 * 1024
  private static let blockCount = 16

  /// Pieces of a block: segments of a byte each must not make it grow.
  private static let piecesInBlock = 2048

  /// Pieces of one direction that are looked through.
  private static let longestChain = 256

  /// Bytes of one direction that are remembered, from its start: more than any handshake is long.
  public static let byteLimit = 48 * 1024

  /// The block that is being filled; without memory before the first byte.
  private var present = Block()

  /// Its number, counted from 0.
  private var newest: UInt64 = 0

  /// The blocks before it, each at its number modulo as many as they may be.
  private var earlier = UniqueArray<Block>()
  private static let earlierCount = UInt64(blockCount - 1)

  /// Remembers nothing.
  public init() {}

  /// Remembers bytes from `sequence` on; returns the place from which they and those of `previous` are found.
  public mutating func remember(
    _ bytes: Span<UInt8>, at sequence: SequenceNumber, after previous: Place
  ) -> Place {
    let count = min(bytes.count, RecentBytes.byteLimit)
    guard count > 0 else { return previous }
    if !present.hasRoom(for: count) { turnOver() }
    let entry = present.append(bytes.extracting(first: count), at: sequence, after: previous)
    // Block and piece, both counted from 1, so that 0 is no place.
    return (newest + 1) << 16 | UInt64(truncatingIfNeeded: entry)
  }

  /// Begins the next block, in the memory of the oldest one.
  private mutating func turnOver() {
    if present.bytes.capacity > 0 {
      let place = Int(newest % RecentBytes.earlierCount)
      if place == earlier.count { earlier.append(Block()) }
      swap(&present, &earlier[place])
      newest += 1
    }
    present.clear()
  }

  /// How many of these bytes, the first of which has the number `sequence`, differ from those remembered at `place`.
  public func disagreements(of bytes: Span<UInt8>, at sequence: SequenceNumber, with place: Place) -> Int {
    var different = 0
    var place = place
    for _ in 0..<RecentBytes.longestChain {
      guard place > 0xFFFF else { break }
      let number = (place >> 16) - 1
      let entry = Int(place & 0xFFFF) - 1
      // What was in a block before was forgotten with it.
      guard number <= newest, newest - number < UInt64(RecentBytes.blockCount) else { break }
      let index = Int(number % RecentBytes.earlierCount)
      guard number == newest || index < earlier.count,
        let found = number == newest
          ? present.disagreements(of: bytes, at: sequence, with: entry)
          : earlier[index].disagreements(of: bytes, at: sequence, with: entry)
      else { break }
      different += found.count
      place = found.previous
    }
    return different
  }
}
