import ByteParsing
import PacketParsing
import Reassembly
import SeededRandom
import Testing
import Values

@Suite struct FragmentReassemblyTests {
  /// A fragment of a datagram, of which the capture lacks the last `cut` bytes.
  struct Fragment {
    var start: Int
    var bytes: Bytes
    var isLast: Bool
    var identification: UInt32 = 7
    var cut = 0
    var protocolNumber: UInt8 = 6
  }

  static let data = Bytes((0..<100).map { UInt8($0) })

  static func piece(_ range: Range<Int>, of data: Bytes = data) -> Fragment {
    Fragment(start: range.lowerBound, bytes: Bytes(data[range]), isLast: range.upperBound == data.count)
  }

  static func headers(_ fragment: Fragment, isIPv6: Bool = false) -> PacketHeaders {
    var headers = PacketHeaders()
    headers.source = isIPv6 ? IPAddress(v6: 1, 1) : IPAddress(v4: 1)
    headers.destination = isIPv6 ? IPAddress(v6: 1, 2) : IPAddress(v4: 2)
    headers.fragment.identification = fragment.identification
    headers.fragment.offset = fragment.start
    headers.fragment.isLast = fragment.isLast
    headers.fragment.protocolNumber = fragment.protocolNumber
    headers.payloadLength = fragment.bytes.count - fragment.cut
    headers.payloadLengthOnWire = fragment.bytes.count
    return headers
  }

  static func add(
    _ fragment: Fragment, to reassembly: inout FragmentReassembly, seconds: Int64? = 0, isIPv6: Bool = false
  ) -> WholeDatagram? {
    let held = Bytes(fragment.bytes.dropLast(fragment.cut))
    return reassembly.add(headers(fragment, isIPv6: isIPv6), held.span, seconds: seconds)
  }

  static let cuts = [[0, 48, 100], [0, 8, 16, 100], [0, 24, 48, 72, 100], [0, 96, 100]]

  @Test(arguments: cuts, [false, true])
  func `fragments in any order give the datagram`(cuts: [Int], isIPv6: Bool) {
    let fragments = zip(cuts, cuts.dropFirst()).map { Self.piece($0..<$1) }
    for order in Self.permutations(Array(fragments.indices)) {
      var reassembly = FragmentReassembly()
      for (turn, index) in order.enumerated() {
        let whole = Self.add(fragments[index], to: &reassembly, isIPv6: isIPv6)
        let isDone = turn == order.count - 1
        #expect((whole != nil) == isDone)
        if let whole {
          let isSame = whole.payload == Self.data
          #expect(isSame)
          #expect(whole.lengthOnWire == 100)
          #expect(whole.protocolNumber == 6)
        }
      }
      #expect(reassembly.openDatagrams == 0)
      #expect(reassembly.wholeDatagrams == 1)
    }
  }

  static func permutations(_ items: [Int]) -> [[Int]] {
    guard items.count > 1 else { return [items] }
    return items.indices.flatMap { index in
      var rest = items
      let first = rest.remove(at: index)
      return permutations(rest).map { [first] + $0 }
    }
  }

  @Test func `the first copy of repeated bytes counts, and differing bytes are counted`() {
    let other = Bytes(repeating: 0xEE, count: 100)
    var reassembly = FragmentReassembly()
    #expect(Self.add(Self.piece(16..<48), to: &reassembly) == nil)
    var early = Self.piece(0..<64, of: other)
    early.isLast = false
    #expect(Self.add(early, to: &reassembly) == nil)
    #expect(reassembly.disagreeingBytes == 32)
    let whole = Self.add(Self.piece(64..<100), to: &reassembly)
    let expected = Bytes(other[0..<16] + Self.data[16..<48] + other[48..<64] + Self.data[64..<100])
    let isSame = whole?.payload == expected
    #expect(isSame)
  }

