import ByteParsing
import HTTPParsing

/// Splits one direction of cleartext HTTP/2 into frames, and decodes the header blocks among them.
struct FrameStream {
  /// The result of `next`.
  enum Event {
    /// A header block; its end is missing if `isWhole` is false.
    case fields([DecodedField], stream: UInt32, isWhole: Bool)
    /// The bytes are not frames, or a block cannot be decoded; later blocks cannot be decoded either.
    case lost
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
    /// Whether the block is a promised request, which is decoded only to update the decoder's state.
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

  /// The account of the bytes; nil if none is kept.
  private let account: ByteAccount.Side?

  /// The maximum length of a header block with its frames, the same as for an HTTP/1.1 head.
  private static let maximumBlockLength = MessageHead.maximumByteCount

  /// The maximum number of frames of a header block.
  private static let maximumFrameCount = 341

  init(isRequests: Bool, account: ByteAccount.Side?) {
    self.isRequests = isRequests
    self.account = account
    state = isRequests ? .preface(remaining: HTTPRecognition.http2PrefaceLength) : .frames
  }

  /// The number of bytes of incomplete frames.
  var gatheredByteCount: Int { gathered.count + (block?.byteCount ?? 0) }

  var heldBytes: Int { gatheredByteCount + (block?.bytes.count ?? 0) + decoder.tableSize }

  /// Whether a frame or header block is incomplete.
  var isWithinMessage: Bool { !gathered.isEmpty || block != nil }

  /// Reads on in `piece` from `position`; nil when all of it has been read.
  mutating func next(in piece: Span<UInt8>, at position: inout Int) -> Event? {
    while position < piece.count {
      switch state {
      case .preface(let remaining):
        let count = min(remaining, piece.count - position)
        account?.add(.framing(count))
        position += count
        state = remaining > count ? .preface(remaining: remaining - count) : .frames
      case .payload(let remaining, let isContent):
        let count = min(remaining, piece.count - position)
        account?.add(isContent ? .content(count) : .framing(count))
        position += count
        state = remaining > count ? .payload(remaining: remaining - count, isContent: isContent) : .frames
      case .lost:
        account?.add(.content(piece.count - position))
        position = piece.count
      case .frames:
        if let event = gather(piece, &position) { return event }
      }
    }
    return nil
  }

  /// Records bytes that the capture lacks; returns true if the frame boundary is lost.
  mutating func skip(missing count: Int) -> Bool {
    defer { account?.add(.content(count)) }
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
  mutating func breakBlock() -> Event? {
    guard isWithinMessage else { return nil }
    var begun = block
    if let (header, start) = fragmentStart() {
      begun = begun ?? Block(stream: header.stream, isPromise: header.kind == .pushPromise)
      begun?.bytes.append(contentsOf: gathered[start...].prefix(header.length))
    }
    lose()
    guard let begun, !begun.isPromise else { return nil }
    return .fields(decoder.decode(prefix: begun.bytes.span), stream: begun.stream, isWhole: false)
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

  private mutating func lose() {
    account?.add(.content(gatheredByteCount))
    gathered.removeAll()
    block = nil
    state = .lost
  }

  private func header() -> FrameHeader? {
    var reader = ByteReader(gathered.span)
    return try? FrameHeader(parsing: &reader)
  }

  private mutating func gather(_ piece: Span<UInt8>, _ position: inout Int) -> Event? {
    gather(upTo: FrameHeader.byteCount, piece, &position)
    guard gathered.count >= FrameHeader.byteCount, let header = header() else { return nil }
    guard isPlausible(header) else {
      lose()
      return .lost
    }
    isFirst = false
    guard header.carriesFields else {
      account?.add(.framing(gathered.count))
      gathered.removeAll()
      if header.length > 0 { state = .payload(remaining: header.length, isContent: header.hasContent) }
      return nil
    }
    let end = FrameHeader.byteCount + header.length
    gather(upTo: end, piece, &position)
    guard gathered.count == end else { return nil }
    let frame = gathered
    let payload = frame.span.extracting(FrameHeader.byteCount..<end)
    guard let range = try? header.fragmentRange(of: payload) else {
      lose()
      return .lost
    }
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
      account?.add(.content(block.byteCount))
      state = .lost
      return .lost
    }
    account?.add(.fields(block.byteCount))
    return block.isPromise ? nil : .fields(fields, stream: block.stream, isWhole: true)
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
