public import ByteParsing
import SessionRecords

/// The comparison as an object of the form `atscope.diff/1`.
public struct DiffJSON {
  private let diff: AuditDiff
  private let runs: ComparedRuns

  /// Takes the comparison and its runs.
  public init(_ diff: AuditDiff, _ runs: ComparedRuns) {
    self.diff = diff
    self.runs = runs
  }

  /// The object, ending with a line feed; with no other in it where it is to stand on one line, as NDJSON asks.
  public func rendered(onOneLine: Bool = false) -> Bytes {
    var bytes = written()
    // Strings have theirs escaped: those that are left are between the values.
    if onOneLine {
      bytes.removeAll { $0 == 0x0A }
      bytes.append(0x0A)
    }
    return bytes
  }

  private func written() -> Bytes {
    var bytes = Bytes()
    bytes.appendRaw("{\"schema\":\"atscope.diff/1\",\"baseline\":")
    bytes.appendJSON(runs.baseline)
    bytes.appendRaw(",\n\"current\":")
    bytes.appendJSON(runs.current)
    bytes.appendRaw(",\n\"today\":")
    bytes.appendJSONString(runs.today)
    bytes.appendRaw(",\"isEmpty\":")
    bytes.appendJSON(diff.isEmpty)
    for (key, kind) in [
      ("regressions", AuditDiff.Kind.regression), ("noLongerVisible", .noLongerVisible),
      ("improvements", .improvement), ("moved", .moved),
    ] { DiffJSON.append(key, diff.open(kind), to: &bytes) }
    DiffJSON.append("accepted", diff.accepted, to: &bytes)
    DiffJSON.append("newHosts", diff.newHosts, to: &bytes)
    DiffJSON.append("vanishedHosts", diff.vanishedHosts, to: &bytes)
    bytes.appendRaw(",\"commonHosts\":")
    bytes.appendJSON(diff.commonHosts)
    bytes.appendRaw("}\n")
    return bytes
  }

  private static func append(_ key: String, _ changes: [AuditDiff.Change], to bytes: inout Bytes) {
    bytes.appendRaw(",\n\"\(key)\":[")
    for change in changes {
      bytes.appendJSONComma()
      bytes.appendRaw("{\"kind\":\"\(change.kind.rawValue)\",\"host\":")
      // Texts of a change are made safe to show already.
      bytes.appendJSONString(change.host)
      bytes.appendRaw(",\"subject\":")
      bytes.appendJSONString(change.subject)
      bytes.appendRaw(",\"before\":")
      bytes.appendJSONString(change.before)
      bytes.appendRaw(",\"after\":")
      bytes.appendJSONString(change.after)
      bytes.appendRaw(",\"details\":")
      bytes.appendJSONString(change.details)
      if let accepted = change.accepted {
        bytes.appendRaw(",\"accepted\":")
        bytes.appendJSONString(accepted)
      }
      bytes.append(0x7D)
    }
    bytes.append(0x5D)
  }

  private static func append(
    _ key: String, _ hosts: [(host: String, verdict: String)], to bytes: inout Bytes
  ) {
    bytes.appendRaw(",\n\"\(key)\":[")
    for (host, verdict) in hosts {
      bytes.appendJSONComma()
      bytes.appendRaw("{\"host\":")
      bytes.appendJSONString(host)
      bytes.appendRaw(",\"verdict\":")
      bytes.appendJSONString(verdict)
      bytes.append(0x7D)
    }
    bytes.append(0x5D)
  }
}
