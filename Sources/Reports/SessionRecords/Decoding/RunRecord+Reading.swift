package import JSONReading

extension RunRecord {
  /// The maximum number of inputs that are read: more than the 650,000 of a run that is read again.
  private static let maximumInputCount = 1 << 20

  /// Reads an `atscope.run/1` object. The names of the release and of the roots are not in it.
  package init(reading reader: inout JSONReader) throws(JSONError) {
    var run = RunRecord(toolVersion: "", policyVersion: "", command: "")
    try reader.readObject { (key, reader) throws(JSONError) in
      switch key {
      case "toolVersion": run.toolVersion = try reader.readWord()
      case "policyVersion": run.policyVersion = try reader.readWord()
      case "command": run.command = try reader.readWord()
      case "rejudgeable": run.isRejudgeable = try reader.readBool()
      case "inputs": run.inputs = try reader.readTexts(limit: RunRecord.maximumInputCount)
      case "options": run.options = try reader.readSettings()
      case "assumptions": run.assumptions = try reader.readSettings()
      case "project": run.project = try reader.readSource()
      case "infoPlists": run.infoPlists = try reader.readSources()
      case "roots": run.roots = try reader.readRoots()
      case "anchors": run.anchors = try reader.readSources()
      case "intermediates": run.intermediates = try reader.readSources()
      case "logList": run.logList = try reader.readSource()
      case "revocations": run.revocations = try reader.readSources()
      case "chains": run.chains = try reader.readSources()
      default: try reader.skipValue()
      }
    }
    self = run
  }
}

extension JSONReader {
  /// Reads text of the program. It is written without escapes, so any that other text would need are added.
  fileprivate mutating func readWord() throws(JSONError) -> String {
    DisplayText.escaped(try readString())
  }

  fileprivate mutating func readSettings() throws(JSONError) -> [RunRecord.Setting] {
    var settings: [RunRecord.Setting] = []
    try readObject { (key, reader) throws(JSONError) in
      let value: RunRecord.Setting.Value
      switch try reader.peek() {
      case UInt8(ascii: "t"), UInt8(ascii: "f"): value = .boolean(try reader.readBool())
      case UInt8(ascii: "\""): value = .text(try reader.readText())
      case UInt8(ascii: "["): value = .texts(try reader.readTexts())
      default: value = try reader.readNull() ? .null : .number(try reader.readCount())
      }
      settings.append(RunRecord.Setting(DisplayText.escaped(key), value))
    }
    return settings
  }

  fileprivate mutating func readRoots() throws(JSONError) -> RunRecord.Roots? {
    if try readNull() { return nil }
    var roots = RunRecord.Roots(kind: .none, count: 0, sha256: nil)
    try readObject { (key, reader) throws(JSONError) in
      switch key {
      case "kind": roots.kind = try reader.readCase()
      case "version": roots.version = try reader.readNull() ? nil : reader.readWord()
      case "count": roots.count = try reader.readCount()
      case "sha256": roots.sha256 = try reader.readNull() ? nil : reader.readWord()
      default: try reader.skipValue()
      }
    }
    return roots
  }

  fileprivate mutating func readSources() throws(JSONError) -> [RunRecord.Source] {
    try readList { (reader) throws(JSONError) in try reader.readSource() }.compactMap(\.self)
  }

  fileprivate mutating func readSource() throws(JSONError) -> RunRecord.Source? {
    if try readNull() { return nil }
    var source = RunRecord.Source(file: "", sha256: nil)
    try readObject { (key, reader) throws(JSONError) in
      switch key {
      case "file": source.file = try reader.readText()
      case "sha256": source.sha256 = try reader.readNull() ? nil : reader.readWord()
      case "count": source.count = try reader.readCount()
      case "date": source.date = try reader.readWord()
      case "process", "host": source.appliesTo = try reader.readOptionalText()
      case "ignored": source.ignored = try reader.readTexts()
      default: try reader.skipValue()
      }
    }
    return source
  }
}
