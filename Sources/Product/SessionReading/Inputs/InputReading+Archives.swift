import ArchiveReading
import InputSources
import SessionRecords

extension InputReading {
  /// Reads the captures in an archive from a pipe, in the order in which they are stored.
  mutating func readArchive(
    _ opened: OpenedInput, _ file: InputFile, _ passed: PassedBytes, _ sink: inout some SessionSink & ~Copyable
  ) throws(ReadingEnded) {
    if options.series == .always { return refuse(InputError(.seriesFromPipe, path: file.displayName)) }
    var skipped = SkippedCounts()
    var passedOfMember = PassedBytes(digesting: options.computesDigests)
    let digests = options.computesDigests
    let walk = ArchiveWalk(opened, displayName: file.displayName) {
      passedOfMember = PassedBytes(digesting: digests)
      return passedOfMember.watch($0)
    }
    var captures = 0
    var numbers: [String: Int] = [:]
    while let step = walk.next() {
      switch step {
      case .capture(let capture, let stored, let member):
        captures += 1
        let name = InputReading.distinct(stored, &numbers)
        streamed.append(InputFile(displayName: name, in: file, index: member.index, size: member.size, isSequential: true))
        seen.begin(name)
        var summary = InputSummary(file: name, kind: .capture, format: nil)
        summary.compression = capture.compression?.rawValue
        var reading = captureReading(of: name)
        try readCapture(capture.source, &reading, &summary, &sink)
        finish(&summary, passedOfMember)
      case .skipped(let other): skipped.add(other)
      case .failed(let error): refuse(error)
      }
    }
    var summary = InputSummary(file: file.displayName, kind: .archive, format: nil)
    if captures == 0 {
      summary.error = InputSummary.Fault(InputError(.noCapturesInArchive, path: "").explanation, at: nil)
    }
    finish(&summary, passed)
    noteSkipped(skipped)
  }

  /// Returns the name of a member, with a number if an earlier one has it. `numbers` contains the last number of each name.
  private static func distinct(_ name: String, _ numbers: inout [String: Int]) -> String {
    var result = name
    // The name with a number may be that of a member, too.
    while numbers[result] != nil {
      let number = numbers[name, default: 1] + 1
      numbers[name] = number
      result = "\(name) (\(number))"
    }
    numbers[result] = 1
    return result
  }
}
