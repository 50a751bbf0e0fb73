import ByteParsing
import HTTPParsing
package import SessionModel
package import Values

/// The cleartext requests and responses of one connection, grouped by host.
///
/// A class: few connections use cleartext HTTP, and the others should not reserve memory for it.
package final class HTTPConversation {
  package var requested: RequestedHosts

  /// The hosts in the order of their first requests; empty until the first request is complete.
  package var hosts: [RequestedHosts.Host] { requested.hosts }

  /// Whether the limit on distinct hosts was exceeded.
  package var hitLimit: Bool { requested.hitLimit }

  /// Whether a head exceeded the length limit.
  package private(set) var hasLongHead = false

  /// The protocol that the connection has become.
  var state = State.http

  enum State {
    case http
    /// A tunnel: the CONNECT was accepted, or is assumed to have been (RFC 9110 §9.3.6).
    case tunnel(ConnectTarget, ConnectResponse)
    /// TLS, after both endpoints agreed to upgrade (RFC 2817 §3).
    case upgradedToTLS
    /// TLS, after bytes of the client that the capture lacks, or that could not be read.
    case unexplainedTLS
    /// Another protocol.
    case upgraded
  }

  /// The response to the CONNECT of a tunnel.
  enum ConnectResponse {
    /// Its client has continued before it; it is late in the capture, or missing from it.
    case missing
    case accepted
    /// The proxy refused although the client had continued.
    case refused
  }

  /// Whether a request has no response yet, or a message is incomplete.
  package var isUnfinished: Bool {
    !pending.isEmpty || wasWithinMessage || requests.isWithinMessage || responses.isWithinMessage || http2?.isUnfinished == true
  }

  /// Whether a message was incomplete when reading ended.
  private var wasWithinMessage = false

  /// The evidence notes, each with a stable name.
  package var notes: [EvidenceNote] {
    guard let http2, http2.areRequestsLost || requested.awaitsRequest else { return noted }
    return noted + [.http2HeadersNotRead]
  }

  private var noted: [EvidenceNote] = []

  /// The direction in which the client sends.
  package let clientDirection: Direction

  /// The memory that requests, responses and incomplete heads take, in bytes.
  package var heldBytes: Int {
    requested.keptBytes + requests.gatheredByteCount + responses.gatheredByteCount + early.heldBytes + following.heldBytes
      + earlyTunnelBytes.heldBytes + (http2?.heldBytes ?? 0)
  }

  /// The account of the connection's bytes; nil if none is kept.
  package var account: ByteAccount?

  var requests = MessageStream(isRequests: true)
  var responses = MessageStream(isRequests: false)
  var pending = PendingRequests()
  /// Responses captured before their requests.
  private(set) var early = WaitingBytes()
  /// The maximum length of `early`, unless a tunnel may begin with it. Beyond it, responses are no longer matched with requests.
  private static let maximumEarlyByteCount = 4096
  /// The packet in which the current request begins.
  var requestStart: PacketReference?
  /// The last packet with bytes of requests.
  var requestEnd: PacketReference?
  /// The packet in which the current response begins.
  var responseStart: PacketReference?
  var earlyTunnelBytes = EarlyTunnelBytes()
  /// The bytes that a client sent before a response that refused the tunnel, the last part first. They are for the proxy.
  var replayed: [(bytes: Bytes, reference: PacketReference)] = []
  /// Whether these bytes are being read again.
  package var isReplaying = false
  /// Whether the response to the CONNECT may still come although its client has continued.
  package internal(set) var awaitsReply = false
  /// The number of CONNECTs without a response so far.
  var unansweredConnects = 0
  /// Whether the proxy refused the last CONNECT.
  package internal(set) var isConnectRefused = false
  /// The bytes that the server sent after an early response that opened the tunnel, or may have opened one.
  var following = WaitingBytes()

  /// Creates a conversation, within the tunnel of `outer` if there is one. `target` is what the client requested from the innermost proxy.
  package init(clientDirection: Direction, in outer: HTTPConversation? = nil, to target: Preamble.Asked? = nil) {
    self.clientDirection = clientDirection
    requested = RequestedHosts(to: target)
    // The proxy's response may still arrive, and would be matched with a request inside the tunnel.
    if outer?.assumedTunnelOpened == true { pending.loseResponses() }
  }

  /// The HTTP/2 frames; nil until the connection uses HTTP/2.
  var http2: FrameExchange?

  /// Whether tunnels within HTTP/2 streams were opened, or are assumed to have been.
  package var hasHTTP2Tunnels: Bool { http2?.tunnelStreams.isEmpty == false }

  /// Reads on in one direction. Returns the offset in the piece at which another protocol begins, or the end of the piece.
  package func consume(_ piece: Span<UInt8>, in direction: Direction, at reference: PacketReference) -> Int {
    if http2 != nil {
      consumeFrames(piece, isClient: direction == clientDirection, at: reference)
    } else if direction == clientDirection {
      return consumeRequests(piece, at: reference)
    } else if !following.isEmpty {
      following.add(piece, at: reference)
    } else if !early.isEmpty {
      keepEarly(piece, at: reference)
    } else {
      return consumeResponses(piece, at: reference)
    }
    return piece.count
  }

  private func consumeRequests(_ piece: Span<UInt8>, at reference: PacketReference) -> Int {
    if !requests.isWithinHead { requestStart = reference }
    var (start, position) = (0, 0)
    while let event = requests.next(in: piece, at: &position) {
      defer { start = position }
      if case .lost = event, HTTPRecognition.http2Preface(piece.extracting(start..<piece.count)) == .yes {
        // The server accepted the upgrade, though its response is missing or comes later.
        beginHTTP2(answering: pending.last?.requestIndex)
        consumeFrames(piece.extracting(start..<piece.count), isClient: true, at: reference)
        return piece.count
      }
      accountForRead(event, isClient: true)
      switch event {
      case .head:
        // Earlier bytes that seemed to begin it were a body.
        if requests.head.count <= position - start { requestStart = reference }
        dropFollowing()
        receiveRequest(at: reference)
      case .longHead:
        hasLongHead = true
        receivePart(at: reference)
      case .lost:
        noteMisread()
        pending.loseRequests()
      case .hello:
        state = .unexplainedTLS
        return position
      }
      requestStart = reference
    }
    accountForRead(nil, isClient: true)
    requestEnd = reference
    if !early.isEmpty, !pending.isEmpty { readEarlyResponses(in: clientDirection.opposite) }
    return position
  }

  private func consumeResponses(_ piece: Span<UInt8>, at reference: PacketReference) -> Int {
    if !responses.isWithinHead { responseStart = reference }
    var position = 0
    while let event = responses.next(in: piece, at: &position) {
      defer { responseStart = reference }
      let isEarly = pending.isEmpty && pending.matchesResponses
      accountForRead(event, isClient: false, keepsHead: isEarly)
      guard case .head = event else {
        if case .longHead = event { hasLongHead = true }
        pending.loseResponses()
        continue
      }
      if isEarly {
        responses.expect(.none)
        var rest = responses.head
        rest.append(copying: piece.extracting(position..<piece.count))
        keepEarly(rest.span, at: reference)
        return piece.count
      }
      receiveResponse(at: reference)
      if http2 != nil {
        consumeFrames(piece.extracting(position..<piece.count), isClient: false, at: reference)
        return piece.count
      }
      if leadsToAnotherProtocol { return position }
    }
    accountForRead(nil, isClient: false)
    return piece.count
  }

  /// Keeps a response that was captured before its request.
  private func keepEarly(_ piece: Span<UInt8>, at reference: PacketReference) {
    early.add(piece, at: reference)
    guard early.byteCount > HTTPConversation.maximumEarlyByteCount, early.headBeforeHello == nil else { return }
    pending.loseResponses()
    responses.expect(.untilClose)
    _ = skipResponses(early.byteCount)
    early = WaitingBytes()
  }

  private func readEarlyResponses(in direction: Direction) {
    let (answers, missing) = early.take()
    for answer in answers {
      let end = leadsToAnotherProtocol ? 0 : consume(answer.bytes.span, in: direction, at: answer.reference)
      guard leadsToAnotherProtocol, end < answer.bytes.count else { continue }
      following.add(answer.bytes.span.extracting(end..<answer.bytes.count), at: answer.reference)
    }
    if missing > 0 {
      if leadsToAnotherProtocol { following.lose(missing) } else { skip(missing: missing, in: direction) }
    }
  }

  /// Keeps what follows the head of an early response that may have opened a tunnel: the capture lacks its request, perhaps a CONNECT.
  private func expectTunnel(after head: Int) {
    account?.add(.head(head), in: clientDirection.opposite)
    responses.expect(.untilClose)
    let (parts, missing) = early.take()
    var position = 0
    for part in parts {
      let start = max(0, min(part.bytes.count, head - position))
      position += part.bytes.count
      if start < part.bytes.count {
        following.add(part.bytes.span.extracting(start..<part.bytes.count), at: part.reference)
      }
    }
    following.lose(missing)
  }

  /// Discards the bytes that were kept for a tunnel.
  private func dropFollowing() {
    guard !following.isEmpty else { return }
    let (parts, missing) = following.take()
    account?.add(.content(parts.reduce(missing) { $0 + $1.bytes.count }), in: clientDirection.opposite)
  }

  /// Records bytes that the capture lacks in one direction.
  package func skip(missing count: Int, in direction: Direction) {
    if http2 != nil {
      let isClient = direction == clientDirection
      account?.add(.missingFrames(count, isRequests: isClient), in: direction)
      let isTruncated = http2?.isWithinMessage(isClient: isClient) == true
      breakFrames(isClient: isClient)
      http2?.skip(missing: count, isClient: isClient, isTruncated: isTruncated)
      return
    }
    if direction == clientDirection, breakHead(isClient: true), let requestEnd, !receivePart(at: requestEnd) { note(.httpRequestLost) }
    if direction != clientDirection, !following.isEmpty {
      following.lose(count)
      return
    }
    if !early.isEmpty {
      // The early responses have lost their requests. The first may be the response to a request whose head is truncated.
      if pending.isEmpty || earlyTunnelBytes.mayBeginWithRest { pending.loseResponses() }
      if direction == clientDirection, pending.isEmpty, let head = early.headBeforeHello {
        expectTunnel(after: head)
      } else {
        readEarlyResponses(in: clientDirection.opposite)
      }
    }
    if direction == clientDirection, requests.isWaiting, !earlyTunnelBytes.mayBeginWithRest {
      earlyTunnelBytes.lose(count)
      return
    }
    // The gap may hide a whole request or response.
    if direction == clientDirection {
      let forgotten = earlyTunnelBytes.forget()
      account?.add(.content(forgotten), in: clientDirection)
      skipRequests(count)
    } else if skipResponses(count) != .withinMessage {
      pending.loseResponses()
    }
  }

  /// Skips bytes of requests that the capture lacks.
  func skipRequests(_ count: Int) {
    account?.add(.content(count), in: clientDirection)
    let gap = requests.skip(missing: count)
    if gap == .ofMessage { note(.httpRequestLost) }
    if gap != .withinMessage { pending.loseRequests() }
  }

  /// Ends reading; incomplete messages are read as far as possible.
  package func endReading() {
    if http2 != nil {
      wasWithinMessage = http2?.isUnfinished == true
      breakFrames(isClient: true)
      breakFrames(isClient: false)
      return
    }
    requests.settleBody()
    wasWithinMessage = requests.isWithinMessage || responses.isWithinMessage
    if breakHead(isClient: true), let requestEnd { receivePart(at: requestEnd) }
    if !early.isEmpty {
      if pending.isEmpty { pending.loseResponses() }
      readEarlyResponses(in: clientDirection.opposite)
    }
    _ = breakHead(isClient: false)
    responses.lose()
  }

  /// Records that earlier bytes are unknown; they may contain a request and its response.
  package func passUnknown() { pending.loseResponses() }

  /// Records that the capture lacks bytes before the first request, with which another one may have begun.
  package func passLost() { note(.httpRequestLost) }

  func note(_ note: EvidenceNote) {
    if !noted.contains(note) { noted.append(note) }
  }

  func receiveResponse(at reference: PacketReference) {
    guard let head = try? ResponseHead(parsing: responses.head.span) else {
      pending.loseResponses()
      responses.expect(.untilClose)
      return
    }
    // An interim response (RFC 9110 §15.2) precedes the final one, except 101, which ends HTTP.
    if (100..<200).contains(head.status), head.status != 101 {
      responses.expect(.none)
      return
    }
    guard let answered = pending.takeFirst() else {
      receiveUnmatched(head)
      return
    }
    responses.expect(head.bodyFraming(answering: answered.method))
    // Its sender has waited for this response, so no other request is pending.
    if answered.expectsContinue, pending.isEmpty { requests.allowOmittedBody() }
    if let target = answered.target {
      receiveConnectResponse(head.status, target)
      return
    }
    if head.status == 101, tunnel == nil {
      requests.stop()
      responses.stop()
      if HTTPConversation.isTLS(answered.upgrade) || HTTPConversation.isTLS(head.upgrade) {
        state = .upgradedToTLS
      } else if head.upgrade == Bytes("h2c".utf8) {
        beginHTTP2(answering: answered.requestIndex)
      } else {
        state = .upgraded
      }
    }
    if let requestIndex = answered.requestIndex {
      requested.addResponse(to: requestIndex, with: head, from: responseStart ?? reference, to: reference)
    }
  }

  /// Whether the first protocol in an Upgrade field is TLS.
  private static func isTLS(_ upgrade: Bytes?) -> Bool {
    guard let upgrade, upgrade.count > 3 else { return false }
    return zip(upgrade, "tls/".utf8).allSatisfy { $0 | 0x20 == $1 | 0x20 }
  }
}
