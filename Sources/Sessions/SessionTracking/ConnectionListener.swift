package import CleartextObservation
package import PacketParsing
package import QUICParsing
package import Reassembly
package import Values

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
  func closed(_ key: ConnectionKey, _ index: Int, read: BothDirections<ReadBytes?>)

  /// A segment was taken for one of a connection that has had others between its ends beside it; its payload begins at `sequence`.
  func took(
    _ sequence: SequenceNumber, of key: ConnectionKey, _ index: Int, in direction: Direction, at frame: UInt64
  )

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
    _ runs: [MessageTrace.Run], of key: ConnectionKey, _ index: Int, in direction: Direction,
    upTo end: SequenceNumber)
}
