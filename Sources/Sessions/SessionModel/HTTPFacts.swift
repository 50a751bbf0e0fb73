/// The cleartext requests of one connection to one host.
public struct HTTPFacts: Hashable, Sendable {
  /// One request, and its response if captured.
  public struct Request: Hashable, Sendable {
    /// The method, such as `GET`.
    public package(set) var method: String
    /// The host of an absolute target, or else the Host field, as sent; nil if there is neither.
    public package(set) var host: String?
    /// The target's path without its query; `*` and authority forms unchanged.
    public package(set) var path: String
    /// The packet in which the request begins.
    public package(set) var frame: UInt64
    /// The status code of the response; nil if none was captured.
    public package(set) var status: Int?
    /// The scheme in a Location field of the response; nil if there is none.
    public package(set) var redirectScheme: String?
    /// The host in a Location field of the response; nil if there is none.
    public package(set) var redirectHost: String?
    /// The media type of the response, without parameters; nil if there is none.
    public package(set) var contentType: String?
    /// The media type of the request, without parameters; nil if there is none.
    public package(set) var requestContentType: String?
    /// The scheme of an absolute target, or `:scheme` in HTTP/2, if it is not `http`; otherwise nil.
    public package(set) var scheme: String?
    /// The protocol in an Upgrade field of the request, such as `websocket`; nil if there is none.
    public package(set) var upgrade: String?
    /// Whether the capture lacks the end of the request's header; fields in it are then unknown.
    public package(set) var isTruncated = false

    package init(method: String, host: String?, path: String, frame: UInt64) {
      self.method = method
      self.host = host
      self.path = path
      self.frame = frame
    }
  }

  /// The total number of requests.
  public package(set) var requestCount: Int

  /// The first requests in order, at most 16.
  public package(set) var requests: [Request]

  /// The maximum number of requests that are kept per session.
  package static let maximumRequests = 16

  package init(requestCount: Int, requests: [Request]) {
    self.requestCount = requestCount
    self.requests = requests
  }
}
