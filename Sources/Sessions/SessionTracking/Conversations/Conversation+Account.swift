import ByteParsing
import CleartextObservation
import HTTPParsing
import SessionModel
import TLSObservation
import Values

/// The classification of a conversation's bytes, for an extract.
extension Conversation {
  /// The number of bytes received in one direction that are not in the account yet.
  func unreadBytes(in direction: Direction) -> Int {
    if awaitsReply == direction {
      switch preamble?.awaited?.layer {
      case .socks(let socks): return socks.byteCount(in: direction)
      case .httpConnect(let http): return http.unreadBytes(in: direction)
      case .startTLS(_, let reply?): return reply.byteCount
      default: break
      }
    }
    switch phase {
    case .undecided: return beginnings[direction].keptBytes.count + beginnings[direction].droppedBytes
    case .http: return http?.unreadBytes(in: direction) ?? 0
    case .socks: return preamble?.socks?.byteCount(in: direction) ?? 0
    case .dialogue, .foreign: return preamble?.dialogue?.keptBytes(in: direction) ?? 0
    case .handshake, .dns: return 0
    }
  }

  /// Adds the kept, unclassified bytes of a direction to the account.
  func accountForKept(in direction: Direction) {
    account?.add(.beginning(beginnings[direction].keptBytes.count, of: nil), in: direction)
    account?.add(.content(beginnings[direction].droppedBytes), in: direction)
  }

  /// Adds the parts of a direction before its first TLS record; returns the number of these parts.
  func accountForGreeting(before parts: [(bytes: Bytes, reference: PacketReference)], in direction: Direction) -> Int {
    guard let byte = parts.first?.bytes.first, !StreamBeginning.mayBeRecord(beginningWith: byte) else { return 0 }
    let first = parts.firstIndex { RecordStream.seemsToBegin(in: $0.bytes.span) } ?? parts.count
    account?.add(.beginning(parts[..<first].reduce(0) { $0 + $1.bytes.count }, of: nil), in: direction)
    return first
  }

  /// Adds the bytes that one direction sent before a request of the other. An HTTP response is excepted, since its reader adds it.
  func accountForEarly(_ parts: [(bytes: Bytes, reference: PacketReference)], in direction: Direction) {
    let all = StreamBeginning.joined(parts)
    guard HTTPRecognition.response(all.span) == .no else { return }
    account?.add(.beginning(all.count, of: nil), in: direction)
    account?.expectAdded(true)
  }

  /// Adds a piece of a handshake. Unread bytes are redacted, except those that identify an HTTP response.
  mutating func accountForHandshake(_ piece: Span<UInt8>, in direction: Direction) {
    let unread = min(handshake.takeUnread(in: direction), piece.count)
    let start = min(handshake.takeHTTPStart(), unread)
    let kept = unread == piece.count ? start : 0
    account?.add(.other(piece.count - unread + kept), in: direction)
    account?.add(.content(unread - kept), in: direction)
  }

  /// Adds a gap, and the bytes that are discarded because of it.
  func accountForGap(of count: Int, in direction: Direction) {
    if account == nil || beginnings[direction].keepsForLater { return }
    accountForKept(in: direction)
    account?.add(.content(count), in: direction)
  }
}
