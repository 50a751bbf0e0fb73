import JSONReading
package import Values

/// The summary of a saved run: its number of sessions, and what the run did not read.
package struct SavedSummary: Sendable {
  /// The number of sessions; nil if it is not given.
  package private(set) var sessions: UInt64?
  /// The number of sessions that were not selected.
  package private(set) var notShown: UInt64 = 0
  /// The counts in the `health` of all inputs, by name.
  package private(set) var health: [String: UInt64] = [:]
  /// The unsupported QUIC versions in all inputs, as many as a count keeps; escaped for display.
  package private(set) var quicVersions: [String] = []
  /// The limits that were reached in all inputs, by name.
  package private(set) var limits: [String: UInt64] = [:]
  /// The faults of the inputs, each with the name of its input; escaped for display.
  package private(set) var faults: [InputSummary.Fault] = []
  /// The connections without a handshake, by server.
  package private(set) var withoutHandshake: [Endpoint: UInt64] = [:]
  /// The number of such connections to servers that are not listed.
  package private(set) var withoutHandshakeElsewhere: UInt64 = 0

  /// Reads the value of a member; the objects of other records have no such members.
  mutating func read(_ key: String, _ reader: inout JSONReader) throws(JSONError) {
    switch key {
    case "sessions": sessions = try reader.readInteger()
    case "notShown": notShown = try reader.readInteger()
    case "inputs":
      try reader.readArray(limit: .max) { (reader) throws(JSONError) in
        // The inputs of a run record are names.
        if try reader.peek() == 0x7B { try readInput(&reader) } else { try reader.skipValue() }
      }
    case "withoutHandshake":
      try reader.readArray(limit: .max) { (reader) throws(JSONError) in try readServer(&reader) }
    case "limits":
      var counts: [String: UInt64] = [:]
      try reader.addCounts(to: &counts)
      withoutHandshakeElsewhere = counts[SummaryRecord.serversWithoutHandshake] ?? 0
    default: try reader.skipValue()
    }
  }

  private mutating func readInput(_ reader: inout JSONReader) throws(JSONError) {
    var name = ""
    var isOption = false
    var fault: InputSummary.Fault?
    try reader.readObject { (key, reader) throws(JSONError) in
      switch key {
      case "file": name = DisplayText.escaped(try reader.readText()) + ": "
      case "kind": isOption = try reader.readString() == InputSummary.Kind.option.rawValue
      case "health": try reader.addCounts(to: &health)
      case "limits": try reader.addCounts(to: &limits)
      case "quicVersionsNotRead": quicVersions = NamedCount.joined(quicVersions, try reader.readTexts().map(DisplayText.escaped))
      case "error": fault = try reader.readNull() ? nil : reader.readFault()
      default: try reader.skipValue()
      }
    }
    // The options of this run replace those of the saved one.
    guard var fault, !isOption else { return }
    fault.text = name + fault.text
    faults.append(fault)
  }

  private mutating func readServer(_ reader: inout JSONReader) throws(JSONError) {
    var server: Endpoint?
    var connections: UInt64 = 0
    try reader.readObject { (key, reader) throws(JSONError) in
      switch key {
      case "server": server = try reader.readEndpoint()
      case "connections": connections = try reader.readInteger()
      default: try reader.skipValue()
      }
    }
    guard let server else { throw reader.error(.missingField, in: "server") }
    withoutHandshake[server] = connections.clampedSum(withoutHandshake[server] ?? 0)
  }
}

extension JSONReader {
  /// Reads an object of counts and adds them to those with the same names.
  fileprivate mutating func addCounts(to counts: inout [String: UInt64]) throws(JSONError) {
    try readObject { (name, reader) throws(JSONError) in
      counts[name] = try reader.readInteger().clampedSum(counts[name] ?? 0)
    }
  }

  fileprivate mutating func readFault() throws(JSONError) -> InputSummary.Fault {
    var fault = InputSummary.Fault("", at: nil)
    try readObject { (key, reader) throws(JSONError) in
      switch key {
      case "text": fault.text = DisplayText.escaped(try reader.readText())
      case "cutOff": fault.isTruncated = try reader.readBool()
      default: try reader.skipValue()
      }
    }
    return fault
  }
}
