import ByteParsing
import CaptureFormats
import TestBytes
import Testing

@Suite struct TimestampUnitTests {
  /// The time of a packet whose interface has these time options.
  static func time(ticks: UInt64, resolution: UInt8?, offset: Int64?) -> String? {
    var file = CaptureWriter.pcapng(.bigEndian)
    var options: [CaptureWriter.Option] = []
    if let resolution { options.append((9, [resolution])) }
    if let offset { options.append((14, file.body { $0.write(offset) })) }
    file.interface(options: options)
    file.enhancedPacket([], ticks: ticks)
    return Reading(file.bytes, readSize: 64).packets.first?.time
  }

  @Test(
    arguments: [
      (1_777_630_272_123_456, nil, "2026-05-01T10:11:12.123456Z"),
      (1_777_630_272_123_456, 6, "2026-05-01T10:11:12.123456Z"),
      (1_777_630_272_123_456_789, 9, "2026-05-01T10:11:12.123456789Z"),
      (1_777_630_272, 0, "2026-05-01T10:11:12Z"),
      (1_777_630_272_123, 3, "2026-05-01T10:11:12.123000Z"),
      (17_776_302_721_234_567_891, 10, "2026-05-01T10:11:12.123456789Z"),
      (12_345_678_912_345_678_912, 19, "1970-01-01T00:00:01.234567891Z"),
      (12_345_678_912_345_678_912, 20, "1970-01-01T00:00:00.123456789Z"),
      (.max, 28, "1970-01-01T00:00:00.000000001Z"),
      (.max, 29, "1970-01-01T00:00:00Z"),
      (.max, 127, "1970-01-01T00:00:00Z"),
      (1_777_630_272 << 10 | 512, 0x80 | 10, "2026-05-01T10:11:12.500000Z"),
      (1_777_630_272 << 32 | 0x4000_0000, 0x80 | 32, "2026-05-01T10:11:12.250000Z"),
      (1_777_630_272, 0x80, "2026-05-01T10:11:12Z"),
      (3 << 62, 0x80 | 63, "1970-01-01T00:00:01.500000Z"),
      (1 << 63, 0x80 | 64, "1970-01-01T00:00:00.500000Z"),
      (.max, 0x80 | 64, "1970-01-01T00:00:00.999999999Z"),
      (.max, 0x80 | 93, "1970-01-01T00:00:00.000000001Z"),
      (.max, 0x80 | 94, "1970-01-01T00:00:00Z"),
      (.max, 0xFF, "1970-01-01T00:00:00Z"),
    ] as [(UInt64, UInt8?, String)])
  func `ticks are converted to a time with every resolution`(ticks: UInt64, resolution: UInt8?, time: String) {
    #expect(TimestampUnitTests.time(ticks: ticks, resolution: resolution, offset: nil) == time)
  }

  @Test(
    arguments: [
      (6, 10, "1970-01-01T00:00:13.250000Z"), (6, -4, "1969-12-31T23:59:59.250000Z"),
      (6, .max, "9999-12-31T23:59:59.250000Z"), (6, .min, "0000-01-01T00:00:00.250000Z"),
    ] as [(UInt8, Int64, String)])
  func `the interface's time offset in seconds is added`(resolution: UInt8, offset: Int64, time: String) {
    #expect(TimestampUnitTests.time(ticks: 3_250_000, resolution: resolution, offset: offset) == time)
  }

  @Test func `ticks, resolutions and offsets never make the reader trap`() {
    for resolution in UInt8.min...UInt8.max {
      for ticks in [0, 1, 1 << 32, 1 << 63, UInt64.max] {
        for offset in [Int64.min, -1, 1, .max] {
          #expect(TimestampUnitTests.time(ticks: ticks, resolution: resolution, offset: offset) != nil)
        }
      }
    }
  }
}
