import ByteParsing
import CaptureFormats

extension FuzzTarget {
  /// Any bytes give packets or an error; packets and options are within the input, and the size of the reads does not matter.
  static let capture = FuzzTarget("Capture") { bytes in
    let whole = Bytes(copying: bytes)
    let once = read(MemorySource(whole), readSize: 256 * 1024)
    let again = read(MemorySource(whole, chunk: 7), readSize: 64)
    precondition(once == again)
  }
}

/// The numbers of packets, packet bytes, option bytes, packets with a process, and interfaces.
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
