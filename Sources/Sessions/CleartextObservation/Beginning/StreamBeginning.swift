package import ByteParsing
import HTTPParsing
package import SessionModel
import TLSObservation
import TLSParsing

/// The first bytes of one direction, until they identify the protocol.
package struct StreamBeginning {
  /// What the bytes are.
  package enum Kind: Equatable {
    /// Too few to decide.
    case undecided
    /// A record of TLS with a hello.
    case hello
    /// A record of TLS with an alert in the clear.
    case alert
    /// A hello in the format of SSL 2.
    case ssl2Hello
    /// A request of HTTP/1.x.
    case httpRequest
    /// The client preface of HTTP/2.
    case http2Preface
    /// A header of the PROXY protocol; what follows is examined separately.
    case proxyHeader(version: Int, byteCount: Int)
    /// An answer of HTTP/1.x, whose request is late in the capture or lost.
    case httpResponse
    /// None of these.
    case foreign
  }

  /// Bytes that did not identify the protocol.
  private var kept = KeptBytes()

  /// Whether bytes are kept.
  package var isKeeping: Bool { !kept.isEmpty }

  /// Those bytes.
  package var keptBytes: Bytes { kept.bytes }

  /// The packet that the first of them came in; nil for none.
  package var firstKept: PacketReference? { kept.first }

  /// Whether a record of TLS, or a hello in the format of SSL 2, may begin with a byte.
  package static func mayBeRecord(beginningWith byte: UInt8) -> Bool {
    (20...23).contains(byte) || byte >= 0x80
  }

  /// Whether an HTTP response is kept. It is kept across a gap.
  package var keepsForLater: Bool {
    droppedBytes > 0 || StreamBeginning.kind(of: kept.bytes.span) == .httpResponse
  }

  /// The memory that it holds, in bytes.
  package var heldBytes: Int { kept.heldBytes }

  /// Whether a server's consent to continue with TLS is kept, which is all that one of PostgreSQL says before it does.
  package var isConsentOfPostgreSQL: Bool { kept.count == 1 && kept.bytes.first == 0x53 }

  /// Bytes after those that are kept, of an answer of HTTP that is too long to be kept until its request comes, or has a gap.
  package private(set) var droppedBytes = 0

  /// Whether bytes before those that come told nothing, or are missing.
  package private(set) var followsUnknown = false

  /// An answer is kept so far: status line and the fields that matter fit, and there may be many that no one requests.
  private static let maximumAnswerByteCount = 1536

  /// A server's first flight is kept so far, where one follows the answer to a CONNECT that is late in the capture, or lost.
  private static let maximumFlightByteCount = 16_384

  /// Whether a record of TLS with a hello follows the answer, which is kept or lies in `piece`.
  private func answersBeforeTLS(_ piece: Span<UInt8>) -> Bool {
    let head = kept.bytes.prefix(StreamBeginning.maximumAnswerByteCount)
    var all = Bytes(head)
    if head.count < StreamBeginning.maximumAnswerByteCount {
      all.append(copying: piece.extracting(first: StreamBeginning.maximumAnswerByteCount - head.count))
    }
    guard let end = try? MessageHead.byteCount(of: all.span), end + 1 < all.count else { return false }
    return all[end] == ContentType.handshake.rawValue && all[end + 1] == 3
  }

  /// Bytes are missing before the next ones, so the next ones need not begin anything.
  package var isLost = false

  /// The number of following bytes to skip before anything begins.
  package var stepOver = 0

  /// Bytes within which every protocol is identified: a request line is the longest, and empty lines may come before it.
  private static let maximumByteCount = HTTPRecognition.maximumRequestLineLength + 64

  /// Returns what the direction begins with; `piece` has its next bytes, which are kept if they do not decide.
  package mutating func examine(_ piece: Span<UInt8>, at reference: PacketReference) -> Kind {
    if droppedBytes > 0 {
      droppedBytes += piece.count
      return .undecided
    }
    var kind = kept.kind(with: piece)
    if kind == .httpRequest, isLost, !hasKnownMethod(with: piece) { kind = .foreign }
    if kind == .httpResponse {
      kind = .undecided
      var limit = StreamBeginning.maximumAnswerByteCount
      if kept.count + piece.count > limit, answersBeforeTLS(piece) { limit = StreamBeginning.maximumFlightByteCount }
      let count = min(piece.count, limit - kept.count)
      if count < piece.count {
        droppedBytes = piece.count - max(0, count)
        if count > 0 { kept.append(piece.extracting(first: count), at: reference) }
        return kind
      }
    }
    if kind == .undecided {
      guard kept.count + piece.count < StreamBeginning.maximumByteCount else { return .foreign }
      kept.append(piece, at: reference)
    }
    return kind
  }

  /// Whether the request that begins here, with `piece` or before it, has a method that is known.
  private func hasKnownMethod(with piece: Span<UInt8>) -> Bool {
    kept.isEmpty ? HTTPRecognition.hasKnownMethod(piece) : HTTPRecognition.hasKnownMethod(kept.bytes.span)
  }

  /// Records bytes that the capture lacks: what follows them does not continue from what was kept, but an answer of HTTP
  /// may have said enough.
  package mutating func lose(_ count: Int) {
    isLost = true
    if keepsForLater {
      droppedBytes += count
    } else {
      followsUnknown = true
      kept = KeptBytes()
    }
  }

  /// Discards what was kept, after which nothing begins; returns its number of bytes.
  package mutating func abandon() -> Int {
    defer { kept = KeptBytes() }
    if !kept.isEmpty { followsUnknown = true }
    return kept.count
  }

  /// Returns what was kept in one, and where each packet's part of it ends.
  package mutating func takeJoined() -> (bytes: Bytes, ends: [Int]) { StreamBeginning.joined(take()) }

  /// Joins parts; also returns the offset at which each of them ends.
  package static func joined(_ parts: some Sequence<(bytes: Bytes, reference: PacketReference)>) -> (
    bytes: Bytes, ends: [Int]
  ) {
    var all = Bytes()
    var ends: [Int] = []
    for part in parts {
      all.append(contentsOf: part.bytes)
      ends.append(all.count)
    }
    return (all, ends)
  }

  /// Returns what was kept, by packets.
  package mutating func take() -> [(bytes: Bytes, reference: PacketReference)] { kept.take() }

  /// Whether a client's second hello follows a ChangeCipherSpec, as it does in TLS 1.3 (RFC 8446 appendix D.4). Strictly so: in
  /// older versions something encrypted follows one.
  static func isHelloAfterChangeCipherSpec(_ prefix: Span<UInt8>) -> Bool {
    // Two record headers, the one byte of the first, a message header and a version.
    guard prefix.count >= 17, RecordStream.seemsToBegin(in: prefix), prefix[3] == 0, prefix[4] == 1, prefix[5] == 1
    else { return false }
    let hello = prefix.extracting(6..<prefix.count)
    let recordLength = Int(hello[3]) << 8 | Int(hello[4])
    let messageLength = Int(hello[6]) << 16 | Int(hello[7]) << 8 | Int(hello[8])
    return hello[5] == HandshakeType.clientHello.rawValue && TLSRecognition.handshakeStart(hello) == .yes
      && recordLength == HandshakeHeader.byteCount + messageLength
  }

  /// Whether a segment is a client's whole first message of SOCKS, and nothing else: strictly so, since any segment of a connection
  /// that began before the capture may be held against it.
  @inline(never)
  package static func isSOCKSRequest(_ payload: Span<UInt8>) -> Bool {
    guard (3...64).contains(payload.count) else { return false }
    switch BeginningText(payload).socks {
    case .socks5:
      // Of the methods one is none, or name and password.
      return payload.count == 2 + Int(payload[1])
        && (2..<payload.count).contains { [0, 2].contains(payload[$0]) }
    case .socks4, .socks4a:
      // A port, an address, and text up to its zeros.
      let zeros = (8..<payload.count).count { payload[$0] == 0 }
      let isNamed = payload[4] == 0
      return payload[2] | payload[3] != 0 && payload[4] | payload[7] != 0 && payload[payload.count - 1] == 0
        && !(isNamed && payload[payload.count - 2] == 0) && zeros == (isNamed ? 2 : 1)
        && (8..<payload.count).allSatisfy { payload[$0] == 0 || (0x21...0x7E).contains(payload[$0]) }
    default: return false
    }
  }

  /// How many bytes of text, lines as a whole, stand before a client's hello that goes on to the end of a segment; 0 where it is
  /// not so. Strictly so: what frames messages of TLS has a hello in the middle of its segments, too.
  package static func textBeforeHello(_ piece: Span<UInt8>) -> Int {
    var count = 0
    while count < piece.count, isOfText(piece[count]) { count += 1 }
    // Two headers, version, random.
    guard count > 0, piece[count - 1] == 0x0A, piece.count - count >= 43 else { return 0 }
    let rest = piece.extracting(count..<piece.count)
    guard kind(of: rest) == .hello, rest[5] == HandshakeType.clientHello.rawValue else { return 0 }
    let end = RecordHeader.byteCount + (Int(rest[3]) << 8 | Int(rest[4]))
    return end >= rest.count || RecordStream.seemsToBegin(in: rest.extracting(end..<rest.count)) ? count : 0
  }

  private static func isOfText(_ byte: UInt8) -> Bool {
    (0x20...0x7E).contains(byte) || byte == 0x0D || byte == 0x0A || byte == 0x09
  }

  /// Returns what a stream begins with, given its first bytes.
  package static func kind(of prefix: Span<UInt8>) -> Kind {
    guard prefix.count > 0 else { return .undecided }
    switch prefix[0] {
    case 22: return told(.handshakeStart(prefix), .hello)
    case 20 where isHelloAfterChangeCipherSpec(prefix): return .hello
    case 21: return told(.alertStart(prefix), .alert)
    case 0x80...0xFF: return told(.ssl2Hello(prefix), .ssl2Hello)
    // A to Z and the line breaks that may come before a request.
    case 0x41...0x5A, 0x0D, 0x0A: return httpKind(of: prefix)
    default:
      // A method need not be of capitals. The prefilter knows of capitals alone: requests with other methods are found on connections
      // that are watched from their start.
      switch HTTPRecognition.request(prefix) {
      case .yes: return .httpRequest
      case .needMore: return .undecided
      case .no: return ForeignProtocol.isUndecided(prefix) ? .undecided : .foreign
      }
    }
  }

  private static func told(_ recognition: TLSRecognition, _ kind: Kind) -> Kind {
    switch recognition {
    case .yes: kind
    case .no: .foreign
    case .needMore: .undecided
    }
  }

  private static func httpKind(of prefix: Span<UInt8>) -> Kind {
    let proxy = ProxyHeader.recognize(prefix)
    if case .whole(let version, let byteCount) = proxy {
      return .proxyHeader(version: version, byteCount: byteCount)
    }
    let preface = HTTPRecognition.http2Preface(prefix)
    if preface == .yes { return .http2Preface }
    switch HTTPRecognition.request(prefix) {
    case .yes: return .httpRequest
    case .needMore: return .undecided
    case .no:
      let mayBecome = preface == .needMore || proxy == .needMore || ForeignProtocol.isUndecided(prefix)
      if mayBecome { return .undecided }
      switch HTTPRecognition.response(prefix) {
      case .yes: return .httpResponse
      case .needMore: return .undecided
      case .no: return .foreign
      }
    }
  }

  /// Creates the beginning of a direction without bytes.
  package init() {}
}
