import SessionModel

/// The requests of a connection whose responses are still to come, in order (RFC 9112 §9.3).
struct PendingRequests {
  /// A request without a response.
  struct Request {
    var method: String
    /// Where the request is kept; nil for a CONNECT.
    var place: RequestedHosts.Place?
    var upgradesToTLS: Bool
    /// Where a CONNECT leads.
    var target: ConnectTarget?
  }

  /// Requests that are remembered; a client that sends more has pipelined beyond reason.
  private static let maximumCount = 1024

  private var requests: [Request] = []

  /// How many of the responses to come can be matched with requests: after a gap, only those to the requests before it.
  private var matchableCount = Int.max

  /// Whether every request has its response.
  var isEmpty: Bool { requests.isEmpty }

  /// The request that was made last.
  var last: Request? { requests.last }

  /// Whether the next response is that to the first request.
  var matchesResponses: Bool { matchableCount > 0 }

  mutating func append(_ request: Request) {
    if requests.count < PendingRequests.maximumCount {
      requests.append(request)
    } else {
      loseRequests()
    }
  }

  /// Returns the request that the next response is for; nil where that is not known.
  mutating func takeFirst() -> Request? {
    guard matchesResponses, !requests.isEmpty else { return nil }
    if matchableCount < .max { matchableCount -= 1 }
    return requests.removeFirst()
  }

  mutating func takeLast() -> Request? { requests.popLast() }

  /// Records that requests may be missing: responses are in the order of requests, so those to the requests that were read can
  /// still be matched, and none after them.
  mutating func loseRequests() { matchableCount = min(matchableCount, requests.count) }

  /// Records that no further response can be matched.
  mutating func loseResponses() { matchableCount = 0 }
}

/// Where a CONNECT leads.
struct ConnectTarget {
  /// The host and port.
  var text: String
  var host: String
  var request: HTTPFacts.Request
}
