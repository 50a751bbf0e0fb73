import ByteParsing
import SeededRandom
import TLSParsing
import Testing

@testable import TLSObservation

/// The messages and other events of a record stream, independent of how it was divided.
private struct Reading: Equatable {
  var messages: [String] = []
  var others: [String] = []

  mutating func feed(_ bytes: Bytes, to stream: inout RecordStream, frame: UInt64 = 1) {
    var position = 0
    while let event = stream.next(in: bytes.span, at: &position, frame: frame) {
      switch event {
      case .message(let type, let body): messages.append("\(type.rawValue) \(hexadecimal(bytes[body]))")
      case .gatheredMessage(let type):
        messages.append("\(type.rawValue) \(hexadecimal(stream.gathered.dropFirst(4)))")
      default: note(event, stream)
      }
    }
  }

  mutating func note(_ event: RecordStream.Event, _ stream: borrowing RecordStream) {
    switch event {
    case .brokenMessage(let type):
      messages.append("\(type.rawValue) broken \(hexadecimal(stream.gathered.dropFirst(4)))")
    case .alert(let level, let description): others.append("alert \(level) \(description.rawValue)")
    case .changeCipherSpec: others.append("ccs")
    case .protected(let header): others.append("protected \(header.contentType.rawValue) \(header.length)")
    case .lost: others.append("lost")
    default: others.append("other")
    }
  }
}

@Suite struct RecordStreamTests {
  static func record(_ type: UInt8, _ fragment: Bytes) -> Bytes {
    [type, 3, 3, UInt8(fragment.count >> 8), UInt8(fragment.count & 0xFF)] + fragment
  }

  static func message(_ type: UInt8, _ body: Bytes) -> Bytes {
    [type, 0, UInt8(body.count >> 8), UInt8(body.count & 0xFF)] + body
  }

  /// One record with two messages, a message across three records, an alert, application data.
  static let stream: Bytes = {
    let long = message(11, Bytes((0..<300).map { UInt8($0 & 0xFF) }))
    var bytes = record(22, message(2, [1, 2, 3]) + message(14, []))
    bytes +=
      record(22, Bytes(long[..<2])) + record(22, Bytes(long[2..<150])) + record(22, Bytes(long[150...]))
    bytes += record(21, [1, 112]) + record(23, Bytes(repeating: 9, count: 40))
    return bytes
  }()

  private func reading(_ pieces: [Bytes]) -> Reading {
    var stream = RecordStream()
    var reading = Reading()
    for piece in pieces { reading.feed(piece, to: &stream) }
    return reading
  }

  @Test
  func `records are found after a byte that cannot begin one`() {
    var stream = RecordStream()
    var reading = Reading()
    reading.feed([0x53], to: &stream)
    reading.feed(Self.stream, to: &stream)
    var plain = RecordStream()
    var expected = Reading()
    expected.feed(Self.stream, to: &plain)
    let isSame = reading.messages == expected.messages
    #expect(isSame)
  }

