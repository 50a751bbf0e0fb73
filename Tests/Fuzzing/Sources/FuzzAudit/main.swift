import ATScope
import ByteParsing
import FuzzDriver

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

// Any file goes all the way: to a report of each form, a dictionary, a matrix, an extract, certificates; as a project file, an
// Info.plist, a key log. Saved sessions that were written are read again, and give the same lines.
let folder = "/tmp/atscope-fuzz-\(getpid())"
mkdir(folder, 0o700)
let file = folder + "/input"
let saved = folder + "/saved"

fuzz { bytes in
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
    _ = Extraction(options, anonymizationKey: anonymizes ? .random() : nil).write { _ in true }
  }
  let recommendation = Recommendation(options).run()
  _ = (recommendation.propertyList(), recommendation.json(), recommendation.text(width: 1, useColor: true))
  let diagnosis = Diagnosis(options).run()
  _ = (diagnosis.text(width: 0, useColor: true), diagnosis.json())
  _ = CertificateSurvey(options).run().survey.files()
  _ = try? ProjectFile(reading: file)
}

/// What a report holds.
func report(_ options: AuditOptions, _ format: ReportOptions.Format) -> Bytes {
  var output = Bytes()
  var form = ReportOptions()
  form.format = format
  form.width = 20
  _ = Audit(options).write(form) { part in
    output.append(contentsOf: copy part)
    return true
  }
  return output
}

/// The lines with sessions.
func sessions(_ lines: Bytes) -> Bytes {
  let start = Bytes("{\"schema\":\"atscope.session/".utf8)
  return lines.split(separator: 0x0A).filter { $0.starts(with: start) }.reduce(into: Bytes()) {
    $0 += $1 + [0x0A]
  }
}

func put(_ bytes: Bytes, _ path: String) {
  guard let stream = fopen(path, "w") else { return }
  bytes.withUnsafeBufferPointer { _ = fwrite($0.baseAddress, 1, $0.count, stream) }
  fclose(stream)
}
