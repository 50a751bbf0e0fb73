import PolicyResolution
import SeededRandom
import SessionModel
import Values

/// Makes random settings and sessions with few hosts, so that they match.
extension SeededGenerator {
  static let names: [String?] = [
    "example.com", "www.example.com", "a.b.example.com", "example.org", "nas", "printer.local",
    "www.apple.com",
    "gs.apple.com", "203.0.113.9", "192.168.1.4", nil,
  ]
  static let keys = [
    "example.com", "www.example.com", "example.org", "nas", "printer.local", "www.apple.com", "apple.com",
    "com",
    "203.0.113.9", "203.0.113.0/24", "192.168.1.4",
  ]
  static let releases = ["ios9", "ios10", "ios13", "ios15.4", "ios17", "ios18.4", "ios26", "ios26.5"]

  mutating func flag() -> Bool { Bool.random(using: &self) }

  mutating func boolean() -> Bool? { pick([nil, nil, true, false]) }

  mutating func settings() -> ExceptionSettings {
    ExceptionSettings(
      allowsInsecureHTTPLoads: boolean(),
      minimumTLSVersion: pick([nil, nil, "TLSv1.0", "TLSv1.1", "TLSv1.2", "TLSv1.3", "TLS 1.0"]),
      requiresForwardSecrecy: boolean())
  }

  mutating func dictionary() -> ATSDictionary {
    var dictionary = ATSDictionary(
      allowsArbitraryLoads: boolean(), allowsArbitraryLoadsForMedia: boolean(),
      allowsArbitraryLoadsInWebContent: boolean(), allowsLocalNetworking: boolean(),
      requiredNIAPPackage: pick([nil, nil, nil, .fcp2d1, NIAPPackage.none]))
    for key in SeededGenerator.keys where pick([true, false, false]) {
      dictionary.exceptionDomains.append(
        ExceptionEntry(
          key: key, includesSubdomains: boolean(), settings: settings(),
          requiredNIAPPackage: pick([nil, nil, nil, .recommended, NIAPPackage.none])))
    }
    return dictionary
  }

  mutating func session(frame: UInt64) -> ObservedSession {
    let host = pick(SeededGenerator.names)
    var session: ObservedSession
    if pick([true, false, false]) {
      session = Sessions.cleartext(host, frame: frame)
    } else {
      let version: UInt16 = pick([0x0300, 0x0301, 0x0302, 0x0303, 0x0303, 0x0304])
      let suite: UInt16 =
        version == 0x0304 ? 0x1301 : pick([0xC02F, 0xC013, 0xC027, 0x009C, 0x002F, 0x000A, 0x0005, 0x0033])
      session = Sessions.tls(host, version: version, suite: suite, offersTLS13: flag(), frame: frame)
    }
    if let host, let address = IPAddress(host) {
      session.server = Endpoint(address: address, port: session.server.port)
      session.serverNameSource = .address
    }
    return session
  }

  mutating func engine() -> Engine {
    Engine(os: pick(SeededGenerator.releases), context: pick([.app, .app, .web, .media]))
  }
}
