package import Values

/// The classification of the bytes of HTTP/1.x.
extension HTTPConversation {
  /// The number of bytes received in one direction that are not read yet.
  package func unreadBytes(in direction: Direction) -> Int {
    let isClient = direction == clientDirection
    return isClient
      ? earlyTunnelBytes.byteCount + requests.gatheredByteCount
      : early.byteCount + following.byteCount + responses.gatheredByteCount
  }

  /// The direction in which the client or the server sends.
  func direction(isClient: Bool) -> Direction { isClient ? clientDirection : clientDirection.opposite }

  /// Adds to the account what the last call of `next` has read, which returned `event`. A head that `keepsHead` is read again later.
  func accountForRead(_ event: MessageStream.Event?, isClient: Bool, keepsHead: Bool = false) {
    guard let account else { return }
    let stream = isClient ? requests : responses
    let direction = direction(isClient: isClient)
    switch event {
    case .head:
      account.add(.body(stream.readByteCount - stream.head.count), in: direction)
      if !keepsHead { account.add(.head(stream.head.count), in: direction) }
    case .longHead(let rest):
      account.add(.body(stream.readByteCount - stream.head.count - rest), in: direction)
      account.add(.head(stream.head.count), in: direction)
      account.add(.body(rest), in: direction)
    case .lost, .hello, nil: account.add(.body(stream.readByteCount), in: direction)
    }
  }

  /// Ends an incomplete head; returns false if there is none.
  func breakHead(isClient: Bool) -> Bool {
    let gathered = (isClient ? requests : responses).gatheredByteCount
    account?.add(.head(gathered), in: direction(isClient: isClient))
    return isClient ? requests.breakHead() : responses.breakHead()
  }

  /// Skips bytes of responses that the capture lacks, or that are not read.
  func skipResponses(_ count: Int) -> MessageStream.Gap {
    // An incomplete head is classified by its beginning.
    account?.add(.head(responses.gatheredByteCount), in: clientDirection.opposite)
    account?.add(.content(count), in: clientDirection.opposite)
    return responses.skip(missing: count)
  }
}
