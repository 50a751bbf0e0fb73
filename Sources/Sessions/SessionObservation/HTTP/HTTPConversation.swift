import ByteParsing
import HTTPParsing
import Values

/// The cleartext requests of one connection and the answers to them, gathered by the host that they name.
///
/// A class: few connections speak HTTP in the clear, and the others should not carry room for it.
final class HTTPConversation {
  /// The requests for one host.
  struct Host {
    /// The host as the first request names it; nil where it names none.
    var name: String?
    /// What was asked.
    var facts: HTTPFacts
    /// The packet of the first request.
    var first: Moment
    /// The packet of the last request, or of the last answer to one of the first.
    var last: Moment
  }

  /// Hosts that are told apart on one connection; requests for more are counted with the last.
  static let hostLimit = 256

  /// Requests without an answer that are remembered; a client that sends more has pipelined beyond reason.
  private static let pendingLimit = 1024

  /// The hosts in the order of their first requests; empty before the first one is whole.
  private(set) var hosts: [Host] = []

  /// Whether a limit was hit.
  private(set) var hitLimit = false

  /// Where a CONNECT leads that was answered with success: what follows is no HTTP (RFC 9110 §9.3.6).
  private(set) var tunnelTarget: String?

  /// The host of that target, without its port.
  private(set) var tunnelHost: String?

  /// The CONNECT that was answered so.
  private(set) var tunnelRequest: HTTPFacts.Request?

  /// The request that opened the tunnel in which this conversation lies; nil where there is none.
  private let opening: HTTPFacts.Request?

  /// Whether the connection changes to TLS by the consent of both (RFC 2817 §3).
  private(set) var isUpgradedToTLS = false

  /// Whether the connection has become that of another protocol.
  private(set) var isUpgraded = false

  /// Whether a request has no answer yet, or one of the two ends was not done with what it said.
  var isUnfinished: Bool { !pending.isEmpty || requests.isWithinMessage || responses.isWithinMessage }

  /// Stable remarks.
  private(set) var notes: [String] = []

  /// Whether the lower end is the client.
  let isClientLower: Bool

  private struct Pending {
    var method: String
    var host: Int
    /// Index among the kept requests of the host; nil where the request is not kept.
    var request: Int?
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
  /// Whether answers can still be matched with requests.
  private var matchesAnswers = true

  /// Begins a conversation, perhaps in the tunnel that another one opened.
  init(isClientLower: Bool, in outer: HTTPConversation? = nil) {
    self.isClientLower = isClientLower
    opening = outer?.tunnelRequest
  }

  /// Takes the client preface of HTTP/2: its requests are compressed and not read, but that they are in the clear is sure.
  func takeHTTP2Preface(at moment: Moment) {
    notes.append("http2-cleartext")
    requests.stop()
    responses.stop()
    hosts.append(
      Host(name: nil, facts: HTTPFacts(requestCount: 0, requests: []), first: moment, last: moment))
  }

