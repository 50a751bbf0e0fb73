/// The cleartext requests that one connection made of one host.
public struct HTTPFacts: Hashable, Sendable {
  /// One request and what was seen of its response.
  public struct Request: Hashable, Sendable {
    /// The method, such as `GET`.
    public var method: String
    /// The host of an absolute target, else the Host field, as sent; nil where there is neither.
    public var host: String?
    /// The target's path without its query; `*` and authority forms as they stand.
    public var path: String
    /// The packet in which the request begins.
    public var frame: UInt64
    /// The status code of the response; nil where none was seen.
    public var status: Int?
    /// The scheme that a Location field of the response names.
    public var redirectScheme: String?
    /// The host that a Location field of the response names.
    public var redirectHost: String?
    /// The media type of the response, without parameters.
    public var contentType: String?
    /// The protocol that the request asked to change to, such as `websocket`.
    public var upgrade: String?

    /// Creates a request without a response.
    package init(method: String, host: String?, path: String, frame: UInt64) {
      self.method = method
      self.host = host
      self.path = path
      self.frame = frame
    }
  }

  /// How many requests were made, all told.
  public var requestCount: Int

  /// The first of them, in order; at most `HTTPFacts.maximumRequests`.
  public var requests: [Request]

  /// The maximum number of requests that are kept per session.
  public static let maximumRequests = 16

  /// Creates the facts.
  package init(requestCount: Int, requests: [Request]) {
    self.requestCount = requestCount
    self.requests = requests
  }
}
