import ByteParsing
package import HTTPParsing

/// Splits one direction of cleartext HTTP/2 into frames, and decodes the header blocks among them.
package struct FrameStream {
  /// The result of `next`, with the number of bytes read.
  package enum Event {
    /// A header block.
    case fields(HeaderBlock)
    /// The preface, or frames that do not belong to a header block; `isContent` if they contain more than stream management.
    case other(Int, isContent: Bool)
    /// The bytes are not frames, or a block cannot be decoded; later blocks cannot be decoded either.
    case lost(Int)
  }

  /// A decoded header block.
  package struct HeaderBlock {
    /// The fields, in order.
    package var fields: [DecodedField]
    var stream: UInt32
    /// Whether it is a promised request, which is decoded only to update the decoder's state.
    var isPromise: Bool
    /// Whether its end is available.
    var isWhole = true
    /// The number of bytes of its frames.
    package var byteCount = 0
  }

  private enum State {
    /// Within the client's preface.
    case preface(remaining: Int)
    /// At a frame header, or in frames of a header block, which are gathered.
    case frames
    /// Within the payload of a frame.
    case payload(remaining: Int, isContent: Bool)
    /// Frames are no longer read.
    case lost
  }

  /// An incomplete header block.
  private struct Block {
    var stream: UInt32
    var isPromise: Bool
    var bytes = Bytes()
    /// The number of its frames, and of their bytes.
    var frameCount = 0
    var byteCount = 0
  }

  private var state: State
  private var decoder = FieldDecoder()
  private var gathered = Bytes()
  private var block: Block?
  private var isFirst = true
  private let isRequests: Bool

  /// The maximum length of a header block with its frames, the same as for an HTTP/1.1 head.
  private static let maximumBlockLength = MessageHead.maximumByteCount

  /// The maximum number of frames of a header block.
  private static let maximumFrameCount = 341

  /// Creates a stream of requests, which begins with the client's preface, or of responses.
  package init(isRequests: Bool) {
    self.isRequests = isRequests
    state = isRequests ? .preface(remaining: HTTPRecognition.http2PrefaceLength) : .frames
  }

  /// The number of bytes of incomplete frames.
  private var gatheredByteCount: Int { gathered.count + (block?.byteCount ?? 0) }

  var heldBytes: Int { gatheredByteCount + (block?.bytes.count ?? 0) + decoder.tableSize }

  /// Whether a frame or header block is incomplete.
  var isWithinMessage: Bool { !gathered.isEmpty || block != nil }

  /// Reads on in `piece` from `position`; nil when all of it has been read.
  package mutating func next(in piece: Span<UInt8>, at position: inout Int) -> Event? {
    while position < piece.count {
      switch state {
      case .preface(let remaining):
        let count = min(remaining, piece.count - position)
        position += count
        state = remaining > count ? .preface(remaining: remaining - count) : .frames
        return .other(count, isContent: false)
      case .payload(let remaining, let isContent):
        let count = min(remaining, piece.count - position)
        position += count
        state = remaining > count ? .payload(remaining: remaining - count, isContent: isContent) : .frames
        return .other(count, isContent: isContent)
      case .lost:
        defer { position = piece.count }
        return .other(piece.count - position, isContent: true)
      case .frames:
        if let event = gather(piece, &position) { return event }
      }
    }
    return nil
  }

  /// Records bytes that the capture lacks; returns true if the frame boundary is lost.
  @discardableResult
  package mutating func skip(missing count: Int) -> Bool {
    switch state {
    case .lost: return false
    case .payload(let remaining, let isContent) where remaining >= count:
      state = remaining > count ? .payload(remaining: remaining - count, isContent: isContent) : .frames
      return false
    case .payload, .preface, .frames:
      lose()
      return true
    }
  }

  /// Decodes the complete fields of an incomplete header block, when no more of it will arrive.
  @discardableResult
  package mutating func breakBlock() -> HeaderBlock? {
    guard isWithinMessage else { return nil }
    var begun = block
    if let (header, start) = fragmentStart() {
      begun = begun ?? Block(stream: header.stream, isPromise: header.kind == .pushPromise)
      begun?.bytes.append(contentsOf: gathered[start...].prefix(header.length))
    }
    lose()
    guard let begun, !begun.isPromise else { return nil }
    return HeaderBlock(fields: decoder.decode(prefix: begun.bytes.span), stream: begun.stream, isPromise: false, isWhole: false)
  }

  /// The header of an incomplete frame, and the offset of its fragment, if it belongs to a header block.
  private func fragmentStart() -> (FrameHeader, Int)? {
    guard gathered.count > FrameHeader.byteCount, let header = header(), header.carriesFields,
      block == nil || header.kind == .continuation && header.stream == block?.stream
    else { return nil }
    // The padding is at the missing end.
    var unpadded = header
    unpadded.flags &= ~0x08
    let skipped = header.flags & 0x08 != 0 && header.kind != .continuation ? 1 : 0
    let payload = FrameHeader.byteCount + skipped
    guard gathered.count > payload,
      let range = try? unpadded.fragmentRange(of: gathered.span.extracting(payload..<gathered.count))
    else { return nil }
    return (header, payload + range.lowerBound)
  }

  @discardableResult
  private mutating func lose() -> Event {
    defer {
      gathered.removeAll()
      block = nil
      state = .lost
    }
    return .lost(gatheredByteCount)
  }

  private func header() -> FrameHeader? {
    var reader = ByteReader(gathered.span)
    return try? FrameHeader(parsing: &reader)
  }

  private mutating func gather(_ piece: Span<UInt8>, _ position: inout Int) -> Event? {
    gather(upTo: FrameHeader.byteCount, piece, &position)
    guard gathered.count >= FrameHeader.byteCount, let header = header() else { return nil }
    guard isPlausible(header) else { return lose() }
    isFirst = false
    guard header.carriesFields else {
      gathered.removeAll()
      if header.length > 0 { state = .payload(remaining: header.length, isContent: header.hasContent) }
      return .other(FrameHeader.byteCount, isContent: false)
    }
    let end = FrameHeader.byteCount + header.length
    gather(upTo: end, piece, &position)
    guard gathered.count == end else { return nil }
    let frame = gathered
    let payload = frame.span.extracting(FrameHeader.byteCount..<end)
    guard let range = try? header.fragmentRange(of: payload) else { return lose() }
    var block = block ?? Block(stream: header.stream, isPromise: header.kind == .pushPromise)
    let fragment = (FrameHeader.byteCount + range.lowerBound)..<(FrameHeader.byteCount + range.upperBound)
    block.bytes.append(contentsOf: frame[fragment])
    block.frameCount += 1
    block.byteCount += end
    self.block = block
    gathered.removeAll()
    return header.endsHeaders ? endBlock(block) : nil
  }

  private mutating func gather(upTo end: Int, _ piece: Span<UInt8>, _ position: inout Int) {
    let count = min(max(0, end - gathered.count), piece.count - position)
    gathered.append(copying: piece.extracting(position..<(position + count)))
    position += count
  }

  /// Whether a frame is allowed here: the first is SETTINGS (RFC 9113 §3.4), and nothing interrupts a block (§4.3). The capture may contain
  /// a server's first frames before the client's preface.
  private func isPlausible(_ header: FrameHeader) -> Bool {
    if let block {
      guard header.kind == .continuation, header.stream == block.stream else { return false }
      return block.frameCount <= FrameStream.maximumFrameCount
        && block.byteCount + FrameHeader.byteCount + header.length <= FrameStream.maximumBlockLength
    }
    if header.kind == .continuation { return false }
    if isFirst { return isRequests ? header.kind == .settings && header.stream == 0 : header.kind != nil }
    if header.carriesFields { return header.stream != 0 && FrameHeader.byteCount + header.length <= FrameStream.maximumBlockLength }
    return true
  }

  private mutating func endBlock(_ block: Block) -> Event? {
    self.block = nil
    guard let fields = try? decoder.decode(block.bytes.span) else {
      state = .lost
      return .lost(block.byteCount)
    }
    return .fields(HeaderBlock(fields: fields, stream: block.stream, isPromise: block.isPromise, byteCount: block.byteCount))
  }
}

extension FrameHeader {
  /// Whether the payload belongs to a header block.
  fileprivate var carriesFields: Bool { kind == .headers || kind == .pushPromise || kind == .continuation }

  /// Whether the payload contains more than stream management.
  fileprivate var hasContent: Bool {
    switch kind {
    case .settings, .priority, .windowUpdate, .resetStream: false
    case .data, .ping, .goAway, .headers, .pushPromise, .continuation, nil: true
    }
  }
}
