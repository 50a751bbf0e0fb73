import ByteParsing
import TestBytes
import Testing

@testable import TLSParsing

/// Code points, two bytes each.
func codePoints(_ values: [Int]) -> Bytes { values.reduce(into: Bytes()) { $0 += two($1) } }

/// One extension.
func hello(extension type: Int, _ body: Bytes) -> Bytes { two(type) + vector16(body) }

/// Builds hellos of either side for tests.
struct HelloBuilder {
  var legacyVersion = 0x0303
  var random = Bytes(0..<32)
  var sessionID = Bytes()
  var suites = [0x1301, 0xC02F]
  var methods: Bytes = [0]
  var extensions: [(Int, Bytes)] = []
  var hasExtensionBlock = true

  var clientHello: Bytes {
    two(legacyVersion) + random + vector8(sessionID) + vector16(codePoints(suites)) + vector8(methods)
      + extensionBlock
  }

  var serverHello: Bytes {
    two(legacyVersion) + random + vector8(sessionID) + two(suites.first ?? 0) + methods.prefix(1)
      + extensionBlock
  }

  private var extensionBlock: Bytes {
    hasExtensionBlock
      ? vector16(extensions.reduce(into: Bytes()) { $0 += hello(extension: $1.0, $1.1) }) : []
  }

  /// A hello with every extension that is decoded, and a GREASE value in every list that may contain one.
  static var full: HelloBuilder {
    var builder = HelloBuilder()
    builder.sessionID = Bytes(repeating: 7, count: 32)
    builder.suites = [0x2A2A, 0x1301, 0x1302, 0xC02B, 0x00FF]
    builder.extensions = [
      (0x6A6A, []),
      (0, vector16([0] + vector16(text("www.example.com")))),
      (23, []),
      (0xFF01, [0]),
      (10, vector16(codePoints([0xBABA, 0x11EC, 29, 23, 24]))),
      (11, vector8([0])),
      (35, []),
      (16, vector16(vector8(text("h2")) + vector8(text("http/1.1")))),
      (5, [1, 0, 0, 0, 0]),
      (17, vector16([2] + vector16([0, 0, 0, 0]))),
      (13, vector16(codePoints([0x0403, 0x0804, 0x0401]))),
      (50, vector16(codePoints([0x0403, 0x0201]))),
      (18, []),
      (51, vector16(two(0xBABA) + vector16([0]) + two(29) + vector16(Bytes(repeating: 9, count: 32)))),
      (45, vector8([1])),
      (43, vector8(codePoints([0x4A4A, 0x0304, 0x0303]))),
      (27, vector8(codePoints([2, 1]))),
      (34, vector16(codePoints([0x0403]))),
      (15, [1]),
      (42, []),
      (
        0xFE0D,
        [0, 0, 1, 0, 1, 5] + vector16(Bytes(repeating: 1, count: 32))
          + vector16(Bytes(repeating: 2, count: 144))
      ),
      (0x1A1A, [0]),
      (21, Bytes(repeating: 0, count: 12)),
      (
        41,
        vector16(vector16(Bytes(repeating: 3, count: 16)) + [0, 0, 0, 9])
          + vector16(vector8(Bytes(repeating: 4, count: 32)))
      ),
    ]
    return builder
  }
}

/// The HelloRetryRequest of RFC 8448 §5, without its header.
let rfc8448HelloRetryRequest = hex(
  """
  03 03 cf 21 ad 74 e5 9a 61 11 be 1d 8c 02 1e 65 b8 91 c2 a2 11 16 7a bb 8c 5e 07 9e 09 e2 c8 a8 33 9c 00 13 01
  00 00 84 00 33 00 02 00 17 00 2c 00 74 00 72 71 dc d0 4b b8 8b c3 18 91 19 39 8a 00 00 00 00 ee fa fc 76 c1 46
  b8 23 b0 96 f8 aa ca d3 65 dd 00 30 95 3f 4e df 62 56 36 e5 f2 1b b2 e2 3f cc 65 4b 1b 5b 40 31 8d 10 d1 37 ab
  cb b8 75 74 e3 6e 8a 1f 02 5f 7d fa 5d 6e 50 78 1b 5e da 4a a1 5b 0c 8b e7 78 25 7d 16 aa 30 30 e9 e7 84 1d d9
  e4 c0 34 22 67 e8 ca 0c af 57 1f b2 b7 cf f0 f9 34 b0 00 2b 00 02 03 04
  """)

/// Initializers from bytes, because the macros of the testing library do not accept spans.
extension ClientHello {
  init(_ bytes: Bytes) throws { self = try ClientHello(parsing: bytes.span) }
  init(prefix bytes: Bytes) { self = ClientHello(parsingPrefix: bytes.span) }
  init(ssl2 bytes: Bytes) throws { self = try ClientHello(parsingSSL2: bytes.span) }
}

extension ServerHello {
  init(_ bytes: Bytes) throws { self = try ServerHello(parsing: bytes.span) }
  init(prefix bytes: Bytes) throws { self = try ServerHello(parsingPrefix: bytes.span) }
}

/// Passes every proper prefix of a valid input to the parser and returns the lengths of those that it accepts.
func prefixesTaken(of valid: Bytes, by parser: (Span<UInt8>) throws -> Void) -> [Int] {
  var taken: [Int] = []
  for count in 0..<valid.count {
    let prefix = Bytes(valid.prefix(count))
    do {
      try parser(prefix.span)
      taken.append(count)
    } catch {}
  }
  return taken
}
