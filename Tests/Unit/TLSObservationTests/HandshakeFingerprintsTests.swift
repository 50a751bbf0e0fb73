import ByteParsing
import TestBytes
import Testing
import TLSParsing

@testable import TLSObservation

/// A minimal ClientHello with the given code points.
private func clientHello(
  version: Int, suites: [Int], extensions: [(type: Int, body: Bytes)], session: Bytes = []
) -> Bytes {
  var bytes = two(version) + Bytes(repeating: 0, count: 32) + [UInt8(session.count)] + session
  bytes += list(suites)
  bytes += [1, 0]
  if !extensions.isEmpty {
    bytes += vector16(Bytes(extensions.map { two($0.type) + vector16($0.body) }.joined()))
  }
  return bytes
}

/// `values` of two bytes each, after a two-byte length.
private func list(_ values: [Int]) -> Bytes { vector16(Bytes(values.flatMap(two))) }

@Suite struct HandshakeFingerprintsTests {
  @Test func `JA3 hashes match the published examples`() throws {
    let full = clientHello(
      version: 769, suites: [47, 53, 5, 10, 49161, 49162, 49171, 49172, 50, 56, 19, 4],
      extensions: [(0, [0, 4, 0, 0, 1, 0x61]), (10, list([23, 24, 25])), (11, [1, 0])])
    #expect(ja3(of: try ClientHello(parsing: full.span)) == "ada70206e40642a3e4461f35503241d5")
    let bare = clientHello(version: 769, suites: [4, 5, 10, 9, 100, 98, 3, 6, 19, 18, 99], extensions: [])
    #expect(ja3(of: try ClientHello(parsing: bare.span)) == "de350869b8c85de67a350c8d186f11e6")
  }

  @Test func `the JA4 fingerprint matches the published example`() throws {
    // A browser's hello with GREASE first in every list; ALPN and SNI are in no hash.
    let schemes = [0x0403, 0x0804, 0x0401, 0x0503, 0x0805, 0x0501, 0x0806, 0x0601]
    let hello = clientHello(
      version: 0x0303,
      suites: [
        0x2A2A, 0x1301, 0x1302, 0x1303, 0xC02B, 0xC02F, 0xC02C, 0xC030, 0xCCA9, 0xCCA8, 0xC013, 0xC014,
        0x009C,
        0x009D, 0x002F, 0x0035,
      ],
      extensions: [
        (0x1A1A, []), (0x001B, [2, 0, 2]), (0x0000, [0, 4, 0, 0, 1, 0x61]), (0x0033, [0, 0]),
        (0x0010, [0, 3, 2, 0x68, 0x32]), (0x4469, []), (0x0017, []), (0x002D, [1, 1]),
        (0x000D, list(schemes)),
        (0x0005, [1, 0, 0, 0, 0]), (0x0023, []), (0x0012, []), (0x002B, [6, 0x7A, 0x7A, 3, 4, 3, 3]),
        (0xFF01, [0]), (0x000B, [1, 0]), (0x000A, list([0x6A6A, 29, 23, 24])), (0x0015, [0, 0]),
      ])
    let read = try ClientHello(parsing: hello.span)
    #expect(ja4(of: read) == "t13d1516h2_8daaf6152771_e5627efa2ab1")
    #expect(ja4(of: read, transport: .quic) == "q13d1516h2_8daaf6152771_e5627efa2ab1")
  }

  @Test func `a ClientHello without cipher suites and extensions has all-zero JA4 hashes`() throws {
    let hello = try ClientHello(parsing: clientHello(version: 0x0301, suites: [], extensions: []).span)
    #expect(ja4(of: hello) == "t10i000000_000000000000_000000000000")
  }

  @Test func `JA3S hashes version, cipher suite and extensions of a TLS 1_3 ServerHello`() throws {
    let share: Bytes = [0, 51, 0, 5, 0, 29, 0, 1, 9]
    var bytes: Bytes = [3, 3] + Bytes(repeating: 1, count: 32) + [0, 0x13, 1, 0]
    bytes += [0, 15] + share + [0, 43, 0, 2, 3, 4]
    // MD5 of "771,4865,51-43".
    #expect(ja3s(of: try ServerHello(parsing: bytes.span)) == "eb1d94daa7e0344597e756a1fb6e7054")
  }
}
