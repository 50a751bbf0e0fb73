import ByteParsing

/// The requests of a connection without a response so far, in order (RFC 9112 §9.3).
struct PendingRequests {
  /// A request without a response.
  struct Request {
    var method: String
    /// Where the request is kept; nil for a CONNECT.
    var requestIndex: RequestedHosts.RequestIndex?
    /// The protocols to which it asks to upgrade; nil if to none.
    var upgrade: Bytes?
    /// Whether its sender may omit the body after a final response.
    var expectsContinue: Bool
    /// The target of a CONNECT; nil for other methods.
    var target: ConnectTarget?
  }

  /// The maximum number of requests remembered; no reasonable client pipelines more.
  private static let maximumCount = 1024

  private var requests: [Request] = []

  /// How many of the following responses can be matched with requests. After a gap in the requests, only responses to the requests before
  /// it can.
  private var matchableCount = Int.max

  /// Whether every request has its response.
  var isEmpty: Bool { requests.isEmpty }

  /// The most recent request.
  var last: Request? { requests.last }

  /// Whether the next response can be matched with the first request.
  var matchesResponses: Bool { matchableCount > 0 }

  mutating func append(_ request: Request) {
    if requests.count < PendingRequests.maximumCount {
      requests.append(request)
    } else {
      loseRequests()
    }
  }

  /// Removes and returns the request that the next response is for; nil if that is unknown.
  mutating func takeFirst() -> Request? {
    guard matchesResponses, !requests.isEmpty else { return nil }
    if matchableCount < .max { matchableCount -= 1 }
    return requests.removeFirst()
  }

  mutating func takeLast() -> Request? { requests.popLast() }

  /// Records that requests may be missing. Responses arrive in the order of requests, so only those to the requests before the gap can be
  /// matched.
  mutating func loseRequests() { matchableCount = min(matchableCount, requests.count) }

  /// Records that no further response can be matched.
  mutating func loseResponses() { matchableCount = 0 }
}

/// A CONNECT. A class: few requests are one, and the others should not reserve memory for it.
final class ConnectTarget {
  /// The host and port.
  let text: String
  let host: String

  init(text: String, host: String) {
    self.text = text
    self.host = host
  }
}
