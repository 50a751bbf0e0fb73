import CaptureFormats
import InputSources
import SessionRecords

extension InputReading {
  /// Reads the parts of a rotated capture one after another; the name of the first is that of the capture.
  mutating func readSeries(
    _ files: [InputFile], _ opener: InputOpener, _ secretsOpener: InputOpener, _ sink: inout some SessionSink & ~Copyable
  ) throws(ReadingEnded) {
    guard let first = files.first else { return }
    seen.begin(first.displayName)
    var summary = InputSummary(file: first.displayName, kind: .capture, format: nil)
    var reading = captureReading(of: first.displayName)
    for file in files { gatherSecrets(of: file, secretsOpener, &reading) }
    for file in files where interruption?.isPending != true || summary.parts.isEmpty {
      var part = try readPart(file, opener, &reading, &sink)
      part.error = interrupted(part.error, file)
      summary.bytes += part.bytes
      if let error = part.error {
        report(error, of: part.file)
        if summary.error == nil {
          summary.error = InputSummary.Fault(
            "\(DisplayText.escaped(part.file)): \(error.text)", at: error.offset, isTruncated: error.isTruncated)
        }
      }
      summary.parts.append(part)
    }
    let wasWhole = summary.error == nil
    try finish(&reading, &summary, &sink)
    if wasWhole, let error = summary.error { report(error, of: summary.file) }
    inputs.append(summary)
  }

  /// Reads a file for its secrets, if it is a pcapng file and not a pipe, which can be read only once.
  func gatherSecrets(of file: InputFile, _ opener: InputOpener, _ reading: inout CaptureReading) {
    guard file.size != nil, let opened = try? opener.open(file), opened.kind == .capture(.pcapng) else { return }
    reading.gatherSecrets(from: opened.source)
  }

  private mutating func readPart(
    _ file: InputFile, _ opener: InputOpener, _ reading: inout CaptureReading, _ sink: inout some SessionSink & ~Copyable
  ) throws(ReadingEnded) -> InputSummary.Part {
    var part = InputSummary.Part(file: file.displayName)
    let passed = PassedBytes(digesting: options.computesDigests, meter: meter)
    var source: (any ByteSource)?
    do throws(InputError) {
      source = try opener.open(file) { passed.watch($0) }.source
    } catch {
      part.error = InputSummary.Fault(DisplayText.escaped(error.explanation), at: nil)
    }
    reading.beginPart(file.displayName)
    if let source {
      let (packets, errors) = try reading.read(source, into: &sink)
      part.packets = packets
      part.error = InputReading.fault(errors)
    }
    passed.drain()
    part.bytes = passed.count
    part.sha256 = passed.sha256
    return part
  }
}