  /// Reads on in one direction. Returns where in the piece another protocol begins; its end where none does.
  func consume(_ piece: Span<UInt8>, fromLower: Bool, at moment: Moment) -> Int {
    var position = 0
    if fromLower == isClientLower {
      while let event = requests.next(in: piece, at: &position) {
        if case .head = event { receiveRequest(at: moment) } else { note("http-request-malformed") }
      }
      if !early.isEmpty, !pending.isEmpty { readEarlyAnswers(fromLower: !fromLower) }
    } else if !early.isEmpty {
      keepEarly(Bytes(copying: piece), at: moment)
    } else {
      while let event = responses.next(in: piece, at: &position) {
        guard case .head = event else {
          matchesAnswers = false
          continue
        }
        if pending.isEmpty, matchesAnswers {
          responses.expect(.none)
          var rest = responses.head
          rest.append(copying: piece.extracting(position..<piece.count))
          keepEarly(rest, at: moment)
          return piece.count
        }
        receiveResponse(at: moment)
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
    (early, earlyBytes) = ([], 0)
    matchesAnswers = false
    responses.expect(.untilClose)
  }

  private func readEarlyAnswers(fromLower: Bool) {
    let answers = early
    (early, earlyBytes) = ([], 0)
    for answer in answers { _ = consume(answer.bytes.span, fromLower: fromLower, at: answer.moment) }
  }

  /// Takes note of bytes that the capture lacks in one direction.
  func skip(missing count: Int, fromLower: Bool) {
    // A gap may hide a whole request or answer.
    matchesAnswers = false
    readEarlyAnswers(fromLower: !isClientLower)
    if fromLower == isClientLower { requests.skip(missing: count) } else { responses.skip(missing: count) }
  }

  private func note(_ name: String) {
    if !notes.contains(name) { notes.append(name) }
  }

  private func receiveRequest(at moment: Moment) {
    guard let head = try? RequestHead(parsing: requests.head.span) else {
      note("http-request-malformed")
      requests.expect(.untilClose)
      return
    }
    requests.expect(head.bodyFraming)
    let hostText = head.authority.map { InputText.string(decoding: $0.host) }
    var waiting = Pending(
      method: head.method, host: 0, request: nil, upgradesToTLS: HTTPConversation.isTLS(head.upgrade),
      target: nil)
    if head.method == "CONNECT" {
      let port = head.authority?.port.map { ":\($0)" } ?? ""
      let host = hostText ?? ""
      let target = (host.contains(":") ? "[\(host)]" : host) + port
      waiting.target = (
        target, hostText ?? "",
        HTTPFacts.Request(method: "CONNECT", host: nil, path: target, frame: moment.frame)
      )
      // Nothing that follows is for this connection until the proxy has answered.
      requests.stop()
    } else {
      waiting.host = add(head, hostText, &waiting, moment)
    }
    if pending.count < HTTPConversation.pendingLimit {
      pending.append(waiting)
    } else {
      matchesAnswers = false
    }
  }

  /// Counts a request with its host and returns the host's index.
  private func add(
    _ head: RequestHead, _ hostText: String?, _ waiting: inout Pending, _ moment: Moment
  ) -> Int {
    let key = hostText?.lowercased()
    var index = hosts.firstIndex { $0.name?.lowercased() == key }
    if index == nil {
      if hosts.count < HTTPConversation.hostLimit {
        // A request that opened the tunnel for cleartext stands before the first one in it.
        let opening = hosts.isEmpty ? opening : nil
        hosts.append(
          Host(
            name: hostText,
            facts: HTTPFacts(requestCount: opening == nil ? 0 : 1, requests: opening.map { [$0] } ?? []),
            first: moment, last: moment))
      } else {
        hitLimit = true
      }
      index = hosts.count - 1
    }
    let host = index ?? 0
    hosts[host].facts.requestCount += 1
    hosts[host].last = moment
    if hosts[host].facts.requests.count < HTTPFacts.keptRequests {
      let port = head.authority?.port.map { ":\($0)" } ?? ""
      var request = HTTPFacts.Request(
        method: head.method, host: hostText.map { $0 + port }, path: InputText.string(decoding: head.path),
        frame: moment.frame)
      request.upgrade = head.upgrade.map { InputText.string(decoding: $0) }
      hosts[host].facts.requests.append(request)
      waiting.request = hosts[host].facts.requests.count - 1
    }
    return host
  }

  private func receiveResponse(at moment: Moment) {
    guard let head = try? ResponseHead(parsing: responses.head.span) else {
      matchesAnswers = false
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
    responses.expect(head.bodyFraming(answering: answered.method))
    if let target = answered.target {
      receiveConnectAnswer(head.status, target)
      return
    }
    if head.status == 101 {
      isUpgradedToTLS = answered.upgradesToTLS || HTTPConversation.isTLS(head.upgrade)
      isUpgraded = !isUpgradedToTLS
      requests.stop()
      responses.stop()
    }
    guard let request = answered.request, hosts.indices.contains(answered.host),
      hosts[answered.host].facts.requests.indices.contains(request)
    else { return }
    hosts[answered.host].last = moment
    hosts[answered.host].facts.requests[request].status = Int(head.status)
    hosts[answered.host].facts.requests[request].redirectScheme = head.location?.scheme.map {
      InputText.string(decoding: $0)
    }
    hosts[answered.host].facts.requests[request].redirectHost = head.location?.host.map {
      InputText.string(decoding: $0)
    }
    hosts[answered.host].facts.requests[request].contentType = head.contentType.map(
      HTTPConversation.mediaType)
  }

  /// Whether the last request was a CONNECT that has not been answered.
  var awaitsTunnel: Bool { tunnelTarget == nil && pending.last?.target != nil }

  /// Whether that CONNECT was taken for answered without its answer.
  private(set) var tookTunnelForOpened = false

  /// Takes a CONNECT that has not been answered for one that has been, with success.
  func takeTunnelForOpened() {
    guard let target = pending.popLast()?.target else { return }
    tookTunnelForOpened = true
    openTunnel(target, status: nil)
  }

  private func receiveConnectAnswer(
    _ status: UInt16, _ target: (text: String, host: String, request: HTTPFacts.Request)
  ) {
    guard (200..<300).contains(status) else {
      // The proxy refused; the client may ask again on the same connection.
      requests.expect(.none)
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

  /// The media type of a Content-Type field, in lower case, without parameters.
  private static func mediaType(_ field: Bytes) -> String {
    let text = InputText.string(decoding: field)
    let type = text.split(separator: ";", omittingEmptySubsequences: false).first ?? ""
    return type.filter { $0 != " " && $0 != "\t" }.lowercased()
  }
}
