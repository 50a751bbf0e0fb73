package import ByteParsing
import HTTPParsing
package import SessionModel
import TLSObservation
package import Values

/// The cleartext requests of one connection and the answers to them, gathered by the host that they name.
///
/// A class: few connections speak HTTP in the clear, and the others should not carry room for it.
package final class HTTPConversation {
  /// Requests without an answer that are remembered; a client that sends more has pipelined beyond reason.
  private static let pendingLimit = 1024

  private var requested = RequestedHosts()

  /// The hosts in the order of their first requests; empty before the first one is whole.
  package var hosts: [RequestedHosts.Host] { requested.hosts }

  /// Whether more hosts were named than are told apart.
  package var hitLimit: Bool { requested.hitLimit }

  /// Whether a head was longer than is read.
  package private(set) var hasLongHead = false

  /// Where a CONNECT leads that was answered with success: what follows is no HTTP (RFC 9110 §9.3.6).
  package private(set) var tunnelTarget: String?

  /// The host of that target, without its port.
  private(set) var tunnelHost: String?

  /// The CONNECT that was answered so.
  private(set) var tunnelRequest: HTTPFacts.Request?

  /// The request that opened the tunnel in which this conversation lies; nil where there is none.
  private let opening: HTTPFacts.Request?

  /// Whether the connection changes to TLS by the consent of both (RFC 2817 §3).
  package private(set) var isUpgradedToTLS = false

  /// Whether the connection has become that of another protocol.
  package private(set) var isUpgraded = false

  /// Whether a request has no answer yet, or one of the two ends was not done with what it said.
  package var isUnfinished: Bool {
    !pending.isEmpty || wasWithinMessage || requests.isWithinMessage || responses.isWithinMessage
      || http2?.isUnfinished == true
  }

  /// Whether one of the two ends was not done when it was broken off.
  private var wasWithinMessage = false

  /// Stable remarks.
  package var notes: [String] {
    guard let http2, http2.areRequestsLost || requested.awaitsRequest else { return noted }
    return noted + ["http2-headers-not-read"]
  }

  private var noted: [String] = []

  /// Whether the lower end is the client.
  package let clientDirection: Direction

  /// Bytes that are kept of requests and answers, and of heads that are not whole yet.
  package var heldBytes: Int {
    requested.keptBytes + requests.gatheredByteCount + responses.gatheredByteCount + earlyBytes
      + ahead.heldBytes + (http2?.heldBytes ?? 0)
  }

  private struct Pending {
    var method: String
    /// Where the request is kept; nil for a CONNECT.
    var place: RequestedHosts.Place?
    var upgradesToTLS: Bool
    var target: (text: String, host: String, request: HTTPFacts.Request)?
  }

  private var requests = MessageStream(isRequests: true)
  private var responses = MessageStream(isRequests: false)
  private var pending: [Pending] = []
  /// Answers that the capture holds before their requests, with their packets.
  private var early: [(bytes: Bytes, moment: Moment)] = []
  private var earlyBytes = 0
  /// More of them is not kept: their place is lost then.
  private static let earlyLimit = 4096
  /// How many of the answers to come can be matched with requests: none beyond those to the requests in front of a gap.
  private var matchableAnswers = Int.max
  /// Whether the next answer is that to the first pending request.
  private var matchesAnswers: Bool { matchableAnswers > 0 }
  /// The packet in which the present request begins.
  private var requestStart: Moment?
  /// The last packet with bytes of requests.
  private var requestEnd: Moment?
  /// The packet in which the present answer begins.
  private var answerStart: Moment?
  private var ahead = AheadOfAnswer()

  /// Begins a conversation, perhaps in the tunnel that another one opened.
  package init(clientDirection: Direction, in outer: HTTPConversation? = nil) {
    self.clientDirection = clientDirection
    opening = outer?.tunnelRequest
    // The proxy's own answer may still come, and would be taken for one to what is asked inside.
    if outer?.tookTunnelForOpened == true { matchableAnswers = 0 }
  }

  /// Takes the client preface of HTTP/2. It may have begun in an earlier packet.
  package func takeHTTP2Preface(since first: Moment?, at moment: Moment) {
    requested.addNameless(since: first, at: moment)
    beginHTTP2()
  }

  /// Goes on in HTTP/2; `answered` is the request that asked for it and is answered on stream 1 (RFC 7540 §3.2).
  private func beginHTTP2(answering answered: RequestedHosts.Place? = nil) {
    note("http2-cleartext")
    http2 = FrameExchange(requests.account, responses.account, answering: answered)
  }

  /// The frames of HTTP/2, once it is spoken.
  private var http2: FrameExchange?

  /// Reads on in one direction of HTTP/2.
  private func consumeFrames(_ piece: Span<UInt8>, isClient: Bool, at moment: Moment) {
    var position = 0
    if http2?.isWithinMessage(isClient: isClient) == false { setStart(moment, isClient: isClient) }
    while let event = http2?.next(in: piece, at: &position, isClient: isClient) {
      receive(event, isClient: isClient, at: moment)
      setStart(moment, isClient: isClient)
    }
    if isClient { requestEnd = moment }
  }

  private func setStart(_ moment: Moment, isClient: Bool) {
    if isClient { requestStart = moment } else { answerStart = moment }
  }

  private func receive(_ event: FrameStream.Event, isClient: Bool, at moment: Moment) {
    guard case .fields(let fields, let stream, let isWhole) = event else { return }
    guard isClient else {
      guard let head = ResponseHead(fields), head.status >= 200, let place = http2?.takePlace(of: stream)
      else { return }
      requested.answer(place, with: head, from: answerStart ?? moment, to: moment)
      return
    }
    do throws(ParseError) {
      guard let head = try RequestHead(fields, isComplete: isWhole) else { return }
      receive(head, stream: stream, isWhole: isWhole, at: moment)
    } catch {
      note("http-request-malformed")
    }
  }

  private func receive(_ head: RequestHead, stream: UInt32, isWhole: Bool, at moment: Moment) {
    // What a tunnel in a stream carries is not read (RFC 9113 §8.5).
    guard head.targetForm != .authority else { return note("http2-connect") }
    let name = head.authority.flatMap { $0.host.isEmpty ? nil : HostText.text($0.host) }
    let isFirst = hosts.isEmpty || requested.awaitsRequest
    let place = requested.add(
      head, for: name, behind: isFirst ? opening : nil, from: requestStart ?? moment, to: moment)
    if let place { http2?.keep(place, of: stream) }
    if name == nil, !isWhole { requested.loseName() }
  }

  /// Reads on in one direction. Returns where in the piece another protocol begins; its end where none does.
  package func consume(_ piece: Span<UInt8>, in direction: Direction, at moment: Moment) -> Int {
    var position = 0
    if http2 != nil {
      consumeFrames(piece, isClient: direction == clientDirection, at: moment)
      return piece.count
    }
    if direction == clientDirection {
      if !requests.isWithinHead { requestStart = moment }
      while let event = requests.next(in: piece, at: &position) {
        switch event {
        case .head: receiveRequest(at: moment)
        case .longHead:
          hasLongHead = true
          receivePart(at: moment)
        case .lost:
          noteMisread()
          loseRequests()
        }
        requestStart = moment
      }
      requestEnd = moment
      if !early.isEmpty, !pending.isEmpty { readEarlyAnswers(in: direction.opposite) }
      return position
    } else if !early.isEmpty {
      keepEarly(Bytes(copying: piece), at: moment)
    } else {
      if !responses.isWithinHead { answerStart = moment }
      while let event = responses.next(in: piece, at: &position) {
        defer { answerStart = moment }
        guard case .head = event else {
          if case .longHead = event { hasLongHead = true }
          matchableAnswers = 0
          continue
        }
        if pending.isEmpty, matchesAnswers {
          responses.expect(.none)
          responses.account?.removeLast()
          var rest = responses.head
          rest.append(copying: piece.extracting(position..<piece.count))
          keepEarly(rest, at: moment)
          return piece.count
        }
        receiveResponse(at: moment)
        if http2 != nil {
          consumeFrames(piece.extracting(position..<piece.count), isClient: false, at: moment)
          return piece.count
        }
        if tunnelTarget != nil || isUpgradedToTLS { return position }
      }
    }
    return piece.count
  }

  /// Keeps what a server says before the capture shows what it was asked.
  private func keepEarly(_ bytes: Bytes, at moment: Moment) {
    earlyBytes += bytes.count
    early.append((bytes, moment))
    guard earlyBytes > HTTPConversation.earlyLimit else { return }
    matchableAnswers = 0
    responses.expect(.untilClose)
    _ = responses.skip(missing: earlyBytes)
    (early, earlyBytes) = ([], 0)
  }

  private func readEarlyAnswers(in direction: Direction) {
    let answers = early
    (early, earlyBytes) = ([], 0)
    for answer in answers {
      let isOver = tunnelTarget != nil || isUpgradedToTLS
      let end = isOver ? 0 : consume(answer.bytes.span, in: direction, at: answer.moment)
      guard tunnelTarget != nil || isUpgradedToTLS, end < answer.bytes.count else { continue }
      behind.append((Bytes(answer.bytes[end...]), answer.moment))
    }
  }

  /// Takes note of bytes that the capture lacks in one direction.
  package func skip(missing count: Int, in direction: Direction) {
    if http2 != nil {
      breakFrames(isClient: direction == clientDirection)
      http2?.skip(missing: count, isClient: direction == clientDirection)
      return
    }
    if direction == clientDirection, requests.breakHead(), let requestEnd { receivePart(at: requestEnd) }
    if !early.isEmpty {
      // What is left of them has lost its requests; the first may be that to a request whose head is cut.
      if pending.isEmpty || ahead.mayBeginWithRest { matchableAnswers = 0 }
      readEarlyAnswers(in: clientDirection.opposite)
    }
    if direction == clientDirection, requests.isWaiting, !ahead.mayBeginWithRest {
      ahead.lose(count)
      return
    }
    // The gap may hide a whole request or answer.
    if direction == clientDirection {
      let forgotten = ahead.forget()
      requests.account?.add(.content(forgotten))
      if !requests.skip(missing: count) { loseRequests() }
    } else if !responses.skip(missing: count) {
      matchableAnswers = 0
    }
  }

  /// Takes a header block that has begun for all that there will be of it.
  private func breakFrames(isClient: Bool) {
    guard let event = http2?.breakBlock(isClient: isClient), let moment = isClient ? requestEnd : answerStart
    else { return }
    receive(event, isClient: isClient, at: moment)
  }

  /// Takes what was begun for all that there is.
  package func breakOff() {
    if http2 != nil {
      wasWithinMessage = http2?.isUnfinished == true
      breakFrames(isClient: true)
      breakFrames(isClient: false)
      return
    }
    wasWithinMessage = requests.isWithinMessage || responses.isWithinMessage
    if requests.breakHead(), let requestEnd { receivePart(at: requestEnd) }
    if !early.isEmpty {
      if pending.isEmpty { matchableAnswers = 0 }
      readEarlyAnswers(in: clientDirection.opposite)
    }
    _ = responses.breakHead()
    responses.lose()
  }

  /// Takes note that requests may be missing from here on: answers are in the order of requests, so that those to the ones that were
  /// read can be told, and none behind them.
  private func loseRequests() { matchableAnswers = min(matchableAnswers, pending.count) }

  /// Takes note that bytes before those that are read are not known: a request and its answer may be among them.
  package func passUnknown() { matchableAnswers = 0 }

  private func note(_ name: String) {
    if !noted.contains(name) { noted.append(name) }
  }

  private func noteMisread() {
    note("http-request-malformed")
    requests.account?.add(.misread)
  }

  private func receiveRequest(at moment: Moment) {
    guard let head = try? RequestHead(parsing: requests.head.span) else {
      noteMisread()
      loseRequests()
      requests.lose()
      return
    }
    requests.expect(head.bodyFraming)
    receive(head, at: moment)
  }

  /// Takes a request of whose head a part is missing: it was made, and what is there may say of whom. Behind it the place is lost.
  private func receivePart(at moment: Moment) {
    defer { loseRequests() }
    var part = requests.head
    var head = try? RequestHead(beginning: part.span)
    if head == nil, part.count > MessageHead.maximumByteCount {
      // A target that never ends, to which no more is missing than the version.
      part.append(contentsOf: " HTTP/1.1".utf8)
      head = try? RequestHead(beginning: part.span)
    }
    guard let head else { return }
    ahead.mayBeginWithRest = head.method == "CONNECT"
    receive(head, at: moment)
    if head.authority == nil { requested.loseName() }
  }

  private func receive(_ head: RequestHead, at moment: Moment) {
    // An empty Host names nobody (RFC 9110 §7.2).
    let hostText = head.authority.flatMap { $0.host.isEmpty ? nil : HostText.text($0.host) }
    var waiting = Pending(
      method: head.method, place: nil, upgradesToTLS: HTTPConversation.isTLS(head.upgrade), target: nil)
    if head.method == "CONNECT" {
      let target = RequestedHosts.text(hostText ?? "", port: head.authority?.port)
      waiting.target = (
        target, hostText ?? "",
        HTTPFacts.Request(
          method: "CONNECT", host: nil, path: target, frame: requestStart?.frame ?? moment.frame)
      )
      // Whom what follows is for is known once the proxy has answered.
      requests.wait(behind: ahead.mayBeginWithRest ? .none : head.bodyFraming)
    } else {
      let opening = hosts.isEmpty ? opening : nil
      waiting.place = requested.add(
        head, for: hostText, behind: opening, from: requestStart ?? moment, to: moment)
    }
    if pending.count < HTTPConversation.pendingLimit {
      pending.append(waiting)
    } else {
      loseRequests()
    }
  }

  private func receiveResponse(at moment: Moment) {
    guard let head = try? ResponseHead(parsing: responses.head.span) else {
      matchableAnswers = 0
      responses.expect(.untilClose)
      return
    }
    // An interim answer (RFC 9110 §15.2) is followed by the real one, but for 101, which ends HTTP here.
    if (100..<200).contains(head.status), head.status != 101 {
      responses.expect(.none)
      return
    }
    guard matchesAnswers, !pending.isEmpty else {
      responses.expect(head.bodyFraming(answering: "GET"))
      return
    }
    let answered = pending.removeFirst()
    if matchableAnswers < .max { matchableAnswers -= 1 }
    responses.expect(head.bodyFraming(answering: answered.method))
    if let target = answered.target {
      receiveConnectAnswer(head.status, target)
      return
    }
    if head.status == 101 {
      isUpgradedToTLS = answered.upgradesToTLS || HTTPConversation.isTLS(head.upgrade)
      let isHTTP2 = head.upgrade == Bytes("h2c".utf8)
      isUpgraded = !isUpgradedToTLS && !isHTTP2
      requests.stop()
      responses.stop()
      if isHTTP2 { beginHTTP2(answering: answered.place) }
    }
    if let place = answered.place {
      requested.answer(place, with: head, from: answerStart ?? moment, to: moment)
    }
  }

  /// Whether the last request was a CONNECT that has not been answered.
  package var awaitsTunnel: Bool { tunnelTarget == nil && pending.last?.target != nil }

  /// Keeps what the client says behind a CONNECT that has not been answered, and tells what all of that is.
  package func keepAhead(_ piece: Span<UInt8>, at moment: Moment) -> AheadOfAnswer.Kind {
    let (kind, forgotten) = ahead.add(piece, at: moment)
    requests.account?.add(.content(forgotten))
    return kind
  }

  /// Gives out what the client said ahead of the answer; nothing if not all of it was kept.
  package func takeAhead() -> [(bytes: Bytes, moment: Moment)] { ahead.takeParts() }

  /// Takes a CONNECT that has not been answered for one that was refused: the client asks the proxy for something else.
  package func takeTunnelForRefused() {
    guard pending.popLast()?.target != nil else { return }
    matchableAnswers = 0
    // What was kept begins with the request that told.
    ahead.mayBeginWithRest = false
    goOn()
  }

  /// Goes on with what the client said ahead of an answer that refused the tunnel.
  private func goOn() {
    let (parts, missing) = ahead.takeAll()
    refed += parts.reversed()
    requests.goOn()
    if ahead.mayBeginWithRest { requests.lose() }
    ahead.mayBeginWithRest = false
    if missing > 0, !requests.skip(missing: missing) { loseRequests() }
  }

  /// What a client said ahead of an answer that refused the tunnel, the last of it first: it is for the proxy.
  private var refed: [(bytes: Bytes, moment: Moment)] = []

  /// Whether it is being read again.
  package var isRefeeding = false

  /// Gives out the next part of what the client said to the proxy ahead of its answer.
  package func nextRefed() -> (bytes: Bytes, moment: Moment)? { refed.popLast() }

  /// What the server said behind an early answer that opened the tunnel.
  private var behind: [(bytes: Bytes, moment: Moment)] = []

  /// Gives out what the server said behind an early answer that opened the tunnel.
  package func takeBehind() -> [(bytes: Bytes, moment: Moment)] {
    defer { behind = [] }
    return behind
  }

  /// Adds what the bytes are to an account from now on.
  package func keep(_ account: ByteAccount) {
    requests.account = account.side(clientDirection)
    responses.account = account.side(clientDirection.opposite)
  }

  /// Bytes of one direction that came and are not read yet.
  package func unreadBytes(in direction: Direction) -> Int {
    let isClient = direction == clientDirection
    return (isClient ? ahead.byteCount : earlyBytes) + (http2?.gatheredByteCount(isClient: isClient) ?? 0)
      + (isClient ? requests : responses).gatheredByteCount
  }

  /// Whether that CONNECT was taken for answered without its answer.
  private(set) var tookTunnelForOpened = false

  /// Takes a CONNECT that has not been answered for one that has been, with success.
  package func takeTunnelForOpened() {
    guard let target = pending.popLast()?.target else { return }
    tookTunnelForOpened = true
    openTunnel(target, status: nil)
  }

  private func receiveConnectAnswer(
    _ status: UInt16, _ target: (text: String, host: String, request: HTTPFacts.Request)
  ) {
    guard (200..<300).contains(status) else {
      // The proxy refused; the client may ask again on the same connection.
      goOn()
      return
    }
    openTunnel(target, status: Int(status))
  }

  private func openTunnel(
    _ target: (text: String, host: String, request: HTTPFacts.Request), status: Int?
  ) {
    tunnelTarget = target.text
    tunnelHost = target.host
    tunnelRequest = target.request
    tunnelRequest?.status = status
  }

  /// Whether the protocol named first in an Upgrade field is TLS.
  private static func isTLS(_ upgrade: Bytes?) -> Bool {
    guard let upgrade, upgrade.count > 3 else { return false }
    return zip(upgrade, "tls/".utf8).allSatisfy { $0 | 0x20 == $1 | 0x20 }
  }
}
