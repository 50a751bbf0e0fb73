import ATScope
import ByteParsing
import Foundation
import TestFiles
import Testing
import TLSParsing

@Suite struct ShowTests {
  private static let demo = "captures/demo/demo.pcapng"

  private static func search(_ inputs: [String], _ key: SessionSearch.Key) -> SessionSearch.FoundSessions {
    var options = AuditOptions(paths: inputs)
    options.judging.anchors = Goldens.anchors
    return SessionSearch(options, for: key).run()
  }

  @Test(arguments: [
    ("fail", "2a48ca07ef8ba86c", UInt64(8)), ("pass", "ab51c9f5b6906950", 31),
    ("unknown", "7b6dc72c9e54285e", 39), ("exempt", "6477db405487e98c", 59),
  ])
  func `the details of a session of each verdict equal the recorded ones`(verdict: String, identifier: String, frame: UInt64)
    throws
  {
    #expect(!Goldens.captures.isEmpty)
    let found = Self.search([Self.demo], .identifier(identifier))
    let actual = found.rendered(.text)
    try Goldens.expect(actual, equals: "captures/together/show-\(verdict).txt")
    #expect(String(decoding: actual, as: UTF8.self).hasPrefix(verdict.uppercased()))
    let wide = found.text(width: 100).split(
      separator: "\n", omittingEmptySubsequences: false)
    #expect(wide.count <= 120)
    #expect(wide.allSatisfy { $0.count <= 100 })
    // Any packet of the connection finds it, and so does a prefix of its identifier.
    #expect(Self.search([Self.demo], .frame(frame)).identifiers == [identifier])
    #expect(Self.search([Self.demo], .identifier(String(identifier.prefix(4)))).identifiers == [identifier])
  }

  @Test(arguments: ["port-reuse": 20, "port-reuse-unclosed": 15] as [String: UInt64])
  func `the packets of a TCP handshake belong to the session that follows it between the same ports`(name: String, frame: UInt64) {
    let capture = "captures/variants/stream/\(name).pcap"
    for (number, identifier) in [(frame - 1, "a4f7ebfc0b385398"), (frame, "e5d8d34b90a214de"), (frame + 2, "e5d8d34b90a214de")] {
      #expect(Self.search([capture], .frame(number)).identifiers == [identifier])
    }
  }

  @Test func `an unknown identifier or frame number finds no session`() {
    #expect(!Goldens.captures.isEmpty)
    #expect(Self.search([Self.demo], .identifier("0000")).sessions.isEmpty)
    #expect(Self.search([Self.demo], .frame(1_000_000)).sessions.isEmpty)
  }

  @Test func `saved sessions name only some frames, so that another frame may belong to a session`() throws {
    #expect(!Goldens.captures.isEmpty)
    #expect(Self.search([Self.demo], .frame(1_000_000)).absence("") == "frame 1000000 is not part of any TLS session or cleartext request")
    var report = ReportOptions()
    (report.format, report.judges) = (.ndjson, false)
    var lines = Bytes()
    _ = Audit(AuditOptions(paths: [Self.demo])).write(report) { lines += $0 }
    let scratch = try TemporaryFolder()
    let saved = try scratch.write("a.ndjson", lines)
    #expect(Self.search([saved], .frame(8)).identifiers == ["2a48ca07ef8ba86c"])
    #expect(Self.search([Self.demo], .frame(5)).identifiers == ["2a48ca07ef8ba86c"])
    let absence = Self.search([saved], .frame(5)).absence(" that --host selects")
    #expect(absence.hasPrefix("no session that --host selects is known to contain frame 5: saved sessions name only some frames"))
  }

  /// Every tenth capture, which covers most kinds of session.
  private static let samples = Goldens.captures.enumerated().filter { $0.offset % 10 == 0 }.map(\.element)

  @Test(arguments: samples + [demo])
  func `the details contain no number that the record lacks`(capture: String) throws {
    let all = Self.search([capture], .identifier(""))
    for identifier in all.identifiers {
      let found = Self.search([capture], .identifier(identifier))
      let record = String(decoding: found.json(), as: UTF8.self).replacing("\\\"", with: "\"").replacing(
        "\\\\", with: "\\"
      ).replacing(#/\\u00([0-9a-f]{2})/#) { "\\x\($0.output.1)" }
      let shown = found.text(width: 4000)
      // Omits the policy section, which `atscope policy` shows too.
      let facts = shown.split(separator: "\nPolicy", maxSplits: 1).first.map(String.init) ?? shown
      let names = Self.names(ofCodePointsIn: record)
      for word in Self.words(facts) where word.contains(where: \.isNumber) {
        let range = word.split(separator: "-").map(String.init)
        let isRange = range.count == 2 && range.allSatisfy { Int($0) != nil && record.contains($0) }
        let port = word.split(separator: ":").last.map(String.init) ?? ""
        let host = word.dropLast(port.count + 1)
        let address = host.hasPrefix("[") ? host.filter { $0 != "[" && $0 != "]" } : String(host)
        let isEndpoint = Int(port) != nil && record.contains(port) && record.contains(address)
        let isKnown =
          record.contains(word) || names.contains(word) || isRange || !address.isEmpty && isEndpoint
        #expect(isKnown, "\(capture), \(identifier): \(word)")
      }
    }
  }

  /// The words without surrounding punctuation, and the numbers without commas between their digits.
  private static func words(_ text: String) -> [String] {
    text.replacing(#/(\d),(?=\d{3}\b)/#, with: { $0.output.1 }).replacing("://", with: " ")
      .split { " \n,;()".contains($0) }
      .map { $0.trimmingCharacters(in: CharacterSet(charactersIn: ".:\u{2026}")) }
  }

  /// The words in the names of all code points in a record.
  private static func names(ofCodePointsIn record: String) -> Set<String> {
    var names: Set<String> = ["JA3", "JA4", "JA3S", "SHA-256"]
    for match in record.matches(of: #/"0x([0-9a-f]{4})"/#) {
      guard let code = UInt16(match.output.1, radix: 16) else { continue }
      let known = [
        CipherSuite(rawValue: code).name, NamedGroup(rawValue: code).name,
        SignatureScheme(rawValue: code).name,
        ExtensionType(rawValue: code).name, TLSVersion(rawValue: code).name,
      ]
      for name in known.compactMap(\.self) {
        for word in words(name) + [String(name.dropFirst(4))] { names.insert(word) }
      }
    }
    return names
  }
}
