package import ByteParsing
import HTTPParsing
package import SessionModel
import TLSObservation
import TLSParsing

/// The first bytes of one direction, until they identify the protocol.
package struct StreamBeginning {
  /// The protocol that the bytes belong to.
  package enum Kind: Equatable {
    /// Too few to decide.
    case undecided
    /// A TLS record with a hello.
    case hello
    /// A TLS record with a cleartext alert.
    case alert
    /// A hello in the SSL 2 format.
    case ssl2Hello
    /// An HTTP/1.x request.
    case httpRequest
    /// The HTTP/2 client preface.
    case http2Preface
    /// A PROXY protocol header; the bytes after it are examined separately.
    case proxyHeader(version: Int, byteCount: Int)
    /// An HTTP/1.x response, or the responses of a SOCKS proxy, whose request was captured later, or not at all.
    case response
    /// Another protocol.
    case foreign

    /// Whether the bytes of this kind, which are the `newBeginning` of a segment, are from an HTTP client.
    package func isOfHTTPClient(_ segment: Span<UInt8>) -> Bool {
      switch self {
      case .httpRequest, .http2Preface: true
      case .undecided: segment.count > 0 && segment[0] != 22
      default: false
      }
    }
  }

  /// Bytes that did not identify the protocol.
  private var kept = KeptBytes()

  package var isKeeping: Bool { !kept.isEmpty }

  package var keptBytes: Bytes { kept.bytes }

  /// The packet of the first kept byte; nil if none is kept.
  package var firstKept: PacketReference? { kept.first }

  /// Whether a byte may begin a TLS record, or a hello in the SSL 2 format.
  package static func mayBeRecord(beginningWith byte: UInt8) -> Bool {
    (20...23).contains(byte) || byte >= 0x80
  }

  /// Whether a response is kept, even across a gap.
  package var keepsForLater: Bool {
    droppedBytes > 0 || StreamBeginning.kind(of: kept.bytes.span) == .response
  }

  /// Whether a client began to send HTTP in the kept bytes, though too few of them show the whole request line or preface.
  package var isBegunByHTTPClient: Bool { HTTPRecognition.isBegunClient(kept.bytes.span) }

  package var heldBytes: Int { kept.heldBytes }

  /// Whether the kept bytes are PostgreSQL's consent to continue with TLS, a single `S`.
  package var isConsentOfPostgreSQL: Bool { kept.count == 1 && kept.bytes.first == 0x53 }

  /// The number of bytes after the kept ones. They belong to a response that is too long to keep until its request arrives, or that
  /// has a gap.
  package private(set) var droppedBytes = 0

  /// Whether the bytes before the next ones identified nothing, or are missing.
  package private(set) var followsUnknown = false

  /// Bytes of a response to keep: enough for the status line and relevant fields. Unsolicited responses may be numerous.
  private static let maximumResponseByteCount = 1536

  /// Bytes to keep if a server's first TLS flight follows a proxy's response to a request that was captured later, or not at all.
  private static let maximumFlightByteCount = 16_384

  /// Whether there are no bytes, neither kept nor after the kept ones.
  package var isEmpty: Bool { kept.isEmpty && droppedBytes == 0 }

  /// The length of the head of the kept response, if it may be that to a CONNECT and a hello follows it; otherwise nil.
  package var headBeforeHello: Int? { StreamBeginning.headBeforeHello(of: kept.bytes.span) }

  /// The length of the head of a response, if it may be that to a CONNECT and a hello follows it; otherwise nil.
  static func headBeforeHello(of response: Span<UInt8>) -> Int? {
    guard let end = try? MessageHead.byteCount(of: response), let head = try? ResponseHead(parsing: response.extracting(first: end)),
      (200..<300).contains(head.status), kind(of: response.extracting(end..<response.count)) == .hello
    else { return nil }
    return switch head.bodyFraming(answering: "GET") {
    case .none, .untilClose: end
    case .length, .chunked: nil
    }
  }

  /// Whether a TLS record follows the kept response, in the kept bytes or in `piece`.
  private func respondsBeforeTLS(_ piece: Span<UInt8>) -> Bool {
    let head = kept.bytes.prefix(StreamBeginning.maximumResponseByteCount)
    var all = Bytes(head)
    if head.count < StreamBeginning.maximumResponseByteCount {
      all.append(copying: piece.extracting(first: StreamBeginning.maximumResponseByteCount - head.count))
    }
    let proxyEnd = BeginningText(all.span).socks5ResponsesByteCount ?? (try? MessageHead.byteCount(of: all.span))
    guard let end = proxyEnd, end + 1 < all.count else { return false }
    return all[end] == ContentType.handshake.rawValue && all[end + 1] == 3
  }

  /// Whether bytes are missing before the next ones, so that a protocol need not begin there.
  package var isLost = false

  /// The number of bytes to skip before a protocol can begin.
  package var stepOver = 0

  /// The bytes that suffice to identify every protocol. A request line is longest, and empty lines may precede it.
  private static let maximumByteCount = HTTPRecognition.maximumRequestLineLength + 64

  /// Returns the kind of beginning. `piece` contains the next bytes, which are kept while the kind is undecided.
  package mutating func examine(_ piece: Span<UInt8>, at reference: PacketReference) -> Kind {
    if droppedBytes > 0 {
      droppedBytes += piece.count
      return .undecided
    }
    var kind = kept.kind(with: piece)
    if kind == .httpRequest, isLost, !hasKnownMethod(with: piece) { kind = .foreign }
    if kind == .response {
      kind = .undecided
      var limit = StreamBeginning.maximumResponseByteCount
      if kept.count + piece.count > limit, respondsBeforeTLS(piece) { limit = StreamBeginning.maximumFlightByteCount }
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

  /// Whether the request that begins here has a known method.
  private func hasKnownMethod(with piece: Span<UInt8>) -> Bool {
    if kept.isEmpty { return HTTPRecognition.hasKnownMethod(piece) }
    var all = Bytes(kept.bytes)
    all.append(copying: piece)
    return HTTPRecognition.hasKnownMethod(all.span)
  }

  /// Records bytes that the capture lacks. Kept bytes are discarded, except a response, which may be sufficient as it is.
  package mutating func lose(_ count: Int) {
    isLost = true
    if keepsForLater {
      droppedBytes += count
    } else {
      followsUnknown = true
      kept = KeptBytes()
    }
  }

  /// Discards the kept bytes; the next ones need not begin a protocol. Returns their number.
  package mutating func abandon() -> Int {
    defer { kept = KeptBytes() }
    if !kept.isEmpty { followsUnknown = true }
    return kept.count
  }

  /// Joins the bytes of packets.
  package static func joined(_ parts: [(bytes: Bytes, reference: PacketReference)]) -> Bytes {
    var all = Bytes()
    for part in parts { all.append(contentsOf: part.bytes) }
    return all
  }

  /// Removes and returns the kept bytes, by packet.
  package mutating func take() -> [(bytes: Bytes, reference: PacketReference)] { kept.take() }

  /// Whether a client's second hello follows a ChangeCipherSpec, as in TLS 1.3 (RFC 8446 appendix D.4). The check is strict because in
  /// older versions an encrypted message follows one.
  static func isHelloAfterChangeCipherSpec(_ prefix: Span<UInt8>) -> Bool {
    // Two record headers, the one-byte ChangeCipherSpec, a message header and a version.
    guard prefix.count >= 17, RecordStream.seemsToBegin(in: prefix), prefix[3] == 0, prefix[4] == 1, prefix[5] == 1 else { return false }
    let hello = prefix.extracting(6..<prefix.count)
    let recordLength = Int(hello.raw.big16(3))
    let messageLength = Int(hello[6]) << 16 | Int(hello[7]) << 8 | Int(hello[8])
    return hello[5] == HandshakeType.clientHello.rawValue && TLSRecognition.handshakeStart(hello) == .yes
      && recordLength == HandshakeHeader.byteCount + messageLength
  }

  /// Whether the kept bytes and a piece are exactly a SOCKS 5 request, whose greeting the capture lacks.
  package func isSOCKSRequest(endingWith piece: Span<UInt8>) -> Bool {
    // A name has at most 255 bytes.
    guard kept.count + piece.count <= 7 + 255 else { return false }
    var all = kept.bytes
    all.append(copying: piece)
    return BeginningText(all.span).isSOCKS5Request
  }

  /// Whether a segment is exactly a client's first SOCKS message, or a SOCKS 5 request. The check is strict because any segment of a
  /// connection that began before the capture may be tested.
  @inline(never)
  package static func isSOCKSRequest(_ payload: Span<UInt8>) -> Bool {
    if BeginningText(payload).isSOCKS5Request { return true }
    guard (3...64).contains(payload.count) else { return false }
    switch BeginningText(payload).socks {
    case .socks5:
      // At least one method is "no authentication", or "user name and password".
      return payload.count == 2 + Int(payload[1])
        && (2..<payload.count).contains { [0, 2].contains(payload[$0]) }
    case .socks4, .socks4a:
      // A port, an address, and NUL-terminated text.
      let zeros = (8..<payload.count).count { payload[$0] == 0 }
      let isNamed = payload[4] == 0
      return payload[2] | payload[3] != 0 && payload[4] | payload[7] != 0 && payload[payload.count - 1] == 0
        && !(isNamed && payload[payload.count - 2] == 0) && zeros == (isNamed ? 2 : 1)
        && (8..<payload.count).allSatisfy { payload[$0] == 0 || (0x21...0x7E).contains(payload[$0]) }
    default: return false
    }
  }

  /// The length of the whole lines of text that precede a client's hello which extends to the end of a segment; 0 if there is no such
  /// hello. The check is strict because protocols that wrap TLS also carry a hello in mid-segment.
  package static func textBeforeHello(_ piece: Span<UInt8>) -> Int {
    var count = 0
    while count < piece.count, isOfText(piece[count]) { count += 1 }
    // Record header, message header, version and random.
    guard count > 0, piece[count - 1] == 0x0A, piece.count - count >= 43 else { return 0 }
    let rest = piece.extracting(count..<piece.count)
    guard kind(of: rest) == .hello, rest[5] == HandshakeType.clientHello.rawValue else { return 0 }
    let end = RecordHeader.byteCount + Int(rest.raw.big16(3))
    return end >= rest.count || RecordStream.seemsToBegin(in: rest.extracting(end..<rest.count)) ? count : 0
  }

  /// Whether a segment begins with a client's hello.
  static func isClientHello(_ segment: Span<UInt8>) -> Bool {
    newBeginning(segment) == .hello && segment.count > 5 && (segment[0] == 20 || segment[5] == HandshakeType.clientHello.rawValue)
  }

  static func isOfText(_ byte: UInt8) -> Bool {
    (0x20...0x7E).contains(byte) || byte == 0x0D || byte == 0x0A || byte == 0x09
  }

  /// Returns the kind of beginning of a stream, given its first bytes.
  package static func kind(of prefix: Span<UInt8>) -> Kind {
    guard prefix.count > 0 else { return .undecided }
    switch prefix[0] {
    case 22: return kind(after: .handshakeStart(prefix), .hello)
    case 20 where isHelloAfterChangeCipherSpec(prefix): return .hello
    case 21: return kind(after: .alertStart(prefix), .alert)
    case 0x80...0xFF: return kind(after: .ssl2Hello(prefix), .ssl2Hello)
    // A to Z, and the line breaks that may precede a request.
    case 0x41...0x5A, 0x0D, 0x0A: return httpKind(of: prefix)
    case 5 where BeginningText(prefix).socks5ResponsesByteCount != nil: return .response
    default:
      // A method need not be in capitals. The prefilter knows only capitals, so requests with other methods are found only on connections
      // that are watched from their start.
      switch HTTPRecognition.request(prefix) {
      case .yes: return .httpRequest
      case .needMore: return .undecided
      case .no: return ForeignProtocol.isUndecided(prefix) ? .undecided : .foreign
      }
    }
  }

  private static func kind(after recognition: TLSRecognition, _ kind: Kind) -> Kind {
    switch recognition {
    case .yes: kind
    case .no: .foreign
    case .needMore: .undecided
    }
  }

  private static func httpKind(of prefix: Span<UInt8>) -> Kind {
    var mayBecome = false
    switch ProxyHeader.recognize(prefix) {
    case .yes(let header): return .proxyHeader(version: header.version, byteCount: header.byteCount)
    case .needMore: mayBecome = true
    case .no: break
    }
    let preface = HTTPRecognition.http2Preface(prefix)
    if preface == .yes { return .http2Preface }
    switch HTTPRecognition.request(prefix) {
    case .yes: return .httpRequest
    case .needMore: return .undecided
    case .no:
      if mayBecome || preface == .needMore || ForeignProtocol.isUndecided(prefix) { return .undecided }
      switch HTTPRecognition.response(prefix) {
      case .yes: return .response
      case .needMore: return .undecided
      case .no: return .foreign
      }
    }
  }

  package init() {}
}
