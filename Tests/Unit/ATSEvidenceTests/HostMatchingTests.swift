import ATSEvidence
import CertificateParsing
import PolicyResolution
import SeededRandom
import SessionBuilding
import SessionModel
import Testing
import Values

@Suite struct HostMatchingTests {
  @Test(arguments: [
    ("www.example.com", "www.example.com"), ("WWW.Example.COM", "www.example.com"),
    ("www.example.com.", "www.example.com"), ("www.example.com", "*.example.com"),
    ("www.example.com.", "*.EXAMPLE.com"), ("nas", "nas"), ("a.b.example.com", "*.b.example.com"),
    ("xn--mnchen-3ya.example", "XN--mnchen-3ya.example"), ("www.abc.uk", "*.abc.uk"),
    ("www.example.co.uk", "*.example.co.uk"), ("www.co.uk", "www.co.uk"),
  ])
  func `a certificate name matches a host`(host: String, pattern: String) {
    #expect(HostMatching.matches(host, pattern: pattern))
  }

  @Test(arguments: [
    ("www.example.com", "example.com"), ("example.com", "www.example.com"), ("example.com", "*.example.com"),
    ("a.b.example.com", "*.example.com"), ("www.example.com", "w*.example.com"),
    ("www.example.com", "*w.example.com"), ("www.example.com", "www.*.com"), ("www.example.com", "*.*.com"),
    ("example.com", "*.com"), ("nas", "*"), ("www.example.com", ""), ("", ""), ("", "*"),
    (".", "*.example.com"),
    ("www.example.com", "www.example.com."), ("www.example.com", ".example.com"), ("www..com", "www..com"),
    ("www..example.com", "*..example.com"), ("wwwxexample.com", "www.example.com"),
    ("www.co.uk", "*.co.uk"), ("www.com.au", "*.COM.AU"), ("www.anything.np", "*.anything.np"),
    ("*.example.com", "w*.example.com"), ("www.example.com..", "www.example.com"),
    ("www.example.com", "www.example.com\u{0}.evil.org"), ("k.example", "\u{212A}.example"),
  ])
  func `a certificate name does not match a host`(host: String, pattern: String) {
    #expect(!HostMatching.matches(host, pattern: pattern))
  }

  @Test
  func `an IP address matches only an equal iPAddress in the certificate`() throws {
    let address = try #require(IPAddress("192.0.2.7"))
    let leaf = CertificateBuilder.leaf { builder in
      builder.dnsNames = ["192.0.2.7"]
      builder.addresses = []
    }.certificate
    #expect(!HostMatching.matches(.address(address), leaf, readsCommonName: false))
    let listed = CertificateBuilder.leaf { $0.addresses = [address] }.certificate
    #expect(HostMatching.matches(.address(address), listed, readsCommonName: false))
    let other = try #require(IPAddress("192.0.2.8"))
    #expect(!HostMatching.matches(.address(other), listed, readsCommonName: false))
    let mapped = try #require(IPAddress("::ffff:192.0.2.7"))
    #expect(!HostMatching.matches(.address(mapped), listed, readsCommonName: false))
  }

  @Test
  func `DNS names that look like addresses are ignored`() {
    #expect(!HostMatching.isUsable("192.0.2.7"))
    #expect(!HostMatching.isUsable("2001:db8::1"))
    #expect(!HostMatching.isUsable(""))
    #expect(HostMatching.isUsable("*.example.com"))
  }

  @Test(arguments: [
    ("apple.com", true), ("127.0.0.1.example.com", true), ("1a.example.com", true),
    ("example.xn--3hcrj9c", true),
    ("a_b.example", true), ("localhost", true), ("192.0.2", false), ("apple.com.1", false),
    ("-a.example.com", false), ("a-.example.com", false), ("example.--3hcrj9c", false),
    ("example.80ao21a--", false), ("a..example", false), (".example", false), ("example.com.", false),
    ("a b.example", false), ("ä.example", false), ("a\0.example", false),
    (String(repeating: "a", count: 63) + ".example", true),
    (String(repeating: "a", count: 64) + ".example", false),
    (String(repeating: "a.", count: 124) + "example", true),
    (String(repeating: "a.", count: 125) + "example", false),
  ])
  func `only valid DNS names are usable`(name: String, isUsable: Bool) {
    #expect(HostMatching.isUsable(name) == isUsable)
  }

