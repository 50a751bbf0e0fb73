import ByteParsing
import CertificateParsing
import SeededRandom
import Testing

struct PEMReaderTests {
  static let der = TestCertificates.ecP256

  static func block(_ label: String, _ der: Bytes, lineEnd: String = "\n") -> String {
    var encoded = Bytes()
    Base64.append(der, to: &encoded)
    var lines: [String] = []
    for start in stride(from: 0, to: encoded.count, by: 64) {
      lines.append(String(decoding: encoded[start..<min(start + 64, encoded.count)], as: UTF8.self))
    }
    return (["-----BEGIN \(label)-----"] + lines + ["-----END \(label)-----", ""]).joined(separator: lineEnd)
  }

  static func read(_ text: String) throws(PEMError) -> [PEMBlock] {
    let bytes = Bytes(text.utf8)
    return try PEMBlock.read(bytes.span)
  }

  @Test(arguments: ["\n", "\r\n", "\r"])
  func `blocks are found between other text, with their line numbers`(lineEnd: String) throws {
    let text =
      ["# roots", "0 s:CN = k.example", ""].joined(separator: lineEnd)
      + Self.block("CERTIFICATE", Self.der, lineEnd: lineEnd) + "between" + lineEnd
      + Self.block("X509 CRL", [0x30, 0x00], lineEnd: lineEnd)
    let blocks = try Self.read(text)
    #expect(blocks.count == 2)
    #expect(blocks.first == PEMBlock(label: .certificate, der: Self.der, line: 3))
    #expect(blocks.last?.label == .certificateRevocationList)
    #expect(blocks.last?.der == [0x30, 0x00])
  }

  @Test
  func `the trust data after a trusted certificate is dropped`() throws {
    let blocks = try Self.read(Self.block("TRUSTED CERTIFICATE", Self.der + [0x30, 0x03, 0x0C, 0x01, 0x41]))
    #expect(blocks.map(\.der) == [Self.der])
    #expect(blocks.first?.label == .trustedCertificate)
  }

  @Test
  func `old labels, headers, a byte order mark and a missing last line end are accepted`() throws {
    var text = "\u{FEFF}" + Self.block("X509 CERTIFICATE", Self.der)
    text = text.replacing("CERTIFICATE-----\nMII", with: "CERTIFICATE-----\nContent-Domain: x\n\nMII")
    while text.hasSuffix("\n") { text.removeLast() }
    let blocks = try Self.read(text)
    #expect(blocks == [PEMBlock(label: .certificate, der: Self.der, line: 1)])
  }

  @Test
  func `blocks with other labels are skipped, whatever their content`() throws {
    let text =
      "-----BEGIN PRIVATE KEY-----\n***\n-----END PRIVATE KEY-----\n" + Self.block("CERTIFICATE", Self.der)
    #expect(try Self.read(text).map(\.line) == [4])
  }

  @Test
  func `a DER file is one block without a label`() throws {
    let der = Self.der
    let blocks = try PEMBlock.read(der.span)
    #expect(blocks == [PEMBlock(label: nil, der: Self.der, line: 0)])
  }

  @Test
  func `a DER file may contain several structures, but nothing after them`() throws {
    let (first, second) = (Self.der, TestCertificates.ecP192)
    let both = first + second
    #expect(try PEMBlock.read(both.span).map(\.der) == [first, second])
    for rest in [Bytes(repeating: 0, count: 172), Bytes(second.dropLast())] {
      let bytes = both + rest
      let error = #expect(throws: PEMError.self) { try PEMBlock.read(bytes.span) }
      #expect(error?.description == "\(rest.count) bytes left over")
    }
    let truncated = Bytes(first.dropLast())
    #expect(try PEMBlock.read(truncated.span).map(\.der) == [truncated])
  }

  @Test func `a byte order mark before any block is ignored`() throws {
    let block = "\u{FEFF}" + Self.block("CERTIFICATE", Self.der)
    #expect(try Self.read(block + block).count == 2)
  }