  @Test func `a repeated fragment changes nothing`() {
    var reassembly = FragmentReassembly()
    for _ in 0..<5 { #expect(Self.add(Self.piece(0..<48), to: &reassembly) == nil) }
    #expect(reassembly.disagreeingBytes == 0)
    let isSame = Self.add(Self.piece(48..<100), to: &reassembly)?.payload == Self.data
    #expect(isSame)
  }

  /// Protocol 50 has no checksum; a TCP checksum of these bytes is invalid.
  @Test(arguments: [50, 6] as [UInt8])
  func `copies of fragments that follow their complete datagram are not an incomplete datagram`(protocolNumber: UInt8) {
    var reassembly = FragmentReassembly()
    func piece(_ range: Range<Int>, of data: Bytes = Self.data) -> Fragment {
      var fragment = Self.piece(range, of: data)
      fragment.protocolNumber = protocolNumber
      return fragment
    }
    for range in [0..<48, 0..<48] { #expect(Self.add(piece(range), to: &reassembly) == nil) }
    #expect(Self.add(piece(48..<100), to: &reassembly) != nil)
    for range in [48..<100, 48..<72] { #expect(Self.add(piece(range), to: &reassembly) == nil) }
    // The identification is used again, at once or later.
    let other = Bytes(repeating: 0xEE, count: 80)
    if protocolNumber == 50 {
      #expect(Self.add(piece(0..<48, of: other), to: &reassembly) == nil)
      #expect(Self.add(piece(48..<80, of: other), to: &reassembly)?.payload == other)
    }
    #expect(Self.add(piece(0..<48), to: &reassembly, seconds: 61) == nil)
    #expect(reassembly.incompleteDatagrams == 0)
    #expect(Self.add(piece(48..<100), to: &reassembly, seconds: 61)?.payload == Self.data)
    // Of a third one, only the beginning was captured.
    #expect(Self.add(piece(0..<48, of: other), to: &reassembly, seconds: 61) == nil)
    reassembly.finish()
    #expect(reassembly.incompleteDatagrams == 1)
    #expect(reassembly.disagreeingBytes == 0)
  }

  @Test func `a copy with another end and a valid checksum is a separate datagram`() {
    // UDP: its length, and a checksum over addresses, protocol number and lengths, since all other bytes are 0.
    var data = Bytes(repeating: 0, count: 80)
    data.replaceSubrange(4..<8, with: [0, 80, 0xFF, 0xFF - (1 + 2 + 17 + 80 + 80)])
    // 0xFFFF does not change a sum in one's complement.
    var other = data
    other.replaceSubrange(60..<62, with: [0xFF, 0xFF])
    func piece(_ range: Range<Int>, of bytes: Bytes) -> Fragment {
      var fragment = Self.piece(range, of: bytes)
      fragment.protocolNumber = 17
      return fragment
    }
    var reassembly = FragmentReassembly()
    for bytes in [data, other] {
      #expect(Self.headers(piece(0..<48, of: bytes)).hasValidChecksum(reassembled: bytes.span, protocolNumber: 17) == true)
      #expect(Self.add(piece(0..<48, of: data), to: &reassembly) == nil)
      #expect(Self.add(piece(48..<80, of: bytes), to: &reassembly)?.payload == bytes)
    }
    reassembly.finish()
    #expect(reassembly.incompleteDatagrams == 0)
  }

  @Test func `a fragment that contradicts the datagram's length is ignored`() {
    var reassembly = FragmentReassembly()
    var short = Self.piece(48..<80)
    short.isLast = true
    #expect(Self.add(short, to: &reassembly) == nil)
    var beyond = Self.piece(64..<96)
    beyond.isLast = false
    #expect(Self.add(beyond, to: &reassembly) == nil)
    #expect(reassembly.contradictingFragments == 1)
    #expect(Self.add(Self.piece(0..<48), to: &reassembly)?.payload.count == 80)
  }

  @Test func `a datagram with a truncated fragment keeps the bytes before the truncation`() {
    var reassembly = FragmentReassembly()
    var first = Self.piece(0..<48)
    first.cut = 10
    #expect(Self.add(first, to: &reassembly) == nil)
    let whole = Self.add(Self.piece(48..<100), to: &reassembly)
    #expect(whole?.payload.count == 38)
    #expect(whole?.lengthOnWire == 100)
  }

  @Test func `datagrams are distinguished by identification and protocol number`() {
    var reassembly = FragmentReassembly()
    var other = Self.piece(0..<48)
    other.identification = 8
    #expect(Self.add(other, to: &reassembly) == nil)
    var udp = Self.piece(0..<48)
    udp.protocolNumber = 17
    #expect(Self.add(udp, to: &reassembly) == nil)
    #expect(Self.add(Self.piece(48..<100), to: &reassembly) == nil)
    #expect(reassembly.openDatagrams == 3)
    #expect(Self.add(Self.piece(0..<48), to: &reassembly) != nil)
  }

  @Test func `an old incomplete datagram is abandoned`() {
    var reassembly = FragmentReassembly()
    #expect(Self.add(Self.piece(0..<48), to: &reassembly, seconds: 1000) == nil)
    #expect(Self.add(Self.piece(48..<100), to: &reassembly, seconds: 1061) == nil)
    #expect(reassembly.incompleteDatagrams == 1)
    #expect(reassembly.openDatagrams == 1)
    reassembly.finish()
    #expect(reassembly.incompleteDatagrams == 2)
    #expect(reassembly.openDatagrams == 0)
  }

  @Test func `an abandoned datagram with a beginning is delivered once, with its gaps`() {
    var reassembly = FragmentReassembly()
    for (number, range) in [(7, 0..<16), (7, 16..<48), (7, 64..<80), (7, 80..<100), (8, 16..<32)] {
      var fragment = Self.piece(range)
      fragment.identification = UInt32(number)
      let headers = Self.headers(fragment)
      let whole = reassembly.add(
        headers, fragment.bytes.span, seconds: 5, frame: UInt64(range.lowerBound + 1))
      #expect(whole == nil)
    }
    #expect(reassembly.takeBroken().isEmpty)
    reassembly.finish()
    let broken = reassembly.takeBroken()
    #expect(broken.count == 1)
    #expect(broken.first?.start == Bytes(Self.data[0..<48]))
    #expect(broken.first?.startLengthOnWire == 48)
    #expect(broken.first?.frame == 1)
    #expect(broken.first?.length == 100)
    #expect(broken.first?.rest.map(\.start) == [64, 80])
    #expect(broken.first?.rest.map(\.frame) == [65, 81])
    #expect(broken.first?.rest.first?.bytes == Bytes(Self.data[64..<80]))
    #expect(reassembly.takeBroken().isEmpty)
    #expect(reassembly.incompleteDatagrams == 2)
  }

  @Test func `a gap from the snapshot length is distinguished from loss`() {
    var reassembly = FragmentReassembly()
    var first = Self.piece(0..<48)
    first.cut = 8
    #expect(Self.add(first, to: &reassembly) == nil)
    reassembly.finish()
    let broken = reassembly.takeBroken()
    #expect(broken.first?.start.count == 40)
    #expect(broken.first?.startLengthOnWire == 48)
    #expect(broken.first?.length == nil)
    #expect(broken.first?.knownLength == 48)
  }

  @Test func `the numbers of datagrams, held bytes and pieces are limited`() {
    var limits = FragmentLimits()
    limits.datagrams = 10
    var reassembly = FragmentReassembly(limits: limits)
    for number in 0..<1000 {
      var fragment = Self.piece(0..<48)
      fragment.identification = UInt32(number)
      #expect(Self.add(fragment, to: &reassembly, seconds: nil) == nil)
      #expect(reassembly.openDatagrams <= 10)
    }
    #expect(reassembly.limitedDatagrams == 990)

    limits = FragmentLimits()
    limits.heldBytes = 1000
    reassembly = FragmentReassembly(limits: limits)
    for number in 0..<100 {
      var fragment = Self.piece(0..<48)
      fragment.identification = UInt32(number)
      #expect(Self.add(fragment, to: &reassembly) == nil)
      #expect(reassembly.openDatagrams <= 1000 / 48)
    }

    limits = FragmentLimits()
    limits.pieces = 4
    reassembly = FragmentReassembly(limits: limits)
    for number in 0..<5 {
      var fragment = Self.piece(0..<8)
      fragment.start = number * 16
      #expect(Self.add(fragment, to: &reassembly) == nil)
    }
    #expect(reassembly.openDatagrams == 0)
    #expect(reassembly.limitedDatagrams == 1)
  }

  @Test func `random fragments never exceed the limits`() {
    var generator = SeededGenerator(seed: 42)
    var limits = FragmentLimits()
    limits.datagrams = 4
    limits.heldBytes = 4096
    var reassembly = FragmentReassembly(limits: limits)
    for _ in 0..<20_000 {
      let count = Int(generator.next() % 64) + 1
      var fragment = Fragment(
        start: Int(generator.next() % 40) * 8,
        bytes: Bytes(repeating: UInt8(generator.next() % 2), count: count),
        isLast: generator.next() % 8 == 0)
      fragment.identification = UInt32(generator.next() % 6)
      fragment.cut = Int(generator.next() % UInt64(count))
      let whole = Self.add(fragment, to: &reassembly, seconds: Int64(generator.next() % 200))
      if let whole { #expect(whole.payload.count <= whole.lengthOnWire) }
      #expect(reassembly.openDatagrams <= 4)
      for broken in reassembly.takeBroken() {
        #expect(broken.start.count <= broken.startLengthOnWire)
        #expect(broken.startLengthOnWire <= broken.knownLength)
      }
    }
    #expect(reassembly.wholeDatagrams > 0)
  }
}
