import ByteParsing
import CleartextObservation
import HTTPParsing
import Values

/// Parses the bytes of one direction of a connection again, once readers have classified them, and redacts them.
struct RunRedaction {
  /// Consecutive bytes, by the position of the first, and what replaces them.
  typealias Part = (position: Int, count: Int, replacement: Replacement)

  /// The bytes that are not classified yet, by packet, each with the position of its first byte.
  private var packets: [(position: Int, bytes: Bytes)] = []

  /// The chunks of the current HTTP/1.x body; nil if it has none, or they cannot be read.
  private var chunks: ChunkedScanner?

  /// The frames of HTTP/2; nil before.
  private var frames: FrameStream?

  /// The bytes of incomplete frames.
  private var gathered = Bytes()

  /// The maximum number of bytes that a reader keeps before it classifies them, apart from those that it never interprets.
  private static let maximumByteCount = MessageHead.maximumByteCount

  /// Adds the bytes of the next packet, which are about to be read.
  mutating func add(_ packet: Span<UInt8>, at position: Int) {
    if packet.count > 0 { packets.append((position, Bytes(copying: packet))) }
  }

  /// Discards the bytes before a position, because they were classified or will not be, and those that no reader keeps.
  mutating func discard(before position: Int) {
    packets.removeFirst(packets.firstIndex { $0.position + $0.bytes.count > position } ?? packets.count)
    while let last = packets.last, last.position > position + RunRedaction.maximumByteCount { packets.removeLast() }
    guard let first = packets.first, first.position < position else { return }
    packets[0] = (position, Bytes(first.bytes[(position - first.position)...]))
  }

  /// Redacts a run. The parts may begin before it, with bytes that it completes, and may end before it ends.
  mutating func redact(_ run: ByteAccount.Run, at position: Int) -> [Part] {
    // Only bodies and gaps continue the chunks after a head.
    if case .body = run {} else if case .content = run {} else { chunks = nil }
    switch run {
    case .other(let count): return [(position, count, .same(isFraming: false))]
    case .secret(let count): return [(position, count, .digits)]
    case .line(let count): return [(position, count, .bytes(NeutralBytes.line(count)))]
    case .misread: return []
    case .content(let count):
      if chunks?.skip(byteCount: Int64(count)) == false { chunks = nil }
      return [(position, count, .zeros)]
    case .missingFrames(let count, let isRequests):
      var parts = breakFrames(before: position)
      if frames == nil { frames = FrameStream(isRequests: isRequests) }
      frames?.skip(missing: count)
      parts.append((position, count, .zeros))
      return parts
    case .body(let count) where chunks == nil: return [(position, count, .zeros)]
    case .body, .frames, .head, .address:
      guard let (own, _) = bytes(from: position, count: run.count, toEndOfPacket: false) else { break }
      switch run {
      case .body: return redactChunks(own, at: position)
      case .frames(_, let isRequests): return redactFrames(own, at: position, isRequests)
      default: return [(position, own.count, replacement(of: run, own))]
      }
    case .beginning, .proxyHeader, .continuation:
      guard let (all, ends) = bytes(from: position, count: run.count, toEndOfPacket: true) else { break }
      return [(position, run.count, .bytes(neutral(run, all, ends)))]
    }
    // The bytes are not kept.
    if case .frames(let count, let isRequests) = run { return redact(.missingFrames(count, isRequests: isRequests), at: position) }
    return redact(.content(run.count), at: position)
  }

  /// The parts of incomplete frames, of which no more will be read.
  mutating func breakFrames(before position: Int) -> [Part] {
    frames?.breakBlock()
    defer { gathered = [] }
    return gathered.isEmpty ? [] : [(position - gathered.count, gathered.count, .zeros)]
  }

  /// The bytes of a run, and the rest of the packet that contains the last one if wanted, and the end of each packet's part; nil if they
  /// are not kept.
  private func bytes(from position: Int, count: Int, toEndOfPacket: Bool) -> (bytes: Bytes, ends: [Int])? {
    var bytes = Bytes()
    var ends: [Int] = []
    for packet in packets where packet.position + packet.bytes.count > position {
      let start = position + bytes.count - packet.position
      guard packet.bytes.indices.contains(start) else { return nil }
      bytes.append(contentsOf: packet.bytes[start...].prefix(toEndOfPacket ? .max : count - bytes.count))
      ends.append(bytes.count)
      if bytes.count >= count { return (bytes, ends) }
    }
    return nil
  }

  /// What replaces a head or an address.
  private mutating func replacement(of run: ByteAccount.Run, _ own: Bytes) -> Replacement {
    guard case .address(_, let isText) = run else {
      chunks = RunRedaction.framing(after: own) == .chunked ? ChunkedScanner() : nil
      return .bytes(HTTPReduction.reduced(own), original: own)
    }
    guard let address = isText ? IPAddress(InputText.string(decoding: own)) : IPAddress(bytes: own) else { return .zeros }
    return .address(address, text: isText ? own : nil)
  }

