/// Both directions of cleartext HTTP/2, and the requests without a response so far.
struct FrameExchange {
  private var requests = FrameStream(isRequests: true)
  private var responses = FrameStream(isRequests: false)
  private var requestIndices: [UInt32: RequestedHosts.RequestIndex] = [:]

  /// The streams with a CONNECT that was not refused.
  var tunnelStreams: Set<UInt32> = []

  /// The maximum number of streams whose responses are matched with requests; servers allow a few hundred at once.
  private static let maximumStreamCount = 1024

  /// Whether some requests may not have been read.
  private(set) var areRequestsLost = false

  init(answering requestIndex: RequestedHosts.RequestIndex?) {
    if let requestIndex { requestIndices[1] = requestIndex }
  }

  var heldBytes: Int { requests.heldBytes + responses.heldBytes + 64 * (requestIndices.count + tunnelStreams.count) }

  /// Whether a request has no response yet, or a frame is incomplete.
  var isUnfinished: Bool { !requestIndices.isEmpty || requests.isWithinMessage || responses.isWithinMessage }

  func isWithinMessage(isClient: Bool) -> Bool {
    isClient ? requests.isWithinMessage : responses.isWithinMessage
  }

  /// Reads on in one direction; nil when all of the piece has been read.
  mutating func next(in piece: Span<UInt8>, at position: inout Int, isClient: Bool) -> FrameStream.Event? {
    guard isClient else { return responses.next(in: piece, at: &position) }
    let event = requests.next(in: piece, at: &position)
    if case .lost = event { areRequestsLost = true }
    return event
  }

  /// Records missing bytes; `isTruncated` is whether they follow a part of a frame.
  mutating func skip(missing count: Int, isClient: Bool, isTruncated: Bool) {
    if isClient {
      if requests.skip(missing: count) || isTruncated { areRequestsLost = true }
    } else if responses.skip(missing: count) || isTruncated {
      // Later responses cannot be read.
      requestIndices = [:]
    }
  }

  mutating func breakBlock(isClient: Bool) -> FrameStream.HeaderBlock? {
    guard isClient else { return responses.breakBlock() }
    let isTruncated = requests.isWithinMessage
    let block = requests.breakBlock()
    if isTruncated, block == nil { areRequestsLost = true }
    return block
  }

  /// Remembers where the request of a stream is kept.
  mutating func keep(_ requestIndex: RequestedHosts.RequestIndex, of stream: UInt32) {
    if requestIndices.count < FrameExchange.maximumStreamCount { requestIndices[stream] = requestIndex }
  }

  /// Remembers the stream of a CONNECT.
  mutating func keepTunnel(of stream: UInt32) {
    if tunnelStreams.count < FrameExchange.maximumStreamCount { tunnelStreams.insert(stream) }
  }

  mutating func takeRequestIndex(of stream: UInt32) -> RequestedHosts.RequestIndex? { requestIndices.removeValue(forKey: stream) }
}
