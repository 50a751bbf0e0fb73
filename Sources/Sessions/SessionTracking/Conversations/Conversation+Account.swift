import ByteParsing
import CleartextObservation
import HTTPParsing
import SessionModel
import TLSObservation
import Values

/// What the bytes of a conversation are, for an extract.
extension Conversation {
  /// Bytes of one direction that came and are not in the account yet.
  func unreadBytes(in direction: Direction) -> Int {
    if awaitsReply == direction {
      for case .socks(let socks) in preamble?.layers ?? [] where socks.awaitsReply {
        return socks.byteCount(in: direction)
      }
    }
    switch phase {
    case .undecided: return beginnings[direction].keptBytes.count + beginnings[direction].droppedBytes
    case .http: return http?.unreadBytes(in: direction) ?? 0
    case .socks: return preamble?.socks?.byteCount(in: direction) ?? 0
    case .dialogue, .foreign: return preamble?.dialogue?.keptBytes(in: direction) ?? 0
    case .handshake, .names: return 0
    }
  }

  /// Accounts for what is kept of a direction and not classified by what may be shown instead.
  func accountForKept(in direction: Direction) {
    guard let account else { return }
    var beginning = beginnings[direction]
    let dropped = beginning.droppedBytes
    let (all, ends) = beginning.takeJoined()
    accountFor(all, ends, in: direction)
    account.add(.content(dropped), in: direction)
  }

  /// Accounts for bytes that begin no known protocol and are discarded.
  func accountForNothing(_ piece: Span<UInt8>, in direction: Direction) {
    // This many zeros begin nothing either.
    if piece.count >= 4 {
      account?.add(.content(piece.count), in: direction)
    } else if account != nil {
      accountFor(Bytes(copying: piece), [piece.count], in: direction)
    }
  }

  /// Accounts for the parts of a direction that come before its first record of TLS; returns how many parts those are.
  func accountForGreeting(before parts: [(bytes: Bytes, reference: PacketReference)], in direction: Direction) -> Int {
    guard let byte = parts.first?.bytes.first, !StreamBeginning.mayBeRecord(beginningWith: byte) else {
      return 0
    }
    let first = parts.firstIndex { RecordStream.seemsToBegin(in: $0.bytes.span) } ?? parts.count
    let (all, ends) = StreamBeginning.joined(parts[..<first])
    accountFor(all, ends, in: direction)
    return first
  }

  /// Accounts for bytes that begin nothing by what may be shown instead.
  func accountFor(_ all: Bytes, _ ends: [Int], in direction: Direction) {
    guard let account, let first = all.first else { return }
    let isText = (0x20...0x7E).contains(first) || first == 0x0D || first == 0x0A
    account.add(.replaced(NeutralBytes.beginning(all, ends, isText: isText, upTo: all.count)), in: direction)
  }

  /// Accounts for what one direction said before a request of the other, unless it is an answer, for which its reader does.
  func accountForEarly(_ parts: [(bytes: Bytes, reference: PacketReference)], in direction: Direction) {
    let (all, ends) = StreamBeginning.joined(parts)
    guard HTTPRecognition.response(all.span) == .no else { return }
    accountFor(all, ends, in: direction)
    account?.expectAdded(true)
  }

  /// Accounts for a piece of a handshake, of which nothing is shown that is not read; that it is an HTTP response remains visible.
  mutating func accountForHandshake(_ piece: Span<UInt8>, in direction: Direction) {
    let unread = min(handshake.takeUnread(in: direction), piece.count)
    let kept = unread == piece.count ? Handshake.lengthOfHTTPStart(of: piece) : 0
    account?.add(.other(piece.count - unread + kept), in: direction)
    account?.add(.content(unread - kept), in: direction)
  }

  /// Accounts for a gap, and for what is discarded because of it.
  func accountForGap(of count: Int, in direction: Direction) {
    if account == nil || beginnings[direction].keepsForLater { return }
    accountForKept(in: direction)
    account?.add(.content(count), in: direction)
  }
}
