import ByteParsing
import SeededRandom
import TestBytes
import Testing

@testable import TLSParsing

@Suite struct HelloFieldsTests {
  /// Returns a hello without the fields that its key omits, and with all GREASE values made equal.
  static func essence(_ hello: ClientHello) -> ClientHello {
    func equal(_ value: UInt16) -> UInt16 { isGREASE(value) ? 0x0A0A : value }
    var hello = hello
    hello.random = []
    hello.sessionID = []
    hello.serverName = nil
    hello.cipherSuites = hello.cipherSuites.map { CipherSuite(rawValue: equal($0.rawValue)) }
    hello.extensions = hello.extensions.map { ExtensionType(rawValue: equal($0.rawValue)) }
    hello.supportedGroups = hello.supportedGroups.map { NamedGroup(rawValue: equal($0.rawValue)) }
    hello.signatureSchemes = hello.signatureSchemes.map { SignatureScheme(rawValue: equal($0.rawValue)) }
    hello.certificateSignatureSchemes = hello.certificateSignatureSchemes.map {
      SignatureScheme(rawValue: equal($0.rawValue))
    }
    return hello
  }

  static func key(_ bytes: Bytes) -> Bytes {
    var key = Bytes()
    HelloFields(ofClient: bytes.span).appendClientKey(of: bytes.span, to: &key)
    return key
  }

  static func serverKey(_ bytes: Bytes) throws -> Bytes {
    var key = Bytes()
    try HelloFields(ofServer: bytes.span).appendServerKey(of: bytes.span, to: &key)
    return key
  }

  @Test func `the field ranges match the decoded ClientHello`() throws {
    let bytes = HelloBuilder.full.clientHello
    let fields = HelloFields(ofClient: bytes.span)
    let hello = try ClientHello(bytes)
    #expect(fields.fault == nil)
    #expect(fields.end == bytes.count)
    #expect(Bytes(bytes[fields.random]) == hello.random)
    #expect(Bytes(bytes[fields.sessionID]) == hello.sessionID)
    #expect(fields.cipherSuites.count == 2 * hello.cipherSuites.count)
    #expect(fields.extensions.map(\.type) == hello.extensions)
    let name = fields.serverName(in: bytes.span)
    #expect(name.map { Bytes(bytes[$0]) } == hello.serverName)
  }

  @Test func `the key omits what is new in each connection`() throws {
    let one = HelloBuilder.full
    var other = one
    other.random = Bytes(repeating: 0xEE, count: 32)
    other.sessionID = []
    other.suites[0] = 0x5A5A
    for index in other.extensions.indices {
      switch other.extensions[index].0 {
      case 0x6A6A: other.extensions[index] = (0xFAFA, [1, 2])
      case 0x1A1A: other.extensions[index].0 = 0x3A3A
      case 0: other.extensions[index].1 = vector16([0] + vector16(text("another.example")))
      case 10: other.extensions[index].1[2...3] = [0x7A, 0x7A]
      case 43: other.extensions[index].1[1...2] = [0x8A, 0x8A]
      case 51:
        other.extensions[index].1[2...3] = [0x7A, 0x7A]
        other.extensions[index].1[20] = 0x55
      case 21: other.extensions[index].1 = Bytes(repeating: 0, count: 99)
      case 41: other.extensions[index].1[10] = 0x77
      case 0xFE0D: other.extensions[index].1[60] = 0x77
      default: break
      }
    }
    #expect(one.clientHello != other.clientHello)
    #expect(Self.key(one.clientHello) == Self.key(other.clientHello))
    #expect(
      try Self.essence(ClientHello(one.clientHello))
        == Self.essence(ClientHello(other.clientHello)))
  }

  @Test func `any other change of the hello changes the key`() throws {
    let base = HelloBuilder.full
    var others: [HelloBuilder] = []
    func add(_ change: (inout HelloBuilder) -> Void) {
      var builder = base
      change(&builder)
      others.append(builder)
    }
    add { $0.legacyVersion = 0x0302 }
    add { $0.suites.swapAt(1, 2) }
    add { $0.suites.remove(at: 0) }
    add { $0.methods = [0, 1] }
    add { $0.extensions.swapAt(1, 2) }
    add { $0.extensions.append((99, [])) }
    for index in base.extensions.indices { add { $0.extensions.remove(at: index) } }
    for type in [10, 11, 13, 50, 16, 45, 43, 27, 34, 15] {
      add { builder in
        guard let index = builder.extensions.firstIndex(where: { $0.0 == type }) else { return }
        builder.extensions[index].1[builder.extensions[index].1.count - 1] ^= 1
      }
    }
    let keys = Set(others.map { Self.key($0.clientHello) })
    #expect(keys.union([Self.key(base.clientHello)]).count == others.count + 1)
  }

  @Test func `ClientHellos with equal keys differ only in what is new in each connection`() throws {
    var essences: [Bytes: ClientHello] = [:]
    var repeated = 0
    var faults = 0
    torment(HelloBuilder.full.clientHello, rounds: 40_000, seed: 5) { bytes in
      let fields = HelloFields(ofClient: bytes)
      guard fields.fault == nil else { return }
      let hello = ClientHello(fields, of: bytes)
      let owned = Bytes(copying: bytes)
      if fields.serverName(in: bytes).map({ Bytes(owned[$0]) }) != hello.serverName { faults += 1 }
      var key = Bytes()
      fields.appendClientKey(of: bytes, to: &key)
      let essence = Self.essence(hello)
      if let known = essences[key] {
        repeated += 1
        if known != essence { faults += 1 }
      }
      essences[key] = essence
    }
    #expect(faults == 0)
    #expect(repeated > 50)
    #expect(essences.count > 50)
  }

  @Test func `a ServerHello's key omits random and key share, but not suite, group and version`() throws {
    var other = rfc8448ServerHello
    other[5] ^= 1
    other[60] ^= 1
    #expect(try Self.serverKey(other) == Self.serverKey(rfc8448ServerHello))
    // Cipher suite, group, version.
    for index in [36, 45, rfc8448ServerHello.count - 1] {
      var changed = rfc8448ServerHello
      changed[index] ^= 1
      #expect(try Self.serverKey(changed) != Self.serverKey(rfc8448ServerHello))
    }
  }

  @Test(arguments: [rfc8448ServerHello, rfc8448HelloRetryRequest])
  func `ServerHellos with equal keys differ only in random and session ID`(valid: Bytes) {
    var essences: [Bytes: ServerHello] = [:]
    var faults = 0
    torment(valid, rounds: 20_000, seed: 9) { bytes in
      guard let fields = try? HelloFields(ofServer: bytes), fields.fault == nil else { return }
      let essence = ServerHello(fields, of: bytes)
      var key = Bytes()
      fields.appendServerKey(of: bytes, to: &key)
      if let known = essences[key], known != essence { faults += 1 }
      essences[key] = essence
    }
    #expect(faults == 0)
    #expect(essences.count > 50)
  }

  @Test func `all GREASE values have the same key, and no other value has it`() {
    var hello = HelloBuilder.full
    hello.suites[0] = 0x0A0A
    let expected = Self.key(hello.clientHello)
    // A short run tries every 257th value: those with two equal bytes, as in GREASE values.
    for value in stride(from: 0, through: 0xFFFF, by: TestEffort.isLong ? 1 : 257) {
      hello.suites[0] = value
      if (Self.key(hello.clientHello) == expected) != isGREASE(UInt16(value)) {
        Issue.record("value \(value)")
      }
    }
  }
}