  @Test
  func `the common name is matched only if enabled and without a DNS name`() {
    let bare = CertificateBuilder.leaf { $0.dnsNames = nil }.certificate
    let host = HostIdentity.name("www.example.com")
    #expect(HostMatching.matches(host, bare, readsCommonName: true))
    #expect(!HostMatching.matches(host, bare, readsCommonName: false))
    let elsewhere = CertificateBuilder.leaf { $0.dnsNames = ["other.example.com"] }.certificate
    #expect(!HostMatching.matches(host, elsewhere, readsCommonName: true))
    let address = CertificateBuilder.leaf { $0.dnsNames = ["192.0.2.7"] }.certificate
    #expect(!HostMatching.matches(host, address, readsCommonName: true))
  }

  @Test(arguments: [("www.example.com", ["192.0.2.7"]), ("192.0.2.7", nil)] as [(String, [String]?)])
  func `an IPv4 address as a DNS name or common name is matched where the common name is`(subject: String, dnsNames: [String]?) throws {
    let leaf = CertificateBuilder.leaf { builder in
      builder.subject = subject
      builder.dnsNames = dnsNames
    }.certificate
    let host = HostIdentity.address(try #require(IPAddress("192.0.2.7")))
    #expect(HostMatching.matches(host, leaf, readsCommonName: true))
    #expect(!HostMatching.matches(host, leaf, readsCommonName: false))
  }

  @Test
  func `a common name with an underscore is not a DNS name`() {
    func leaf(_ change: (inout CertificateBuilder) -> Void) -> Certificate { CertificateBuilder.leaf(change).certificate }
    let host = HostIdentity.name("a_b.example.com")
    let named = leaf { builder in
      builder.subject = "a_b.example.com"
      builder.dnsNames = nil
    }
    #expect(!HostMatching.matches(host, named, readsCommonName: true))
    let listed = leaf { $0.dnsNames = ["a_b.example.com"] }
    #expect(HostMatching.matches(host, listed, readsCommonName: true))
  }

  @Test
  func `each of several common names is matched`() {
    var leaf = CertificateBuilder.leaf { $0.dnsNames = nil }.certificate
    leaf.otherCommonNames = ["a.example", "not a name"]
    for name in ["a.example", "www.example.com"] {
      #expect(HostMatching.matches(.name(name), leaf, readsCommonName: true))
      #expect(!HostMatching.matches(.name(name), leaf, readsCommonName: false))
    }
    #expect(HostMatching.names(of: leaf, readsCommonName: true) == ["a.example", "www.example.com"])
  }

  @Test
  func `an unknown host matches nothing`() {
    #expect(!HostMatching.matches(.unknown, CertificateBuilder.leaf().certificate, readsCommonName: true))
  }

  @Test
  func `a match through a wildcard that may span a public suffix is reported`() {
    let leaf = CertificateBuilder.leaf { $0.dnsNames = ["*.abc.uk"] }.certificate
    #expect(HostMatching.restsOnShortWildcard("www.abc.uk", leaf))
    let named = CertificateBuilder.leaf { $0.dnsNames = ["*.abc.uk", "www.abc.uk"] }.certificate
    #expect(!HostMatching.restsOnShortWildcard("www.abc.uk", named))
    let deeper = CertificateBuilder.leaf { $0.dnsNames = ["*.example.co.uk"] }.certificate
    #expect(!HostMatching.restsOnShortWildcard("www.example.co.uk", deeper))
    let usual = CertificateBuilder.leaf { $0.dnsNames = ["*.example.com"] }.certificate
    #expect(!HostMatching.restsOnShortWildcard("www.example.com", usual))
  }

  @Test
  func `random names never trap, and a name that matches a host matches itself`() {
    var random = SeededGenerator(seed: 7)
    let alphabet = Array("ab*.-A0\u{e9}".unicodeScalars)
    for _ in 0..<20_000 {
      func text() -> String {
        var text = ""
        for _ in 0..<random.below(8) {
          text.unicodeScalars.append(alphabet[random.below(alphabet.count)])
        }
        return text
      }
      let (host, pattern) = (text(), text())
      _ = HostMatching.matches(host, pattern: pattern)
      if HostMatching.matches(host, pattern: pattern), !pattern.contains("*") {
        #expect(HostMatching.matches(pattern, pattern: pattern))
      }
    }
  }
}
