/// The cleartext requests that one connection made of one host.
public struct HTTPFacts: Hashable, Sendable {
  /// One request and what was seen of its response.
  public struct Request: Hashable, Sendable {
    /// The method, such as `GET`.
    public package(set) var method: String
    /// The host of an absolute target, else the Host field, as sent; nil where there is neither.
    public package(set) var host: String?
    /// The target's path without its query; `*` and authority forms as they stand.
    public package(set) var path: String
    /// The packet in which the request begins.
    public package(set) var frame: UInt64
    /// The status code of the response; nil where none was seen.
    public package(set) var status: Int?
    /// The scheme that a Location field of the response names.
    public package(set) var redirectScheme: String?
    /// The host that a Location field of the response names.
    public package(set) var redirectHost: String?
    /// The media type of the response, without parameters.
    public package(set) var contentType: String?
    /// The protocol that the request asked to change to, such as `websocket`.
    public package(set) var upgrade: String?

    /// Creates a request without a response.
    package init(method: String, host: String?, path: String, frame: UInt64) {
      self.method = method
      self.host = host
      self.path = path
      self.frame = frame
    }
  }

  /// How many requests were made, all told.
  public package(set) var requestCount: Int

  /// The first of them, in order; at most `HTTPFacts.maximumRequests`.
  public package(set) var requests: [Request]

  /// The maximum number of requests that are kept per session.
  public static let maximumRequests = 16

  /// Creates the facts.
  package init(requestCount: Int, requests: [Request]) {
    self.requestCount = requestCount
    self.requests = requests
  }
}
