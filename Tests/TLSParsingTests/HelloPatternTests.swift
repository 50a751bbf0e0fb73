import ByteParsing
import SeededRandom
import Testing

@testable import TLSParsing

@Suite struct HelloPatternTests {
  /// A hello that was scanned.
  private struct Scanned {
    var pattern: HelloPattern
    var scan: ClientHelloScan
    var shape: Bytes
  }

  private static func scanned(_ bytes: Bytes) -> Scanned? {
    var shape = HelloShape()
    guard let scan = ClientHelloScan(bytes.span, shape: &shape), let pattern = shape.pattern(of: bytes.span)
    else { return nil }
    return Scanned(pattern: pattern, scan: scan, shape: Bytes(copying: shape.bytes))
  }

  private static func fits(_ bytes: Bytes, _ pattern: HelloPattern) -> Bool { pattern.matches(bytes.span) }

  /// Whether a hello that fits a pattern is what the pattern says that it is.
  private static func isTrue(_ bytes: Bytes, of known: Scanned) -> Bool {
    guard let own = scanned(bytes) else { return false }
    return own.scan == known.scan && own.shape == known.shape
  }

  @Test func `what fits a pattern has its shape, whichever byte is another`() throws {
    let base = HelloBuilder.full.clientHello
    let known = try #require(Self.scanned(base))
    #expect(Self.fits(base, known.pattern))
    var fitting: [Int] = []
    for index in base.indices {
      for change: UInt8 in [0x01, 0x10, 0x80, 0xFF] {
        var other = base
        other[index] ^= change
        guard Self.fits(other, known.pattern) else { continue }
        #expect(Self.isTrue(other, of: known), "byte \(index)")
        fitting.append(index)
      }
    }
    // The random, the session ID and the name are among them, and the bytes around them are not.
    let scan = known.scan
    for range in [scan.random, scan.sessionID, scan.serverName] {
      #expect(range.allSatisfy { fitting.contains($0) })
      #expect(!fitting.contains(range.lowerBound - 1))
      #expect(!fitting.contains(range.upperBound))
    }
    #expect(!Self.fits(Bytes(base.dropLast()), known.pattern))
    #expect(!Self.fits(base + [0], known.pattern))
  }

  @Test func `other GREASE values fit and other values do not`() throws {
    var builder = HelloBuilder.full
    let known = try #require(Self.scanned(builder.clientHello))
    let first = builder.suites[0]
    #expect(isGREASE(UInt16(first)))
    builder.suites[0] = first == 0x5A5A ? 0x6A6A : 0x5A5A
    #expect(Self.fits(builder.clientHello, known.pattern))
    builder.suites[0] = 0x5A6A
    #expect(!Self.fits(builder.clientHello, known.pattern))
    builder.suites[0] = 0x1301
    #expect(!Self.fits(builder.clientHello, known.pattern))
  }

  @Test func `patterns and scans agree on tormented hellos`() {
    var known: [Scanned] = []
    var fitting = 0
    var faults = 0
    torment(HelloBuilder.full.clientHello, rounds: TestEffort.rounds(20_000), seed: 23) { bytes in
      let owned = Bytes(copying: bytes)
      for one in known where Self.fits(owned, one.pattern) {
        fitting += 1
        if !Self.isTrue(owned, of: one) { faults += 1 }
      }
      if known.count < 40, let one = Self.scanned(owned) { known.append(one) }
    }
    #expect(faults == 0)
    #expect(fitting > TestEffort.rounds(100))
  }

  /// A server's hello that was scanned.
  private struct ScannedAnswer {
    var pattern: HelloPattern
    var scan: ServerHelloScan
    var shape: Bytes

    init?(_ bytes: Bytes) {
      var room = HelloShape()
      guard let scan = ServerHelloScan(bytes.span, shape: &room), let pattern = room.pattern(of: bytes.span)
      else { return nil }
      (self.scan, self.pattern, shape) = (scan, pattern, Bytes(copying: room.bytes))
    }
  }

  @Test(arguments: [rfc8448ServerHello, rfc8448HelloRetryRequest])
  func `what fits the pattern of a server's hello has its shape`(valid: Bytes) throws {
    let known = try #require(ScannedAnswer(valid))
    var fitting = 0
    var faults = 0
    torment(valid, rounds: 20_000, seed: 29) { bytes in
      let owned = Bytes(copying: bytes)
      guard Self.fits(owned, known.pattern) else { return }
      fitting += 1
      let own = ScannedAnswer(owned)
      if own?.scan != known.scan || own?.shape != known.shape { faults += 1 }
    }
    #expect(faults == 0)
    #expect(fitting > 0)
  }

  @Test func `the random of a HelloRetryRequest fits no other hello`() throws {
    let known = try #require(ScannedAnswer(rfc8448ServerHello))
    var retry = rfc8448ServerHello
    retry.replaceSubrange(2..<34, with: rfc8448HelloRetryRequest[2..<34])
    #expect(Self.fits(rfc8448ServerHello, known.pattern))
    #expect(!Self.fits(retry, known.pattern))
  }

  @Test func `a hello that is very long has no pattern`() {
    var long = HelloBuilder.full
    long.extensions.append((21, Bytes(repeating: 0, count: HelloPattern.maximumByteCount)))
    #expect(Self.scanned(long.clientHello) == nil)
    var many = HelloBuilder.full
    for _ in 0..<HelloPattern.maximumNoteCount { many.extensions.append((0x0A0A, [1])) }
    #expect(Self.scanned(many.clientHello) == nil)
  }
}
