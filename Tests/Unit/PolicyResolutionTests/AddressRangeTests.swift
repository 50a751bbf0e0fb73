import PolicyResolution
import SeededRandom
import Testing
import Values

@Suite struct AddressRangeTests {
  @Test(arguments: [
    ("10.0.0.0/8", "10.0.0.0", 8), ("10/8", "10.0.0.0", 8), ("10.1/16", "10.1.0.0", 16),
    ("10.1.2/24", "10.1.2.0", 24),
    ("192.168.100.1/32", "192.168.100.1", 32), ("0/0", "0.0.0.0", 0), ("10.1.2.3/8", "10.0.0.0", 8),
    ("10.0.0.0/010", "10.0.0.0", 8), ("10.0.0.0/08", "0.0.0.0", 0), ("10.0.0.0/00", "0.0.0.0", 0),
    ("10.0.0.0/019", "0.0.0.0", 1), ("::/0", "::", 0), ("::1/128", "::1", 128),
    ("2001:db8/32", "2001:db8::", 32),
    ("2001:DB8::/32", "2001:db8::", 32), ("dead/16", "dead::", 16), ("fe80::1/10", "fe80::", 10),
    ("1:2:3:4:5:6:7/112", "1:2:3:4:5:6:7:0", 112), ("1:2:3:4:5:6:7:8/127", "1:2:3:4:5:6:7:8", 127),
    ("2001:db8:85a3::8a2e:370:7334/64", "2001:db8:85a3::", 64), ("a::b/65", "a::", 65),
    ("1::/0200", "1::", 128),
    ("2001:db8:1111:2222:3333:4444:555:666/128", "2001:db8:1111:2222:3333:4444:555:666", 128),
  ])
  func `a range key is parsed with the quirks of the system`(key: String, network: String, length: Int) throws {
    let range = try AddressRange(key: key)
    #expect(range.network.description == network)
    #expect(range.prefixLength == length)
  }

  @Test(arguments: [
    ("10.0.0.0", AddressRange.Refusal.slashes), ("10.0.0.0/8/8", .slashes), ("", .slashes),
    ("10.0.0.x/8", .character), ("fe80::%en0/10", .character), (" 10.0.0.0/8", .character),
    ("ü/8", .character),
    (".10/8", .dots), ("10./8", .dots), ("::ffff:10.0.0.0/104", .dots), ("a.b/8", .dots),
    ("::1::/64", .colons), ("2001:/16", .colons), (":/8", .colons), (":::/8", .colons),
    ("10.0.0.0/", .noPrefixLength), ("10.0.0.0/0x8", .noPrefixLength), ("10.0.0.0/-8", .noPrefixLength),
    ("10.0.0.0/8.", .noPrefixLength), ("10.0.0.0/33", .prefixTooLong), ("::/129", .prefixTooLong),
    ("10.0.0.0/99999999999999999999999999", .prefixTooLong), ("10.0.0.0/041", .prefixTooLong),
    ("192.168.100.12/32", .addressTooLong), ("255.255.255.255/32", .addressTooLong),
    ("2001:0db8:1111:2222:3333:4444:5555:666/128", .addressTooLong),
    ("2001:0db8:1111:2222:3333:4444:5555:6666/128", .addressTooLong), ("/8", .notAnAddress),
    ("256.0.0.0/8", .notAnAddress), ("10.0.0.0.0/8", .notAnAddress), ("010.0.0.0/8", .notAnAddress),
    ("10..0/8", .notAnAddress), ("12345::/16", .notAnAddress), (":1::/16", .notAnAddress),
    ("1:2:3:4:5:6:7:8:9/16", .notAnAddress),
  ])
  func `a range key that the system rejects throws its reason`(key: String, reason: AddressRange.Refusal) {
    #expect(throws: reason) { try AddressRange(key: key) }
  }

  @Test func `host bits and an octal prefix length are recorded`() throws {
    #expect(try AddressRange(key: "10.1.0.0/8").hadHostBits)
    #expect(try !AddressRange(key: "10.0.0.0/8").hadHostBits)
    #expect(try AddressRange(key: "10.0.0.0/010").hadOctalPrefix)
    #expect(try !AddressRange(key: "0.0.0.0/0").hadOctalPrefix)
  }

  @Test(arguments: [
    ("10.0.0.0/8", "10.255.255.255", true), ("10.0.0.0/8", "11.0.0.0", false),
    ("10.0.0.0/31", "10.0.0.1", true),
    ("10.0.0.0/31", "10.0.0.2", false), ("0.0.0.0/0", "255.255.255.255", true), ("0.0.0.0/0", "::", false),
    ("::/0", "0.0.0.0", false), ("::/0", "ffff::", true), ("::ffff:0/96", "10.0.0.0", false),
    ("2001:db8::/33", "2001:db8:7fff::1", true), ("2001:db8::/33", "2001:db8:8000::", false),
    ("a::/64", "a::ffff:0:0:0", true), ("a::/65", "a::8000:0:0:0", false), ("a::/65", "a::7fff:0:0:0", true),
    ("::1/128", "::1", true), ("::1/128", "::", false),
  ])
  func `a range contains the addresses of its family with its prefix`(key: String, address: String, isIn: Bool) throws {
    #expect(try AddressRange(key: key).contains(try #require(IPAddress(address))) == isIn)
  }

  @Test func `random keys parse or throw`() {
    var random = SeededGenerator(seed: 5)
    let letters = Array("0123456789abfF.:/%x")
    for _ in 0..<20_000 {
      var key = ""
      for _ in 0..<random.below(16) { key.append(random.pick(letters)) }
      if let range = try? AddressRange(key: key + "/\(random.below(200))") {
        #expect(range.contains(range.network))
      }
    }
  }
}