  @Test(arguments: [
    ("", PEMError(.nothingFound, line: 0)),
    ("text", PEMError(.nothingFound, line: 0)),
    ("-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n", PEMError(.otherLabel("PRIVATE KEY"), line: 1)),
    ("-----BEGIN \u{1B}[31m-----\nAA==\n-----END \u{1B}[31m-----\n", PEMError(.nothingFound, line: 0)),
    ("\n-----BEGIN CERTIFICATE-----\nMAA=\n", PEMError(.notEnded, line: 2)),
    ("-----BEGIN CERTIFICATE-----\nMAA=\n-----END X509 CRL-----\n", PEMError(.notEnded, line: 1)),
    ("-----BEGIN CERTIFICATE-----\n-----BEGIN CERTIFICATE-----\n", PEMError(.notEnded, line: 1)),
    ("-----BEGIN CERTIFICATE-----\nMAA\n-----END CERTIFICATE-----\n", PEMError(.notBase64, line: 1)),
    ("\n\n-----BEGIN CERTIFICATE-----\nM$A=\n-----END CERTIFICATE-----\n", PEMError(.notBase64, line: 3)),
    ("-----BEGIN CERTIFICATE-----\nAAA=\n-----END CERTIFICATE-----\n", PEMError(.notDER, line: 1)),
    ("-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n", PEMError(.notDER, line: 1)),
    ("\n----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n", PEMError(.notABoundary, line: 2)),
    (" -----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n", PEMError(.notABoundary, line: 1)),
    ("x-----BEGIN PRIVATE KEY-----BEGIN CERTIFICATE-----\n", PEMError(.notABoundary, line: 1)),
    ("> -----BEGIN CERTIFICATE-----\n> MAA=\n> -----END CERTIFICATE-----\n", PEMError(.notABoundary, line: 1)),
    (
      "-----BEGIN TRUSTED CERTIFICATE-----\nMAM=\n-----END TRUSTED CERTIFICATE-----\n",
      PEMError(.notDER, line: 1)
    ),
  ])
  func `an error contains the line number`(text: String, expected: PEMError) {
    let error = #expect(throws: PEMError.self) { try Self.read(text) }
    #expect(error == expected)
    #expect(!expected.description.isEmpty)
  }

  @Test
  func `truncated and changed PEM never traps`() {
    let whole = Bytes(Self.block("CERTIFICATE", Self.der).utf8)
    for count in whole.indices {
      let part = Bytes(whole[..<count])
      let blocks = try? PEMBlock.read(part.span)
      #expect(blocks == nil || count + 1 == whole.count)
    }
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<2000 {
      let bytes = generator.altered(whole)
      _ = try? PEMBlock.read(bytes.span)
    }
  }

  /// Compares blocks with their copies with spaces at the ends of lines, which are ignored.
  @Test(arguments: ["\n", "\r\n"])
  func `spaces at the ends of lines change nothing`(lineEnd: String) {
    let text =
      "text\n" + Self.block("CERTIFICATE", Self.der, lineEnd: lineEnd)
      + Self.block("X509 CERTIFICATE", Self.der.dropLast() + [0, 0], lineEnd: lineEnd)
      + Self.block("OCSP RESPONSE", [0x30, 0x00], lineEnd: lineEnd)
      + Self.block("X509 CRL", [0x30] + Bytes(repeating: 7, count: 6000), lineEnd: lineEnd)
    let whole = Bytes(text.utf8)
    var generator = SeededGenerator(seed: 12)
    var readable = 0
    for round in 0..<600 {
      let bytes = round == 0 ? whole : generator.altered(whole)
      var blanked = Bytes()
      for byte in bytes {
        if byte == 0x0D || byte == 0x0A && blanked.last != 0x0D { blanked.append(0x20) }
        blanked.append(byte)
      }
      let result = Result { () throws(PEMError) in try PEMBlock.read(bytes.span) }
      #expect(result == Result { () throws(PEMError) in try PEMBlock.read(blanked.span) })
      if case .success(let blocks) = result, blocks.count == 4 { readable += 1 }
    }
    #expect(readable > 5)
  }
}
