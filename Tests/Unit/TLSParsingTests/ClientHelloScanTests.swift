import ByteParsing
import Testing

@testable import TLSParsing

@Suite struct ClientHelloScanTests {
  /// A hello with what the shape leaves out taken away, and all GREASE values made one.
  static func essence(_ hello: ClientHello) -> ClientHello {
    func plain(_ value: UInt16) -> UInt16 { isGREASE(value) ? 0x0A0A : value }
    var hello = hello
    hello.random = []
    hello.sessionID = []
    hello.serverName = hello.serverName.map { _ in [1] }
    hello.sessionTicket = hello.sessionTicket.map { $0.isEmpty ? [] : [1] }
    hello.cipherSuites = hello.cipherSuites.map { CipherSuite(rawValue: plain($0.rawValue)) }
    hello.extensions = hello.extensions.map { ExtensionType(rawValue: plain($0.rawValue)) }
    hello.supportedGroups = hello.supportedGroups.map { NamedGroup(rawValue: plain($0.rawValue)) }
    hello.keyShareGroups = hello.keyShareGroups.map { NamedGroup(rawValue: plain($0.rawValue)) }
    hello.signatureSchemes = hello.signatureSchemes.map { SignatureScheme(rawValue: plain($0.rawValue)) }
    hello.certificateSignatureSchemes = hello.certificateSignatureSchemes.map {
      SignatureScheme(rawValue: plain($0.rawValue))
    }
    hello.delegatedCredentialSchemes = hello.delegatedCredentialSchemes.map {
      SignatureScheme(rawValue: plain($0.rawValue))
    }
    return hello
  }

  static func shape(_ bytes: Bytes) -> Bytes? {
    var shape = HelloShape()
    guard ClientHelloScan(bytes.span, shape: &shape) != nil else { return nil }
    return Bytes(copying: shape.bytes)
  }

  static func serverShape(_ bytes: Bytes) -> Bytes? {
    var shape = HelloShape()
    guard ServerHelloScan(bytes.span, shape: &shape) != nil else { return nil }
    return Bytes(copying: shape.bytes)
  }

  @Test func `a scan finds what differs between connections`() throws {
    let bytes = HelloBuilder.full.clientHello
    let scan = try ClientHelloScan(bytes)
    let hello = try ClientHello(bytes)
    #expect(Bytes(bytes[scan.random]) == hello.random)
    #expect(Bytes(bytes[scan.sessionID]) == hello.sessionID)
    #expect(Bytes(bytes[scan.serverName]) == hello.serverName)
    #expect(scan.sessionTicket.isEmpty)
  }

