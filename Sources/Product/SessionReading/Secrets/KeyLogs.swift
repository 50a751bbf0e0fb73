import ByteParsing
import CaptureFormats
package import HandshakeDecryption
import InputSources
package import SessionRecords
import Values

/// Reads the given key logs before any capture.
///
/// Only handshake secrets are stored; other lines are only counted, so that a log may have any size.
package struct KeyLogs {
  package private(set) var secrets = SecretStore()
  package private(set) var inputs: [InputSummary] = []

  /// The logs that could not be opened, or are not key logs.
  package private(set) var faults: [AuditError] = []

  private(set) var warnings: [String] = []

  package init() {}

  /// Reads logs one after another; of two secrets for one session, the first is used.
  package mutating func read(_ paths: [String]) {
    for path in paths { read(path) }
  }

  private mutating func read(_ path: String) {
    var summary = InputSummary(file: path, kind: .keyLog, format: nil)
    var cause = AuditError.Cause.unusable
    defer {
      inputs.append(summary)
      if let error = summary.error { faults.append(AuditError(file: path, error.text, cause: cause)) }
    }
    let name = DisplayText.escaped(path)
    var source: any ByteSource
    do throws(InputError) {
      source = try InputOpener().openAsStored(path: path)
    } catch {
      summary.error = InputSummary.Fault(DisplayText.escaped(error.explanation), at: nil)
      cause = AuditError.Cause(error.reason)
      return
    }
    var reader = KeyLogReader()
    var buffer = Bytes(repeating: 0, count: 256 * 1024)
    do throws(CaptureError) {
      while true {
        let count = try source.read(into: &buffer, from: 0)
        guard count > 0 else { break }
        summary.bytes &+= UInt64(count)
        reader.read(buffer.span.extracting(0..<count), into: &secrets)
      }
    } catch {
      summary.error = InputSummary.Fault(DisplayText.escaped(error.description), at: summary.bytes)
    }
    reader.finish(into: &secrets)
    describe(reader.counts, name, &summary)
  }

  private mutating func describe(_ counts: KeyLogCounts, _ name: String, _ summary: inout InputSummary) {
    summary.health = KeyLogs.health(of: counts).filter { $0.count > 0 }
    if counts.leftOut > 0 {
      summary.limits = [KeyLogs.limit(counts.leftOut)]
      warnings.append("\(name): \(counts.leftOut.counted("handshake secret{s} exceed{s|} the limit and {is|are} ignored"))")
    }
    if counts.lines > 0, !counts.hasKnownLabels {
      if summary.error == nil { summary.error = InputSummary.Fault("not a key log", at: nil) }
      return
    }
    if summary.error == nil, counts.taken + counts.repeated + counts.conflicting + counts.leftOut == 0 {
      warnings.append("\(name): contains no handshake secrets")
    }
    if counts.malformed > 0 {
      warnings.append("\(name): \(counts.malformed.counted("line{s} {is|are} not valid in a key log"))")
    }
    if counts.conflicting > 0 {
      let words = "secret{s} differ{s|} from {an earlier one|earlier ones} for the same session"
      warnings.append("\(name): \(counts.conflicting.counted(words))")
    }
  }

  static func limit(_ leftOut: UInt64) -> NamedCount {
    NamedCount("keyLogSecrets", "handshake secret{s} above the limit", count: leftOut, meaning: .notRead)
  }

  /// Returns the counts of lines by their use, including those that are zero; they contain no key material.
  static func health(of counts: KeyLogCounts) -> [NamedCount] {
    [
      NamedCount("handshakeSecrets", "handshake secret{s}", count: counts.taken),
      NamedCount("secretsRepeated", "repeated handshake secret{s}", count: counts.repeated),
      NamedCount("secretsConflicting", "handshake secret{s} that differ{s|} from {an earlier one|earlier ones}", count: counts.conflicting),
      NamedCount("applicationSecrets", "secret{s} of application data, which is not decrypted", count: counts.application),
      NamedCount("otherSecrets", "secret{s} of {an |}unsupported type{s} ignored", count: counts.other),
      NamedCount("unknownLabels", "line{s} with {an |}unknown label{s}", count: counts.unknownLabels),
      NamedCount("malformedLines", "malformed line{s}", count: counts.malformed),
    ]
  }
}
