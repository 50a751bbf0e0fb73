import ByteParsing
import Foundation
import SessionRecords
import Testing

@testable import ATScope

@Suite struct CaptureReadingSystemTests {
  /// A pcapng with one packet, a section that may name its system, and, unless omitted, an interface that names one.
  private static func capture(sectionNames section: Bool, hasInterface: Bool = true) -> Data {
    func little(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    func block(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
      let length = little(UInt32(body.count + 12))
      return little(type) + length + body + length
    }
    let name: [UInt8] = section ? [3, 0, 8, 0] + Array("iOS 26.1".utf8) + little(0) : []
    let head = little(0x1A2B_3C4D) + [1, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 8)
    let interface: [UInt8] = [1, 0, 0, 0] + little(0) + [12, 0, 8, 0] + Array("macOS 15".utf8) + little(0)
    let packet =
      little(0) + little(0) + little(0) + little(60) + little(60) + [UInt8](repeating: 0, count: 60)
    return Data(block(0x0A0D_0D0A, head + name) + (hasInterface ? block(1, interface) : []) + block(6, packet))
  }

  @Test(arguments: [(false, "macOS 15"), (true, "iOS 26.1")])
  func `the system of an interface is used if the section names none`(section: Bool, os: String) throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).pcapng")
    defer { try? FileManager.default.removeItem(at: path) }
    try Self.capture(sectionNames: section).write(to: path)
    let options = AuditOptions(paths: [path.path])
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
