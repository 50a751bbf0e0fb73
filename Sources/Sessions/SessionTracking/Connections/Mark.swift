import ByteParsing
import CleartextObservation
import Reassembly
import Values

/// The mark of a connection that is no longer watched.
struct Mark: RawRepresentable, Equatable {
  let rawValue: UInt16

  init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The handshake was read.
  static let done = Mark(rawValue: 1)
  /// The protocol was neither TLS nor HTTP, nor another known one, as far as the capture shows.
  private static let foreign = Mark(rawValue: 2)
  /// The connection was first captured in its middle, or was no longer watched before its protocol was known.
  static let middle = Mark(rawValue: 3)

  /// Whether the protocol was neither TLS nor HTTP, nor another known one.
  var isOfUnknownProtocol: Bool { withoutCount == .foreign }

  /// The connection had carried no data when it became idle or was evicted.
  static let silent = Mark(rawValue: 6)

  var isSilent: Bool { withoutCount == .silent }

  /// The server of a connection first captured in its middle sent an HTTP response.
  private static let serverIsLower = Mark(rawValue: 4)
  private static let serverIsUpper = Mark(rawValue: 5)

  /// The mark of a connection whose server sent an HTTP response in this direction before any request was captured.
  init(server: Direction) { self = server == .fromLower ? Mark.serverIsLower : Mark.serverIsUpper }

  /// The direction in which the server sends HTTP responses; nil if it is not known.
  var server: Direction? {
    switch withoutCount {
    case .serverIsLower: .fromLower
    case .serverIsUpper: .fromUpper
    default: nil
    }
  }

  /// The protocol that the connection began with; nil if there is no foreign one.
  ///
  /// It is nil for a mark with the flags of a counted connection as well: its later records and messages change neither the count nor the
  /// mark. ``ConnectionFacts`` have the mark without these flags, so a session that follows still has its protocol.
  var foreignProtocol: ForeignProtocol? { ForeignProtocol(rawValue: rawValue) }

  init(_ foreignProtocol: ForeignProtocol) { rawValue = foreignProtocol.rawValue }

  /// The mark of a connection on which nothing was found. A protocol that preceded it remains recorded, even if something then looked
  /// like a beginning.
  init(after prior: Mark?) { self = prior?.foreignProtocol.map(Mark.init) ?? (prior?.withoutCount == .middle ? .middle : .foreign) }
}

// MARK: - Handshakes that were read

extension Mark {
  /// The handshake was read; the other 15 bits are from the client's random.
  private static let hello: UInt16 = 0x8000

  /// Whether a handshake was read in which the client's hello was captured.
  var isHello: Bool { rawValue & Mark.hello != 0 }

  /// The mark of a handshake with this client random.
  init(handshakeWith random: ShortBytes) {
    self = random.count == 32 ? Mark(helloWith: random[8], random[9]) : Mark.done
  }

  private init(helloWith first: UInt8, _ second: UInt8) { rawValue = Mark.hello | UInt16(first) << 8 | UInt16(second) }

  var isDone: Bool { isHello || withoutCount == .done }

  /// Whether a stream begins with another hello than that of the handshake with this mark.
  func isContradicted(by payload: Span<UInt8>) -> Bool {
    // A ChangeCipherSpec may precede it (6); message header (4), version (2), random (32).
    let start = payload.count > 0 && payload[0] == 20 ? 6 : 0
    guard isHello, Mark.byte(0, ofMessageAt: start, in: payload) == 1, let first = Mark.byte(14, ofMessageAt: start, in: payload),
      let second = Mark.byte(15, ofMessageAt: start, in: payload)
    else { return false }
    return self != Mark(helloWith: first, second)
  }

  /// A byte of the handshake message that begins with the record at `start`, and may continue in other records (RFC 8446 §5.1); nil if the
  /// payload does not contain it.
  private static func byte(_ offset: Int, ofMessageAt start: Int, in payload: Span<UInt8>) -> UInt8? {
    var record = start
    var left = offset
    while record + 5 < payload.count, payload[record] == 22 {
      let length = Int(payload.raw.big16(record + 3))
      if left < length { return record + 5 + left < payload.count ? payload[record + 5 + left] : nil }
      left -= length
      record += 5 + length
    }
    return nil
  }
}

// MARK: - Connections counted as without a handshake

extension Mark {
  /// A flag in other marks: the connection was counted as one without a handshake. `countedLower` if the lower endpoint was counted as
  /// the server; `countedData` if it was also counted as one with other data.
  private static let counted: UInt16 = 0x4000
  private static let countedLower: UInt16 = 0x2000
  private static let countedData: UInt16 = 0x0800

  /// The mark without these flags.
  var withoutCount: Mark {
    isHello ? self : Mark(rawValue: rawValue & ~(Mark.counted | Mark.countedLower | (isEnded ? 0 : Mark.countedData)))
  }

  /// The mark with the flags of a connection that was counted as one without a handshake.
  func counted(server: Direction, withData: Bool = false) -> Mark {
    if isHello { return self }
    let lower = server == .fromLower ? Mark.countedLower : 0
    // After the end of a connection, no session follows on it.
    return Mark(rawValue: rawValue | Mark.counted | lower | (withData && !isEnded ? Mark.countedData : 0))
  }

  /// Whether a connection with this mark was counted as one with other data than a handshake or requests.
  var isCountedWithData: Bool { countedServer != nil && !isEnded && rawValue & Mark.countedData != 0 }

  /// The direction in which the server sends that a connection with this mark was counted for; nil if it was not counted.
  var countedServer: Direction? {
    guard !isHello, rawValue & Mark.counted != 0 else { return nil }
    return rawValue & Mark.countedLower != 0 ? .fromLower : .fromUpper
  }
}

// MARK: - Ended connections

extension Mark {
  /// Cleartext HTTP or an unknown protocol ended; the other 12 bits are from the sequence number after the client's last byte.
  private static let ended: UInt16 = 0x1000

  /// The mark of cleartext HTTP or an unknown protocol that ended before this sequence number of the client.
  init(endedAt next: SequenceNumber) { rawValue = Mark.ended | UInt16(truncatingIfNeeded: next.rawValue >> 20) }

  var isEnded: Bool { rawValue & (Mark.hello | Mark.ended) == Mark.ended }

  /// Whether a segment with this number was sent before a connection with this mark ended.
  func isAfter(_ sequence: UInt32) -> Bool {
    // A retransmission is at most one window back: in the same mebibyte, or in the one before.
    isEnded && (UInt32(rawValue & 0x0FFF) &- sequence >> 20) & 0x0FFF <= 1
  }
}
