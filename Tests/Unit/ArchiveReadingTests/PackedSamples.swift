import ArchiveReading
import ByteParsing
import CaptureFormats
import TestBytes

/// The same text as compressed by the usual programs.
enum PackedSamples {
  static let text = Bytes(String(repeating: "one two three ", count: 8).utf8)

  static let all: [(format: CompressionFormat, bytes: Bytes)] = [
    (.gzip, hex("1f8b0800000000000203cbcf4b552829cf5728c9284a4d55c8a7390f00a0e9706170000000")),
    (
      .zstd,
      hex("28b52ffd2470ad0000706f6e652074776f2074687265652001001fd35402e8995d9e")
    ),
    (
      .lz4,
      hex(
        "04224d186440a718000000ef6f6e652074776f207468726565200e004a506872656520000000003c521583")
    ),
    (
      .xz,
      hex(
        "fd377a585a000004e6d6b446020021011c00000010cf58cce0006f00145d00379b88ce76e2f4e365defd215479373c6f3e"
          + "6000002c3cb5160a0e73da00013070e4f2c5af1fb6f37d010000000004595a")
    ),
    (
      .bzip2,
      hex(
        "425a683931415926535980b710960000279180400002419480200054430202aa68f425082820b1820d18345041e2ee48"
          + "a70a121016e212c0")
    ),
  ]

  /// A zstd frame of `blocks` times 128 KiB of zeros, four bytes each (RFC 8878 §3.1.1.2).
  static func bomb(blocks: Int, start: Bytes = []) -> Bytes {
    // A window of 1 MiB, no content size, no checksum.
    var frame: Bytes = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x50]
    func header(_ size: Int, type: Int, isLast: Bool) {
      let value = size << 3 | type << 1 | (isLast ? 1 : 0)
      frame += [UInt8(value & 0xFF), UInt8(value >> 8 & 0xFF), UInt8(value >> 16)]
    }
    if !start.isEmpty {
      header(start.count, type: 0, isLast: false)
      frame += start
    }
    for block in 0..<blocks {
      header(128 * 1024, type: 1, isLast: block == blocks - 1)
      frame.append(0)
    }
    return frame
  }
}

extension ByteSource {
  /// Reads the whole source in small pieces; returns the bytes and the error that ended it.
  mutating func readAll(piece: Int = 100) -> (bytes: Bytes, error: CaptureError?) {
    var all = Bytes()
    var buffer = Bytes(repeating: 0, count: piece + 3)
    while true {
      do throws(CaptureError) {
        let count = try read(into: &buffer, from: 3)
        if count == 0 { return (all, nil) }
        all += buffer[3..<(3 + count)]
      } catch {
        return (all, error)
      }
    }
  }
}
