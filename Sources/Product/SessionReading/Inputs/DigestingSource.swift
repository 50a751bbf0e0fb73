import ByteParsing
import CaptureFormats
import Crypto

/// Counts the bytes that pass through a source, and digests them on request.
final class PassedBytes {
  private var hasher: SHA256?
  private let meter: ProgressMeter?
  private var source: (any ByteSource)?
  private(set) var count: UInt64 = 0

  init(digesting: Bool, meter: ProgressMeter? = nil) {
    hasher = digesting ? SHA256() : nil
    self.meter = meter
  }

  /// The SHA-256 digest of the bytes so far, 64 hexadecimal digits; nil unless requested.
  var sha256: String? { hasher.map { hexadecimal($0.finalize()) } }

  /// Returns the source in a form that reports its bytes.
  func watch(_ source: any ByteSource) -> DigestingSource {
    self.source = source
    return DigestingSource(source: source, passed: self)
  }

  /// Reads the rest of the input, so that a digest covers all of it.
  func drain() {
    guard hasher != nil, let source else { return }
    var rest = watch(source)
    var buffer = Bytes(repeating: 0, count: 64 * 1024)
    while let count = try? rest.read(into: &buffer, from: 0), count > 0 {}
  }

  func note(_ buffer: Bytes, from start: Int, count: Int) {
    self.count += UInt64(count)
    meter?.add(UInt64(count))
    guard hasher != nil else { return }
    hasher?.update(data: buffer[start..<(start + count)])
  }
}

/// A source that reports the bytes that pass through it.
struct DigestingSource: ByteSource {
  var source: any ByteSource
  let passed: PassedBytes

  mutating func read(into buffer: inout Bytes, from start: Int) throws(CaptureError) -> Int {
    let count = try source.read(into: &buffer, from: start)
    if count > 0 { passed.note(buffer, from: start, count: count) }
    return count
  }
}
