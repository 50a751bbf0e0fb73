import ByteParsing
import Testing
import Values

@testable import PacketExtraction

@Suite struct AnonymizerTests {
  private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

  /// The length of the common prefix of two addresses, in bits.
  private func common(_ a: IPAddress, _ b: IPAddress) -> Int {
    var count = 0
    for (one, other) in zip(a.bytes, b.bytes) {
      let difference = one ^ other
      count += difference.leadingZeroBitCount
      if difference != 0 { break }
    }
    return count
  }

  private func replaced(_ texts: [String], key: String = "key", identities: Set<IPAddress> = []) throws
    -> [IPAddress]
  {
    var anonymizer = Anonymizer(key: AnonymizationKey(secret: Bytes(key.utf8)), identities: identities)
    return try texts.map { anonymizer.replacement(of: try address($0)) }
  }

  @Test func `the replacement of an address depends on the address and the key alone`() throws {
    let texts = ["17.253.144.10", "10.1.2.3", "2a00:1450:4001::93"]
    #expect(try replaced(texts + texts) == replaced(texts) + replaced(texts))
    #expect(try replaced(texts) != replaced(texts, key: "other"))
  }

  @Test(arguments: [
    ("17.253.144.10", "17.253.144.11"), ("17.253.144.10", "17.253.200.1"), ("10.1.2.3", "10.1.9.9"),
    ("192.168.4.5", "192.168.77.5"), ("2a00:1450:4001::93", "2a00:1450:4001::94"),
    ("2a00:1450:4001::93", "2a00:1450:4002::93"), ("fe80::1", "fe80::2"), ("fd00:1::1", "fd00:2::1"),
  ])
  func `the common prefix of two addresses keeps its length`(one: String, other: String) throws {
    let pair = try replaced([one, other])
    #expect(try common(pair[0], pair[1]) == common(address(one), address(other)))
  }

  @Test(arguments: [
    ("10.20.30.40", 8), ("172.16.5.4", 12), ("172.31.255.1", 12), ("192.168.0.7", 16), ("169.254.9.9", 16),
    ("100.64.1.1", 10), ("240.1.2.3", 4), ("251.236.18.198", 4), ("fe80::1234", 10), ("fd12:3456::1", 8),
  ])
  func `a private, link-local, shared or reserved address keeps its registered prefix`(text: String, bits: Int) throws {
    let replaced = try replaced([text])
    #expect(try common(replaced[0], address(text)) >= bits)
    #expect(try replaced[0] != address(text))
  }

  @Test func `a public address stays public, and a private one private`() throws {
    var anonymizer = Anonymizer(key: AnonymizationKey(secret: Bytes("k".utf8)), identities: [])
    for first in 1...223 {
      for second in stride(from: 0, through: 255, by: 25) {
        let bits = UInt32(first) << 24 | UInt32(second) << 16 | 0x0102
        let isPrivate = { (bits: UInt32) in
          bits >> 24 == 10 || bits >> 20 == 0xAC1 || bits >> 16 == 0xC0A8 || bits >> 16 == 0xA9FE
            || bits >> 24 == 127
        }
        let replaced = anonymizer.replacement(of: IPAddress(v4: bits))
        let after = replaced.bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let isSame = isPrivate(bits) == isPrivate(after)
        #expect(isSame)
      }
    }
  }

  @Test(arguments: ["127.0.0.1", "0.0.0.0", "224.0.0.251", "255.255.255.255", "::1", "::"])
  func `loopback, unspecified, multicast and broadcast addresses stay`(text: String) throws {
    #expect(try replaced([text]) == [address(text)])
  }

  @Test func `the IPv4 address in an IPv6 address is replaced`() throws {
    let replaced = try replaced(["17.253.144.10", "::ffff:17.253.144.10", "::17.253.144.10", "::ffff:127.0.0.1"])
    #expect(replaced[0].description != "17.253.144.10")
    #expect(replaced[1].description == "::ffff:\(replaced[0])")
    #expect(try replaced[2] != address("::17.253.144.10"))
    #expect(replaced[3].description == "::ffff:127.0.0.1")
  }

  @Test func `an address that is one of the identities stays`() throws {
    let identity = try address("17.253.144.10")
    #expect(try replaced(["17.253.144.10"], identities: [identity]) == [identity])
    #expect(try replaced(["17.253.144.11"], identities: [identity]) != [address("17.253.144.11")])
  }
}