  @Test func `a stream in one piece yields its messages, alerts and protected records`() {
    let whole = reading([Self.stream])
    #expect(whole.messages.count == 3)
    #expect(whole.messages.first == "2 010203")
    #expect(whole.others == ["alert 1 112", "protected 23 40"])
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 11, 100, 301])
  func `a stream in pieces yields the same events as in one piece`(size: Int) {
    let pieces = stride(from: 0, to: Self.stream.count, by: size).map {
      Bytes(Self.stream[$0..<min($0 + size, Self.stream.count)])
    }
    #expect(reading(pieces) == reading([Self.stream]))
  }

  @Test func `a message with a gap keeps its beginning, and the next message is read`() {
    let body = Bytes((0..<100).map { UInt8($0) })
    let bytes = Self.record(22, Self.message(11, body)) + Self.record(22, Self.message(14, []))
    var stream = RecordStream()
    var reading = Reading()
    reading.feed(Bytes(bytes[..<30]), to: &stream)
    if let event = stream.skip(missing: 40) { reading.note(event, stream) }
    reading.feed(Bytes(bytes[70...]), to: &stream)
    #expect(reading.messages == ["11 broken \(hexadecimal(body[..<21]))", "14 "])
  }

  @Test func `after a gap across a record boundary reading resumes at the next record`() {
    let first = Self.record(22, Self.message(11, Bytes(repeating: 1, count: 100)))
    let second = Self.record(22, Self.message(14, []))
    var stream = RecordStream()
    var reading = Reading()
    reading.feed(Bytes(first[..<30]), to: &stream)
    if let event = stream.skip(missing: 200) { reading.note(event, stream) }
    reading.feed([7, 7, 7], to: &stream)
    reading.feed(second, to: &stream)
    #expect(reading.messages.count == 2)
    #expect(reading.messages.last == "14 ")
  }

  /// What is read of records that follow a gap.
  private func readAfterGap(_ bytes: Bytes) -> (reading: Reading, hitLimit: Bool) {
    var stream = RecordStream()
    var reading = Reading()
    reading.feed(Self.record(22, Self.message(16, [1])), to: &stream)
    _ = stream.skip(missing: 6)
    reading.feed(bytes, to: &stream)
    return (reading, stream.hitLimit)
  }

  /// Encrypted bytes, which claim a length beyond the limit if they are read as a message.
  private static let ciphertext = Bytes([0x7A, 0x9B, 0xC2, 0x33]) + Bytes(repeating: 0x5C, count: 28)

  @Test func `an encrypted record after a gap that begins with zeros is not a HelloRequest`() {
    let nonce = Bytes(repeating: 0, count: 8)
    let finished = readAfterGap(Self.record(22, nonce + Self.ciphertext))
    #expect(finished.reading.messages == ["16 01"])
    #expect(!finished.hitLimit)
    #expect(readAfterGap(Self.record(22, Bytes(nonce[..<4]))).reading.messages == ["16 01", "0 "])
  }

  @Test func `a message beyond the length limit is not reported if its boundary was guessed`() {
    let (reading, hitLimit) = readAfterGap(
      Self.record(22, Self.message(14, []) + Self.ciphertext) + Self.record(22, Self.message(4, [2])))
    #expect(reading.messages == ["16 01", "14 ", "122 broken ", "4 02"])
    #expect(!hitLimit)
  }

  @Test func `bytes that are not a record break a message, and the next message is complete`() {
    let message = Self.message(11, Bytes(repeating: 1, count: 100))
    var stream = RecordStream()
    var reading = Reading()
    reading.feed(Self.record(22, Bytes(message[..<50])), to: &stream)
    reading.feed([0x53, 1, 2, 3, 4], to: &stream)
    reading.feed(Self.record(22, Self.message(14, [])), to: &stream)
    #expect(reading.messages == ["11 broken \(hexadecimal(message[4..<50]))", "14 "])
    #expect(reading.others == ["lost"])
  }

  @Test func `a message beyond the length limit is skipped and reported`() {
    var bytes: Bytes = []
    let length = HandshakeHeader.maximumLength + 10
    let header: Bytes = [11, UInt8(length >> 16), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF)]
    var rest = header + Bytes(repeating: 5, count: length)
    while !rest.isEmpty {
      let part = Bytes(rest.prefix(16_000))
      bytes += Self.record(22, part)
      rest = Bytes(rest.dropFirst(16_000))
    }
    bytes += Self.record(22, Self.message(14, []))
    var stream = RecordStream()
    var reading = Reading()
    reading.feed(bytes, to: &stream)
    #expect(stream.hitLimit == true)
    #expect(reading.messages.last == "14 ")
  }

  @Test func `the length that a message claims reserves no memory`() {
    var stream = RecordStream()
    var reading = Reading()
    reading.feed([22, 3, 1, 0x40, 0, 1, 1, 0xFF, 0xFF, 3, 3], to: &stream)
    #expect(stream.heldBytes == 6)
    #expect(stream.gathered.capacity < 1024)
  }

  @Test func `changed bytes in any pieces and with any gaps never trap`() {
    var numbers = SeededGenerator(seed: 42)
    func random(_ limit: Int) -> Int { numbers.below(limit) }
    for _ in 0..<3000 {
      var bytes = Self.stream
      for _ in 0..<(1 + random(6)) { bytes[random(bytes.count)] = UInt8(random(256)) }
      var stream = RecordStream()
      var reading = Reading()
      var start = 0
      while start < bytes.count {
        let end = min(bytes.count, start + 1 + random(80))
        if random(10) == 0 {
          _ = stream.skip(missing: end - start)
        } else {
          reading.feed(Bytes(bytes[start..<end]), to: &stream)
        }
        start = end
      }
      _ = stream.endReading()
    }
  }
}
