import ByteParsing
import HTTPParsing
package import SessionModel
import Values

/// The requests of one connection, grouped by host.
package struct RequestedHosts {
  package struct Host {
    /// The host that the client requested from a proxy, or else as the first request writes it; nil if neither names one.
    package var name: String?
    /// The source of `name`.
    package var source = ObservedSession.NameSource.httpHost
    /// The requests that are kept.
    package var facts: HTTPFacts
    /// Whether a request was truncated before the field that names the host.
    package var isNameLost = false
    /// The host and port of the first request if its target is in absolute form, which clients send to proxies (RFC 9112 §3.2.2).
    package var proxyTarget: String?
    package var first: PacketReference
    /// The packet of the last request, or of the last response to a kept request.
    package var last: PacketReference

    /// The frame ranges of request heads and response heads. The last range of each covers all further ones.
    private var requestHeads: [ClosedRange<UInt64>] = []
    private var responseHeads: [ClosedRange<UInt64>] = []

    init(name: String?, facts: HTTPFacts, first: PacketReference, last: PacketReference) {
      self.name = name
      self.facts = facts
      self.first = first
      self.last = last
    }

    /// Whether a request head, or a response head, may be in one of these packets.
    package func mayHoldHead(in frames: FrameList, isRequest: Bool) -> Bool {
      let heads = isRequest ? requestHeads : responseHeads
      // Compressed requests are not read, so any packet may contain one.
      return heads.isEmpty ? isRequest : heads.contains { head in frames.contains { head.contains($0) } }
    }

    /// Records the packets of a head.
    fileprivate mutating func noteHead(isRequest: Bool, _ start: PacketReference, _ end: PacketReference) {
      let head = min(start.frame, end.frame)...max(start.frame, end.frame)
      if isRequest { Host.note(head, in: &requestHeads) } else { Host.note(head, in: &responseHeads) }
    }

    private static func note(_ head: ClosedRange<UInt64>, in heads: inout [ClosedRange<UInt64>]) {
      guard heads.count >= HTTPFacts.maximumRequests, let last = heads.popLast() else {
        heads.append(head)
        return
      }
      heads.append(min(last.lowerBound, head.lowerBound)...max(last.upperBound, head.upperBound))
    }

    /// Extends the frame range of the host to a packet. Out-of-order segments are read later than others.
    mutating func extend(to reference: PacketReference) {
      if reference.frame > last.frame { last = reference }
      if reference.frame < first.frame { first = reference }
    }
  }

  /// The host and index under which a request is kept.
  struct RequestIndex {
    fileprivate var host: Int
    /// The index among the kept requests of the host.
    fileprivate var request: Int
  }

  /// What the client requested from the innermost proxy; nil if there is none.
  package let target: Preamble.Asked?

  init(to target: Preamble.Asked?) { self.target = target }

  /// The host that the proxy was given, which is that of every request in the tunnel (policy text A.3); nil if there is none.
  private var tunnelHost: String? {
    if case .host(let host) = target, !host.isEmpty { host } else { nil }
  }

  /// The host of a request in the tunnel that names `name`; nil for the address that the proxy was given.
  private func tunneled(_ name: String?) -> String? {
    if case .address = target, let name, IPAddress(name) != nil { return nil }
    return tunnelHost ?? name
  }

  /// The maximum number of hosts distinguished on one connection; requests for further hosts are counted with the last.
  static let maximumCount = 256

  /// The hosts in the order of their first requests.
  private(set) var hosts: [Host] = []

  /// Whether the limit on distinct hosts was exceeded.
  private(set) var hitLimit = false

  /// The memory that hosts and requests take, in bytes.
  private(set) var keptBytes = 0

  /// The index of each host after the first, by its name in lower case. Most connections have one host, which needs no table.
  private var indices: [String?: Int] = [:]

  /// Counts a request with its host. Returns where it is kept; nil if the host already has the maximum. If the head is not whole, fields
  /// after those read may be missing.
  mutating func add(
    _ head: RequestHead, isWhole: Bool, for name: String?, from start: PacketReference, to end: PacketReference
  ) -> RequestIndex? {
    // A URL as the target is for a further proxy.
    let isTunneled = head.targetForm != .absolute
    let host = index(of: isTunneled ? tunneled(name) : name, at: start)
    if isTunneled, tunnelHost != nil { hosts[host].source = .connect }
    if hosts[host].facts.requestCount == 0, head.targetForm == .absolute, let name {
      let usual = RequestedHosts.ports.first { head.scheme?.elementsEqual($0.scheme.utf8) == true }?.port
      hosts[host].proxyTarget = RequestedHosts.text(name, port: head.authority?.port ?? usual ?? 80)
    }
    if !isWhole, head.authority == nil, hosts[host].name == nil { hosts[host].isNameLost = true }
    hosts[host].facts.requestCount += 1
    hosts[host].extend(to: start)
    hosts[host].extend(to: end)
    hosts[host].noteHead(isRequest: true, start, end)
    guard hosts[host].facts.requests.count < HTTPFacts.maximumRequests else { return nil }
    var request = HTTPFacts.Request(
      method: head.method, host: name.map { RequestedHosts.text($0, port: head.authority?.port) },
      path: InputText.string(decoding: head.path), frame: start.frame)
    request.upgrade = head.upgrade.map { InputText.string(decoding: $0) }
    if let scheme = head.scheme, !scheme.elementsEqual("http".utf8) { request.scheme = InputText.string(decoding: scheme) }
    request.requestContentType = head.contentType.map(RequestedHosts.mediaType)
    request.isTruncated = !isWhole
    hosts[host].facts.requests.append(request)
    keptBytes +=
      192 + request.path.utf8.count + (request.host?.utf8.count ?? 0) + (request.upgrade?.utf8.count ?? 0)
      + (request.scheme?.utf8.count ?? 0) + (request.requestContentType?.utf8.count ?? 0)
    return RequestIndex(host: host, request: hosts[host].facts.requests.count - 1)
  }

  /// Adds a host whose name is unknown until its first request; its traffic began at packet `first`.
  mutating func addNameless(since first: PacketReference?, at reference: PacketReference) {
    var host = Host(name: tunnelHost, facts: HTTPFacts(requestCount: 0, requests: []), first: reference, last: reference)
    if let first { host.extend(to: first) }
    if tunnelHost != nil { host.source = .connect }
    hosts.append(host)
    awaitsRequest = true
  }

  /// Whether the only host so far has not been named by a request.
  private(set) var awaitsRequest = false

  /// Removes the host that no request has named. A CONNECT takes its place, which is not a load (policy text A.6).
  mutating func removeNameless() {
    if awaitsRequest { (hosts, awaitsRequest) = ([], false) }
  }

  /// Adds the response to a request, in packets `start` to `end`.
  mutating func addResponse(to requestIndex: RequestIndex, with head: ResponseHead, from start: PacketReference, to end: PacketReference) {
    guard hosts.indices.contains(requestIndex.host), hosts[requestIndex.host].facts.requests.indices.contains(requestIndex.request)
    else { return }
    hosts[requestIndex.host].extend(to: start)
    hosts[requestIndex.host].extend(to: end)
    hosts[requestIndex.host].noteHead(isRequest: false, start, end)
    keptBytes += min(head.location?.host?.count ?? 0, HostText.maximumNameByteCount) + (head.contentType?.count ?? 0)
    var request = hosts[requestIndex.host].facts.requests[requestIndex.request]
    request.status = Int(head.status)
    request.redirectScheme = head.location?.scheme.map { InputText.string(decoding: $0) }
    request.redirectHost = head.location?.host.map { HostText.text($0) }
    request.contentType = head.contentType.map(RequestedHosts.mediaType)
    hosts[requestIndex.host].facts.requests[requestIndex.request] = request
  }

  /// The index of the host with this key; nil if there is none.
  private func index(of key: String?) -> Int? {
    if let first = hosts.first, !awaitsRequest, first.name?.lowercased() == key { return 0 }
    return indices[key]
  }

  /// The index of the host with this name, which is added if it is new.
  private mutating func index(of name: String?, at start: PacketReference) -> Int {
    // Not by the value of an address: exceptions are compared as text (policy text B.8).
    let key = name?.lowercased()
    if let index = index(of: key) { return index }
    if awaitsRequest {
      awaitsRequest = false
      hosts[0].name = name
      keptBytes += 512 + 2 * (name?.utf8.count ?? 0)
      return 0
    }
    guard hosts.count < RequestedHosts.maximumCount else {
      hitLimit = true
      return hosts.count - 1
    }
    hosts.append(Host(name: name, facts: HTTPFacts(requestCount: 0, requests: []), first: start, last: start))
    if hosts.count > 1 { indices[key] = hosts.count - 1 }
    keptBytes += 512 + 2 * (name?.utf8.count ?? 0)
    return hosts.count - 1
  }

  /// The ports of URLs without one, if the scheme is not `http`.
  private static let ports: [(scheme: String, port: UInt16)] = [("https", 443), ("ftp", 21)]

  /// A host with its port, as a URL writes it.
  static func text(_ host: String, port: UInt16?) -> String {
    Endpoint.urlHost(host) + (port.map { ":\($0)" } ?? "")
  }

  /// The media type of a Content-Type field, in lower case, without parameters.
  private static func mediaType(_ field: Bytes) -> String {
    let text = InputText.string(decoding: field)
    let type = text.split(separator: ";", omittingEmptySubsequences: false).first ?? ""
    return type.filter { $0 != " " && $0 != "\t" }.lowercased()
  }
}
