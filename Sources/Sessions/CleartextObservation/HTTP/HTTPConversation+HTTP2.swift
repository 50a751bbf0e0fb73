import ByteParsing
import HTTPParsing
package import SessionModel

/// Cleartext HTTP/2 (RFC 9113).
extension HTTPConversation {
  /// Begins HTTP/2 at the client preface, which may have begun in an earlier packet.
  package func beginHTTP2(since first: PacketReference?, at reference: PacketReference) {
    requested.addNameless(since: first, at: reference)
    beginHTTP2()
  }

  /// Continues in HTTP/2; `answered` is the request for the upgrade, whose response is on stream 1 (RFC 7540 §3.2).
  func beginHTTP2(answering answered: RequestedHosts.RequestIndex? = nil) {
    note(.http2Cleartext)
    http2 = FrameExchange(answering: answered)
  }

  /// Reads frames of one direction.
  func consumeFrames(_ piece: Span<UInt8>, isClient: Bool, at reference: PacketReference) {
    account?.add(.frames(piece.count, isRequests: isClient), in: direction(isClient: isClient))
    var position = 0
    if http2?.isWithinMessage(isClient: isClient) == false { setStart(reference, isClient: isClient) }
    while let event = http2?.next(in: piece, at: &position, isClient: isClient) {
      switch event {
      case .other: continue
      case .fields(let block) where block.isPromise: continue
      case .fields(let block): receive(block, isClient: isClient, at: reference)
      case .lost: break
      }
      setStart(reference, isClient: isClient)
    }
    if isClient { requestEnd = reference }
  }

  private func setStart(_ reference: PacketReference, isClient: Bool) {
    if isClient { requestStart = reference } else { responseStart = reference }
  }

  private func receive(_ block: FrameStream.HeaderBlock, isClient: Bool, at reference: PacketReference) {
    guard isClient else {
      guard let head = ResponseHead(block.fields), head.status >= 200 else { return }
      if head.status >= 300 { http2?.tunnelStreams.remove(block.stream) }
      guard let requestIndex = http2?.takeRequestIndex(of: block.stream) else { return }
      requested.addResponse(to: requestIndex, with: head, from: responseStart ?? reference, to: reference)
      return
    }
    do throws(ParseError) {
      guard let head = try RequestHead(block.fields, isComplete: block.isWhole) else { return }
      receive(head, stream: block.stream, isWhole: block.isWhole, at: reference)
    } catch {
      note(.httpRequestMalformed)
    }
  }

  private func receive(_ head: RequestHead, stream: UInt32, isWhole: Bool, at reference: PacketReference) {
    // The contents of a tunnel within a stream are not read (RFC 9113 §8.5).
    guard head.targetForm != .authority else {
      note(.http2Connect)
      http2?.keepTunnel(of: stream)
      return requested.removeNameless()
    }
    if head.hostsDiffer { note(.httpHostsDiffer) }
    let name = head.authority.flatMap { $0.host.isEmpty ? nil : HostText.text($0.host) }
    let requestIndex = requested.add(head, isWhole: isWhole, for: name, from: requestStart ?? reference, to: reference)
    if let requestIndex { http2?.keep(requestIndex, of: stream) }
  }

  /// Reads an incomplete header block as far as possible; no more of it follows.
  func breakFrames(isClient: Bool) {
    guard let block = http2?.breakBlock(isClient: isClient), let reference = isClient ? requestEnd : responseStart else { return }
    receive(block, isClient: isClient, at: reference)
  }
}
