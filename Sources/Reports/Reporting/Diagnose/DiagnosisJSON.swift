import ATSEvaluation
public import ByteParsing
public import ExceptionPlanning
import InfoPlistReading
public import PolicyResolution
public import SessionRecords

/// The matrices of hosts for programs: an object of the form `atscope.diagnosis/1`.
public struct DiagnosisJSON {
  private var hasHosts = false

  /// Creates the writer of one object.
  public init() {}

  /// Appends the beginning.
  public mutating func begin(
    _ release: SystemRelease, _ context: LoadContext, _ run: RunRecord, to output: inout Bytes
  ) {
    output.appendRaw("{\"schema\":\"atscope.diagnosis/1\",\"os\":")
    output.appendJSONString(release.name)
    output.appendRaw(",\"context\":")
    output.appendJSONString(context.rawValue)
    output.appendRaw(",\"run\":")
    output.appendJSON(run)
    output.appendRaw(",\"hosts\":[")
  }

  /// Appends a host, on a line of its own.
  public mutating func append(_ diagnosis: HostDiagnosis, to output: inout Bytes) {
    output.appendRaw(hasHosts ? ",\n" : "\n")
    hasHosts = true
    output.appendRaw("{\"host\":")
    output.appendJSONText(diagnosis.host.text)
    output.appendRaw(",\"port\":")
    output.appendJSON(UInt64(diagnosis.port))
    output.appendRaw(",\"scheme\":")
    output.appendJSONString(diagnosis.scheme)
    output.appendRaw(",\"sessions\":")
    output.appendJSON(diagnosis.sessions)
    output.appendRaw(",\"otherSessions\":")
    output.appendJSON(diagnosis.otherSessions)
    output.appendRaw(",\"leftOut\":")
    output.appendJSON(diagnosis.leftOut)
    output.appendRaw(",\"narrowestRow\":")
    output.appendJSON(diagnosis.narrowestRow)
    output.appendRaw(",\"rows\":[")
    for (index, row) in diagnosis.rows.enumerated() {
      output.appendRaw(index > 0 ? ",\n " : "\n ")
      output.append(row, key: diagnosis.key)
    }
    output.appendRaw("]}")
  }

  /// Appends the end.
  public mutating func end(to output: inout Bytes) { output.appendRaw("\n]}\n") }
}

extension ContiguousArray where Element == UInt8 {
  fileprivate mutating func append(_ row: HostDiagnosis.Row, key: String?) {
    appendRaw("{\"row\":")
    appendJSON(row.configuration.row)
    appendRaw(",\"group\":")
    appendJSONString(row.configuration.group)
    appendRaw(",\"configuration\":")
    appendJSONString(row.configuration.title)
    appendRaw(",\"ours\":")
    appendJSON(row.configuration.isOurs)
    appendRaw(",\"settings\":")
    appendJSONSettings(row.configuration.dictionary(forKey: key).propertyList)
    appendRaw(",\"result\":")
    appendJSONString(row.result.rawValue)
    appendRaw(",\"passing\":")
    appendJSON(row.passing)
    appendRaw(",\"failing\":")
    appendJSON(row.failing)
    appendRaw(",\"undecided\":")
    appendJSON(row.undecided)
    appendRaw(",\"causeIsATS\":")
    appendJSON(row.failing > 0 ? !row.isCauseElsewhere : nil)
    appendRaw(",\"errors\":[")
    for (index, error) in row.errors.enumerated() {
      if index > 0 { append(0x2C) }
      append(error)
    }
    appendRaw("],\"reasons\":[")
    for (index, reason) in row.reasons.enumerated() {
      if index > 0 { append(0x2C) }
      append(reason)
    }
    appendRaw("]}")
  }

  private mutating func append(_ error: PredictedError) {
    append(0x7B)
    appendJSONMembers(of: error)
    append(0x7D)
  }

  private mutating func append(_ reason: HostDiagnosis.Reason) {
    appendRaw("{\"rules\":")
    appendJSONTexts(reason.rules)
    appendRaw(",\"text\":")
    appendJSONText(reason.text)
    appendRaw(",\"failure\":")
    appendJSON(reason.isFailure)
    appendRaw(",\"sessions\":")
    appendJSON(reason.sessions)
    appendRaw(",\"first\":{\"file\":")
    appendJSONText(reason.file)
    appendRaw(",\"frame\":")
    appendJSON(reason.frame)
    appendRaw("}}")
  }
}
