import ByteParsing
import SessionRecords
import TestBytes
import TestFiles
import Testing

@testable import ATScope

@Suite struct CaptureReadingSystemTests {
  /// A pcapng with one packet, a section that may name its system, and, unless omitted, an interface that names one.
  private static func capture(sectionNames section: Bool, hasInterface: Bool = true) -> Bytes {
    var file = CaptureWriter.pcapng(options: section ? [(UInt16(3), Bytes("iOS 26.1".utf8))] : [])
    if hasInterface { file.interface(options: [(12, Bytes("macOS 15".utf8))]) }
    file.enhancedPacket(Bytes(repeating: 0, count: 60), ticks: 0)
    return file.bytes
  }

  @Test(arguments: [(false, "macOS 15"), (true, "iOS 26.1")])
  func `the system of an interface is used if the section names none`(section: Bool, os: String) throws {
    let file = try TemporaryFile(Self.capture(sectionNames: section))
    let options = AuditOptions(paths: [file.path])
    #expect(Audit(options).run().outcome.summary.inputs.first?.os == os)
    var text: [UInt8] = []
    _ = Audit(options).write(ReportOptions()) { text += $0 }
    let words = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    #expect(words.joined(separator: " ").contains("recorded on \(os)"))
  }

  @Test func `a capture whose only packets are of undescribed interfaces is a fault`() {
    let capture = Self.capture(sectionNames: false, hasInterface: false)
    let faults = Audit(AuditOptions(bytes: [UInt8](capture), named: "a.pcapng")).run().outcome.faults
    #expect(faults.map(\.reason) == ["none of its packets could be decoded: 1 packet of an undescribed interface"])
  }
}
