import ByteParsing
import CaptureFormats

extension FuzzTarget {
  /// Any bytes are a capture, or end as one in an error; packets and options lie within it, whatever the size of the reads.
  static let capture = FuzzTarget("Capture") { bytes in
    let whole = Bytes(copying: bytes)
    let once = read(MemorySource(whole), readSize: 256 * 1024)
    let again = read(MemorySource(whole, chunk: 7), readSize: 64)
    precondition(once == again)
  }
}

/// What was read: packets, bytes of packets and of options, processes that were named.
private func read(_ source: MemorySource, readSize: Int) -> [Int] {
  guard var reader = try? CaptureReader(source, readSize: readSize) else { return [] }
  var counts = [0, 0, 0, 0, 0]
  while let next = try? reader.next() {
    counts[0] += 1
    precondition(reader.bytes(of: next).count == next.capturedLength)
    counts[1] += next.capturedLength
    precondition(reader.options(of: next).count == next.optionsLength)
    counts[2] += next.optionsLength
    if reader.mayNameProcesses, reader.process(of: next) != nil { counts[3] += 1 }
  }
  counts[4] = reader.metadata.interfaceCount
  return counts
}