  @Test func `what a client makes anew for each connection leaves its shape alone`() throws {
    let one = HelloBuilder.full
    var other = one
    other.random = Bytes(repeating: 0xEE, count: 32)
    other.sessionID = []
    other.suites[0] = 0x5A5A
    for index in other.extensions.indices {
      switch other.extensions[index].0 {
      case 0x6A6A: other.extensions[index] = (0xFAFA, [1, 2])
      case 0x1A1A: other.extensions[index].0 = 0x3A3A
      case 0: other.extensions[index].1 = vector16([0] + vector16(ascii("another.example")))
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
    #expect(Self.shape(one.clientHello) == Self.shape(other.clientHello))
    #expect(
      try Self.essence(ClientHello(one.clientHello))
        == Self.essence(ClientHello(other.clientHello)))
  }

  @Test func `anything else changes the shape`() throws {
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
    var shapes: Set<Bytes> = [try #require(Self.shape(base.clientHello))]
    for other in others {
      shapes.insert(try #require(Self.shape(other.clientHello)))
    }
    #expect(shapes.count == others.count + 1)
  }

  @Test func `scan and parser agree on every input, and equal shapes mean equal hellos`() throws {
    var essences: [Bytes: ClientHello] = [:]
    var room = HelloShape()
    var parsed = 0
    var faults = 0
    torment(HelloBuilder.full.clientHello, rounds: 40_000, seed: 5) { bytes in
      let hello = try? ClientHello(parsing: bytes)
      let scan = ClientHelloScan(bytes, shape: &room)
      if !((hello == nil) == (scan == nil)) { faults += 1 }
      guard let hello, let scan else { return }
      parsed += 1
      let owned = Bytes(copying: bytes)
      if !(Bytes(owned[scan.random]) == hello.random) { faults += 1 }
      if !(Bytes(owned[scan.sessionID]) == hello.sessionID) { faults += 1 }
      if !(Bytes(owned[scan.serverName]) == hello.serverName ?? []) { faults += 1 }
      if !(Bytes(owned[scan.sessionTicket]) == hello.sessionTicket ?? []) { faults += 1 }
      let shape = Bytes(copying: room.bytes)
      if !room.isWhole { faults += 1 }
      let essence = Self.essence(hello)
      if let known = essences[shape], !(known == essence) { faults += 1 }
      essences[shape] = essence
    }
    #expect(faults == 0)
    #expect(parsed > 1000)
  }

  @Test func `a broken extension has a shape of its own`() throws {
    for (type, body) in ClientHelloTests.malformed {
      var builder = HelloBuilder()
      builder.extensions = [(type, body)]
      let bytes = builder.clientHello
      #expect(Self.shape(bytes) != nil)
      var sound = HelloBuilder.full
      sound.sessionID = []
      sound.suites = builder.suites
      sound.extensions = sound.extensions.filter { $0.0 == type }
      #expect(Self.shape(bytes) != Self.shape(sound.clientHello))
    }
  }

  @Test func `a server's shape leaves random, session and key alone`() throws {
    var other = rfc8448ServerHello
    other[5] ^= 1
    other[60] ^= 1
    #expect(Self.serverShape(other) == Self.serverShape(rfc8448ServerHello))
    // The suite, the group, the version.
    for index in [36, 45, rfc8448ServerHello.count - 1] {
      var changed = rfc8448ServerHello
      changed[index] ^= 1
      #expect(Self.serverShape(changed) != Self.serverShape(rfc8448ServerHello))
    }
  }

  @Test(arguments: [rfc8448ServerHello, rfc8448HelloRetryRequest])
  func `scan and parser agree on a server's hello, and equal shapes mean equal hellos`(valid: Bytes) {
    var essences: [Bytes: ServerHello] = [:]
    var room = HelloShape()
    var faults = 0
    torment(valid, rounds: 20_000, seed: 9) { bytes in
      let hello = try? ServerHello(parsing: bytes)
      let scan = ServerHelloScan(bytes, shape: &room)
      if !((hello == nil) == (scan == nil)) { faults += 1 }
      guard var essence = hello, let scan else { return }
      let owned = Bytes(copying: bytes)
      if !(Bytes(owned[scan.sessionID]) == essence.sessionID) { faults += 1 }
      essence.random = []
      essence.sessionID = []
      let shape = Bytes(copying: room.bytes)
      if let known = essences[shape], !(known == essence) { faults += 1 }
      essences[shape] = essence
    }
    #expect(faults == 0)
    #expect(essences.count > 50)
  }

  @Test func `a shape that finds no room says so, and the next one has all of it`() throws {
    var long = HelloBuilder.full
    long.extensions.append((99, Bytes(repeating: 1, count: HelloShape.maximumByteCount)))
    var shape = HelloShape()
    #expect(ClientHelloScan.scan(long.clientHello, &shape) != nil)
    #expect(!shape.isWhole)
    #expect(ClientHelloScan.scan(HelloBuilder.full.clientHello, &shape) != nil)
    #expect(shape.isWhole)
    let bytes = Bytes(copying: shape.bytes)
    #expect(bytes == Self.shape(HelloBuilder.full.clientHello))
  }

  @Test func `GREASE is normalised in every lane and nothing else is`() {
    for lane in 0..<4 {
      for value in 0...0xFFFF {
        let other: UInt64 = 0x1301_0A0B_AA0A_0BAB & ~(0xFFFF << UInt64(16 * lane))
        let word = other | UInt64(value) << UInt64(16 * lane)
        let expected = isGREASE(UInt16(value)) ? 0x0A0A : UInt64(value)
        if withGREASENormalised(word) != other | expected << UInt64(16 * lane) {
          Issue.record("lane \(lane), value \(value)")
        }
      }
    }
    #expect(withGREASENormalised(0x1A1A_2A2A_FAFA_0A0A) == 0x0A0A_0A0A_0A0A_0A0A)
  }

  @Test func `a short word is the low bytes of a long one`() {
    let bytes: Bytes = [1, 2, 3, 4, 5, 6, 7, 8, 9]
    let first = loadWord(bytes.span, at: 0)
    let low = loadWord(bytes.span, at: 0, count: 3)
    let end = loadWord(bytes.span, at: 6, count: 3)
    #expect(first == 0x0807_0605_0403_0201)
    #expect(low == 0x03_0201)
    #expect(end == 0x09_0807)
  }
}
