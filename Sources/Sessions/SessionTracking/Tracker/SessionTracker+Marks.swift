import ByteParsing
import CleartextObservation
import Reassembly
import TLSParsing
import Values

extension SessionTracker {
  /// Marks of connections that are no longer watched.
  enum Mark {
    /// The handshake was read.
    static let done: UInt16 = 1
    /// The handshake was read; the other 15 bits are from the client's random.
    private static let hello: UInt16 = 0x8000

    /// The mark of a handshake with this client random.
    static func done(_ random: ShortBytes) -> UInt16 {
      random.count == 32 ? hello | UInt16(random[8]) << 8 | UInt16(random[9]) : done
    }

    static func isDone(_ mark: UInt16?) -> Bool {
      mark.map { $0 & hello != 0 || kind($0) == done } ?? false
    }

    /// A flag in other marks: the connection was counted as one without a handshake. `countedLower` if the lower endpoint was counted as
    /// the server.
    private static let counted: UInt16 = 0x4000
    private static let countedLower: UInt16 = 0x2000

    /// The mark without these flags.
    static func kind(_ mark: UInt16) -> UInt16 {
      mark & hello != 0 ? mark : mark & ~(counted | countedLower)
    }

    /// The mark with the flags of a connection that was counted as one without a handshake.
    static func counted(_ mark: UInt16, server: Direction) -> UInt16 {
      mark & hello != 0 ? mark : mark | counted | (server == .fromLower ? countedLower : 0)
    }

    /// The direction in which the server sends that a connection with this mark was counted for; nil if it was not counted.
    static func countedServer(_ mark: UInt16?) -> Direction? {
      guard let mark, mark & hello == 0, mark & counted != 0 else { return nil }
      return mark & countedLower != 0 ? .fromLower : .fromUpper
    }

    /// Whether a stream begins with another hello than that of the handshake with this mark.
    static func isOfAnother(_ payload: Span<UInt8>, than mark: UInt16) -> Bool {
      // A ChangeCipherSpec may precede it (6); record header (5), message header (4), version (2), random (32).
      let start = payload.count > 0 && payload[0] == 20 ? 6 : 0
      guard mark & hello != 0, payload.count > start + 20, payload[start] == 22, payload[start + 5] == 1
      else {
        return false
      }
      return mark != hello | UInt16(payload[start + 19]) << 8 | UInt16(payload[start + 20])
    }

    /// Cleartext HTTP ended; the other 12 bits are from the sequence number after the client's last byte.
    private static let ended: UInt16 = 0x1000

    /// The mark of cleartext HTTP that ended before this sequence number of the client.
    static func ended(at next: SequenceNumber) -> UInt16 {
      ended | UInt16(truncatingIfNeeded: next.rawValue >> 20)
    }

    static func isEnded(_ mark: UInt16?) -> Bool { mark.map { $0 & (hello | ended) == ended } ?? false }

    /// Whether a segment with this number was sent before cleartext HTTP with this mark ended.
    static func isSentAgain(_ sequence: UInt32, after mark: UInt16?) -> Bool {
      guard let mark, isEnded(mark) else { return false }
      // A retransmission is at most one window back: in the same mebibyte, or in the one before.
      return (UInt32(mark & 0x0FFF) &- sequence >> 20) & 0x0FFF <= 1
    }

    /// The protocol was neither TLS nor HTTP, or the connection was first captured in its middle.
    static let foreign: UInt16 = 2
    /// The connection was first captured in its middle.
    static let middle: UInt16 = 3

    /// The mark of a connection on which nothing was found. A protocol that preceded it remains recorded, even if something then looked
    /// like a beginning.
    static func after(_ prior: UInt16?) -> UInt16 {
      prior.flatMap { ForeignProtocol(rawValue: $0)?.rawValue } ?? foreign
    }
  }
}
