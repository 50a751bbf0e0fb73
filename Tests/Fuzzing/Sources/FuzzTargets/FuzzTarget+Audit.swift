import ATScope
import ByteParsing
import Foundation

private let folder = FileManager.default.temporaryDirectory.appending(path: "atscope-fuzz-\(UUID().uuidString)")
private let file = folder.appending(path: "input").path()
private let saved = folder.appending(path: "saved").path()

extension FuzzTarget {
  /// Runs an audit with a report in each format, an extraction, a recommendation, a diagnosis and a certificate survey on any file. The
  /// file also serves as a key log and a project file. Saved sessions give the same session lines again.
  static let audit = FuzzTarget("Audit") { bytes in
    defer { try? FileManager.default.removeItem(at: folder) }
    put(Bytes(copying: bytes), file)
    var options = AuditOptions(paths: [file])
    options.reading.keyLogs = [file]
    for format in ReportOptions.Format.allCases where format != .ndjson { _ = report(options, format) }
    let first = sessions(report(options, .ndjson))
    if !first.isEmpty {
      put(first, saved)
      let again = sessions(report(AuditOptions(paths: [saved]), .ndjson))
      precondition(first == again, "saved sessions give other lines")
    }
    for anonymizes in [false, true] {
      _ = Extraction(options, anonymizationKey: anonymizes ? .random() : nil).write { _ in }
    }
    let recommendation = Recommendation(options).run()
    _ = (recommendation.propertyList(), recommendation.json(), recommendation.text(width: 1, useColor: true))
    let diagnosis = Diagnosis(options).run()
    _ = (diagnosis.text(width: 0, useColor: true), diagnosis.json())
    _ = CertificateSurvey(options).run().files()
    _ = try? ProjectFile(reading: file)
  }
}

/// The bytes of a report.
private func report(_ options: AuditOptions, _ format: ReportOptions.Format) -> Bytes {
  var output = Bytes()
  var form = ReportOptions()
  form.format = format
  form.width = 20
  _ = Audit(options).write(form) { output += $0 }
  return output
}

/// The session lines of an NDJSON report.
private func sessions(_ lines: Bytes) -> Bytes {
  let start = Bytes("{\"schema\":\"atscope.session/".utf8)
  return lines.split(separator: 0x0A).filter { $0.starts(with: start) }.reduce(into: Bytes()) {
    $0 += $1 + [0x0A]
  }
}

private func put(_ bytes: Bytes, _ path: String) {
  try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  try? Data(bytes).write(to: URL(filePath: path))
}
