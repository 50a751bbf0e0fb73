import ArchiveReading
import ByteParsing
import CaptureFormats
import InputSources
import TestBytes
import Testing

@Suite struct InputKindTests {
  static func kind(of bytes: Bytes, atEnd: Bool = true) -> InputKind? {
    InputKind.detect(bytes.span, atEnd: atEnd)
  }

  /// The header of a tar file's first member, with its name and magic.
  static let tar: Bytes =
    Bytes("trace.pcap".utf8) + Bytes(repeating: 0, count: 247) + Bytes("ustar\0".utf8)
    + Bytes(repeating: 0, count: 249)

  @Test(
    arguments: [
      ([0xD4, 0xC3, 0xB2, 0xA1], .capture(.pcap)), ([0xA1, 0xB2, 0x3C, 0x4D], .capture(.pcap)),
      ([0x34, 0xCD, 0xB2, 0xA1], .capture(.pcap)), ([0x0A, 0x0D, 0x0D, 0x0A], .capture(.pcapng)),
      ([0x1F, 0x8B], .compressed(.gzip)), ([0x28, 0xB5, 0x2F, 0xFD], .compressed(.zstd)),
      ([0x53, 0x2A, 0x4D, 0x18], .compressed(.zstd)), ([0x04, 0x22, 0x4D, 0x18], .compressed(.lz4)),
      ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], .compressed(.xz)), ([0x42, 0x5A, 0x68], .compressed(.bzip2)),
      ([0x50, 0x4B, 0x03, 0x04], .archive(.zip)), ([0x50, 0x4B, 0x05, 0x06], .archive(.zip)),
      ([], .empty), ([0x7F, 0x45, 0x4C, 0x46, 2], .unknown([0x7F, 0x45, 0x4C, 0x46])),
      ([0x41], .unknown([0x41])), ([0x20, 0x0A], .unknown([0x20, 0x0A])),
      ([0x28, 0xB5, 0x2F, 0xFE], .unknown([0x28, 0xB5, 0x2F, 0xFE])),
    ] as [(Bytes, InputKind)])
  func `the kind of an input is detected by its first bytes`(bytes: Bytes, kind: InputKind) {
    #expect(InputKindTests.kind(of: bytes) == kind)
    if bytes.count > 1 {
      #expect(InputKindTests.kind(of: bytes + Bytes(repeating: 0, count: 600)) == kind || bytes.count < 4)
    }
  }

  @Test func `tar is detected by the magic in its first header`() {
    #expect(InputKindTests.kind(of: InputKindTests.tar) == .archive(.tar))
    #expect(
      InputKindTests.kind(of: Bytes(InputKindTests.tar.prefix(261))) == .unknown([0x74, 0x72, 0x61, 0x63]))
  }

  @Test func `tar without magic is detected by the checksum of its first header`() {
    var tar = ArchiveBuilder.tar([("trace.pcap", [1, 2, 3], "0")])
    let magic = Bytes(tar[257..<265])
    let sum = tar.prefix(512).enumerated().reduce(0) { $0 + ((148..<156).contains($1.offset) ? 0x20 : Int($1.element)) }
    let old = String(sum - magic.reduce(0) { $0 + Int($1) }, radix: 8)
    for index in 257..<265 { tar[index] = 0 }
    for (index, byte) in (String(repeating: "0", count: 6 - old.count) + old + "\u{0} ").utf8.enumerated() { tar[148 + index] = byte }
    #expect(InputKindTests.kind(of: tar) == .archive(.tar))
    #expect(InputKindTests.kind(of: Bytes(tar.prefix(512)), atEnd: false) == .archive(.tar))
    tar[0] += 1
    #expect(InputKindTests.kind(of: tar) == .unknown(Bytes(tar.prefix(4))))
  }

  @Test(arguments: [
    (#"{"schema":"atscope.run/1","tool":"1.0"}"#, true),
    ("\u{FEFF}\r\n  {\"tool\":\"1.0\", \"schema\" : \"atscope.run/1\"}\n{}", true),
    (#"{"schema":"other","note":{"schema":"atscope.session/1"}}"#, true),
    (#"{"schema":"other"}"# + "\n" + #"{"schema":"atscope.run/1"}"#, false),
    (#"["schema","atscope.run/1"]"#, false), ("{", false), (#"{"schema":"#, false),
  ])
  func `saved sessions have an atscope schema in their first line`(text: String, areSaved: Bool) {
    let kind = InputKindTests.kind(of: Bytes(text.utf8))
    #expect((kind == .savedSessions) == areSaved)
  }

  @Test func `the kind is not decided before the bytes that determine it`() {
    let inputs: [Bytes] = [
      InputKindTests.tar, Bytes(#"  {"schema":"atscope.run/1"}"#.utf8),
      emptyCapture, [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00, 0, 0, 0],
      Bytes("{\"a\":1}\n".utf8) + Bytes(repeating: 32, count: 600),
    ]
    for input in inputs {
      let whole = InputKindTests.kind(of: input)
      var decided: InputKind?
      for count in 0...input.count {
        let kind = InputKindTests.kind(of: Bytes(input.prefix(count)), atEnd: false)
        if decided != nil { #expect(kind == decided) }
        decided = decided ?? kind
      }
      #expect(decided == whole)
    }
  }

  @Test(arguments: [0x20, 0x7B, 0x41] as [UInt8])
  func `the kind is decided at the latest with the maximum prefix`(byte: UInt8) {
    let bytes = Bytes(repeating: byte, count: InputKind.maximumPrefix)
    #expect(InputKindTests.kind(of: bytes, atEnd: false) == .unknown(Bytes(repeating: byte, count: 4)))
  }
}
