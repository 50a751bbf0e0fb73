package import CleartextObservation
package import Reassembly
package import Values

/// Follows how the bytes of TCP connections are read. A connection is identified by a number that is used again after its end.
package protocol ReadingObserver: AnyObject {
  /// A connection begins; returns whether to follow it.
  func begin(_ connection: Int, between key: ConnectionKey, hasSYN: Bool) -> Bool

  /// A segment arrives. `waiting` is the earliest packet whose data is already held and follows the segment's; `isContested` is whether
  /// another connection between the same endpoints may be open.
  func receive(_ start: SequenceNumber, in direction: Direction, of connection: Int, before waiting: UInt64?, isContested: Bool)

  /// The next bytes of a direction, up to `end`, are about to be read.
  func advance(by piece: Span<UInt8>, upTo end: SequenceNumber, in direction: Direction, of connection: Int)

  /// The capture lacks the next bytes of a direction up to `end`. `lacksRequest` is whether a request was lost so far.
  func skip(upTo end: SequenceNumber, in direction: Direction, of connection: Int, lacksRequest: Bool)

  /// Readers have classified these runs. They have not finished with the last `unread` bytes of the direction.
  func add(_ runs: [ByteAccount.Run], unread: Int, in direction: Direction, of connection: Int)

  /// A connection is read again from its beginning.
  func restart(_ connection: Int)

  /// A connection ends.
  func end(_ connection: Int)

  /// A QUIC session continues between other endpoints.
  func move(from key: ConnectionKey, to other: ConnectionKey)
}