  /// The placeholder of a run of another protocol, which begins `all`; `ends` are the ends of the packets' parts.
  private func neutral(_ run: ByteAccount.Run, _ all: Bytes, _ ends: [Int]) -> Bytes {
    switch run {
    case .continuation(let count, let known, let refined):
      let ports = FTPDataPorts.announcements(in: all.span)
      return NeutralBytes.filling(all.span, isText: known.isText, upTo: count) {
        known.refined(by: $0) == refined && FTPDataPorts.announcements(in: $0) == ports
      }
    case .beginning(let count, let known?):
      // A SOCKS negotiation is recognized as a whole.
      return NeutralBytes.beginning(all, known.isSOCKS ? [] : ends, isText: known.isText, upTo: count)
    case .proxyHeader: return NeutralBytes.beginning(all, ends, isText: all.first == UInt8(ascii: "P"), upTo: run.count)
    default:
      let isText = all.first.map { isLineEnd($0) || (0x20...0x7E).contains($0) } ?? false
      return NeutralBytes.beginning(all, ends, isText: isText, upTo: run.count)
    }
  }
}

// MARK: - HTTP

extension RunRedaction {
  /// The framing of the body after a head.
  private static func framing(after head: Bytes) -> BodyFraming? {
    if let response = try? ResponseHead(parsing: head.span) { return response.bodyFraming(answering: "GET") }
    return (try? RequestHead(parsing: head.span))?.bodyFraming
  }

  /// Keeps what delimits chunks. Chunk extensions and trailers are content, except for their line ends.
  private mutating func redactChunks(_ bytes: Bytes, at position: Int) -> [Part] {
    var parts: [Part] = []
    var offset = 0
    while offset < bytes.count, let scanner = chunks, scanner.status == .unfinished {
      let data = Int(min(scanner.skippableByteCount, Int64(bytes.count - offset)))
      let isContent = data > 0 || scanner.isWithinText && !isLineEnd(bytes[offset])
      let count = chunks?.consume(bytes.span.extracting(offset..<(offset + max(data, 1)))) ?? 0
      parts.append((position + offset, count, isContent ? .zeros : .same(isFraming: true)))
      offset += count
      if count == 0 { break }
    }
    if chunks?.status != .unfinished { chunks = nil }
    parts.append((position + offset, bytes.count - offset, .zeros))
    return parts
  }

  /// Keeps what delimits frames, and the names of fields. Frames that are complete only now began before `position`.
  private mutating func redactFrames(_ bytes: Bytes, at position: Int, _ isRequests: Bool) -> [Part] {
    if frames == nil { frames = FrameStream(isRequests: isRequests) }
    let start = position - gathered.count
    gathered += bytes
    var parts: [Part] = []
    var (done, offset) = (0, 0)
    while let event = frames?.next(in: bytes.span, at: &offset) {
      switch event {
      case .other(let count, let isContent):
        parts.append((start + done, count, isContent ? .zeros : .same(isFraming: true)))
        done += count
      case .lost(let count):
        parts.append((start + done, count, .zeros))
        done += count
      case .fields(let block):
        parts += RunRedaction.redactBlock(Bytes(gathered[done..<(done + block.byteCount)]), block.fields, at: start + done)
        done += block.byteCount
      }
    }
    gathered.removeFirst(done)
    return parts
  }

  /// The parts of the frames of a header block with these fields.
  private static func redactBlock(_ frames: Bytes, _ fields: [DecodedField], at start: Int) -> [Part] {
    var parts: [Part] = []
    var block = Bytes()
    var position = 0
    while position < frames.count {
      var reader = ByteReader(frames.span.extracting(position..<frames.count))
      guard let header = try? FrameHeader(parsing: &reader), let payload = try? reader.readBody(byteCount: header.length, "payload"),
        let range = try? header.fragmentRange(of: payload.rest)
      else { return [(start, frames.count, .zeros)] }
      let fragment = position + FrameHeader.byteCount + range.lowerBound
      let end = position + FrameHeader.byteCount + header.length
      parts.append((start + position, fragment - position, .same(isFraming: true)))
      parts.append((start + fragment, range.count, .zeros))
      parts.append((start + fragment + range.count, end - fragment - range.count, .same(isFraming: true)))
      block.append(copying: payload.rest.extracting(range))
      position = end
    }
    var neutral = FieldDecoder.neutralized(block, fields)[...]
    for index in stride(from: 1, to: parts.count, by: 3) {
      parts[index].replacement = .bytes(Bytes(neutral.prefix(parts[index].count)))
      neutral = neutral.dropFirst(parts[index].count)
    }
    return parts
  }
}
