import ByteParsing
import CleartextObservation
import HTTPParsing
import Values

/// Parses the bytes of one direction of a connection again, once readers have classified them, and redacts them.
struct RunRedaction {
  /// A part of a run, and what replaces it.
  typealias Part = (count: Int, replacement: Replacement)

  /// The bytes that are not classified yet, by packet, each with the position of its first byte.
  private var packets: [(position: Int, bytes: Bytes)] = []

  /// Decodes the header blocks of HTTP/2.
  private var decoder = FieldDecoder()

  /// The maximum number of bytes that a reader keeps before it classifies them, apart from those that it never interprets.
  private static let maximumByteCount = MessageHead.maximumByteCount + FrameHeader.byteCount

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

  /// The parts of a run, and what replaces them.
  mutating func redact(_ run: ByteAccount.Run, at position: Int) -> [Part] {
    switch run {
    case .framing(let count): return [(count, .same(isFraming: true))]
    case .other(let count): return [(count, .same(isFraming: false))]
    case .content(let count): return [(count, .zeros)]
    case .secret(let count): return [(count, .digits)]
    case .line(let count): return [(count, .bytes(NeutralBytes.line(count)))]
    case .misread: return []
    case .head, .fields, .address, .beginning, .proxyHeader, .continuation:
      guard let (bytes, ends) = bytes(from: position, count: run.count), let parts = redact(run, bytes, ends) else {
        return [(run.count, .zeros)]
      }
      return parts
    }
  }

  /// The bytes from a position to the end of the packet that contains the last of `count` bytes, and the end of each packet's part; nil if
  /// they are not kept.
  private func bytes(from position: Int, count: Int) -> (bytes: Bytes, ends: [Int])? {
    var bytes = Bytes()
    var ends: [Int] = []
    for packet in packets where packet.position + packet.bytes.count > position {
      let start = position + bytes.count - packet.position
      guard start >= 0 else { return nil }
      bytes.append(contentsOf: packet.bytes[start...])
      ends.append(bytes.count)
      if bytes.count >= count { return (bytes, ends) }
    }
    return nil
  }

  /// The parts of a run, whose bytes are the first of `bytes`; `ends` are the ends of the packets' parts.
  private mutating func redact(_ run: ByteAccount.Run, _ bytes: Bytes, _ ends: [Int]) -> [Part]? {
    let own = Bytes(bytes[..<run.count])
    switch run {
    case .fields: return redactFields(own)
    case .head: return [(own.count, .bytes(HTTPReduction.reduced(own), original: own))]
    case .address(_, let isText):
      let address = isText ? IPAddress(InputText.string(decoding: own)) : IPAddress(bytes: own)
      return address.map { [(own.count, .address($0, text: isText ? own : nil))] }
    case .proxyHeader:
      let isText = own.first == UInt8(ascii: "P")
      return [(own.count, .bytes(NeutralBytes.beginning(bytes, ends, isText: isText, upTo: own.count)))]
    case .beginning(_, let known):
      // A SOCKS negotiation is recognized as a whole.
      let ends = known?.isSOCKS == true ? [] : ends
      let isText = known?.isText ?? own.first.map { isLineEnd($0) || (0x20...0x7E).contains($0) } ?? false
      return [(own.count, .bytes(NeutralBytes.beginning(bytes, ends, isText: isText, upTo: own.count)))]
    case .continuation(_, let known, let refined):
      let ports = FTPDataPorts.announcements(in: bytes.span)
      let neutral = NeutralBytes.filling(bytes.span, isText: known.isText, upTo: own.count) {
        known.refined(by: $0) == refined && FTPDataPorts.announcements(in: $0) == ports
      }
      return [(own.count, .bytes(neutral))]
    case .framing, .content, .secret, .line, .other, .misread: return nil
    }
  }

  /// The parts of the frames of a header block.
  private mutating func redactFields(_ frames: Bytes) -> [Part]? {
    var fragments: [Range<Int>] = []
    var block = Bytes()
    var position = 0
    while position < frames.count {
      var reader = ByteReader(frames.span.extracting(position..<frames.count))
      guard let header = try? FrameHeader(parsing: &reader), let payload = try? reader.readBody(byteCount: header.length, "payload"),
        let range = try? header.fragmentRange(of: payload.rest)
      else { return nil }
      let start = position + FrameHeader.byteCount
      fragments.append((start + range.lowerBound)..<(start + range.upperBound))
      block.append(copying: payload.rest.extracting(range))
      position = start + header.length
    }
    guard let fields = try? decoder.decode(block.span) else { return nil }
    var neutral = FieldDecoder.neutralized(block, fields)[...]
    var parts: [Part] = []
    position = 0
    for fragment in fragments {
      parts.append((fragment.lowerBound - position, .same(isFraming: true)))
      parts.append((fragment.count, .bytes(Bytes(neutral.prefix(fragment.count)))))
      neutral = neutral.dropFirst(fragment.count)
      position = fragment.upperBound
    }
    parts.append((frames.count - position, .same(isFraming: true)))
    return parts
  }
}
