import HTTPParsing
import SessionModel

// The heads of HTTP/1.x requests.
extension HTTPConversation {
  func noteMisread() {
    // After a request to upgrade, whose response may be missing from the capture, other protocols may follow.
    guard pending.last?.upgrade == nil else { return }
    note(.httpRequestMalformed)
    account?.add(.misread, in: clientDirection)
  }

  func receiveRequest(at reference: PacketReference) {
    guard let head = try? RequestHead(parsing: requests.head.span) else {
      noteMisread()
      pending.loseRequests()
      requests.lose()
      return
    }
    let isEndUnknown = head.bodyFraming == .untilClose
    if isEndUnknown { noteMisread() }
    earlyTunnelBytes.mayBeginWithRest = isEndUnknown && head.method == "CONNECT"
    requests.expect(head.bodyFraming)
    receive(head, at: reference)
    if isEndUnknown { pending.loseRequests() }
  }

  /// Reads a request whose head is incomplete: it was made, and may name its host. The next message boundary is then unknown. Returns false
  /// if its line is incomplete, unless it is the first request, which shows alone that the connection is HTTP.
  @discardableResult
  func receivePart(at reference: PacketReference) -> Bool {
    defer { pending.loseRequests() }
    let part = requests.head
    var head = try? RequestHead(beginning: part.span)
    if head == nil, hosts.isEmpty || part.count > MessageHead.maximumByteCount { head = RequestHead(cutLine: part.span) }
    // Blank lines between requests are none.
    guard let head else { return part.allSatisfy { $0 == 0x0D || $0 == 0x0A } }
    earlyTunnelBytes.mayBeginWithRest = head.method == "CONNECT"
    receive(head, isWhole: false, at: reference)
    return true
  }

  private func receive(_ head: RequestHead, isWhole: Bool = true, at reference: PacketReference) {
    if head.hostsDiffer { note(.httpHostsDiffer) }
    // An empty Host names no host (RFC 9110 §7.2).
    let hostText = head.authority.flatMap { $0.host.isEmpty ? nil : HostText.text($0.host) }
    var waiting = PendingRequests.Request(
      method: head.method, requestIndex: nil, upgrade: head.upgrade, expectsContinue: head.expectsContinue, target: nil)
    if head.method == "CONNECT" {
      unansweredConnects += 1
      isConnectRefused = false
      waiting.target = ConnectTarget(text: RequestedHosts.text(hostText ?? "", port: head.authority?.port), host: hostText ?? "")
      // The recipient of the following bytes is known once the proxy has responded.
      requests.wait(after: earlyTunnelBytes.mayBeginWithRest ? .none : head.bodyFraming)
    } else {
      waiting.requestIndex = requested.add(head, isWhole: isWhole, for: hostText, from: requestStart ?? reference, to: reference)
    }
    pending.append(waiting)
  }
}
