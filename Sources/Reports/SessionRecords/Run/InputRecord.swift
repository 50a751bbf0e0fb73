/// The result of reading one input of an isolated run: an `atscope.input/1` record.
package struct InputRecord: Hashable, Sendable {
  /// The unit of the input in the list of inputs; nil if the list names none.
  package var unit: String?
  package var input: InputSummary
  /// The connections of this input without a handshake, by server.
  package var withoutHandshake: [SummaryRecord.SilentServer] = []
  /// The number of such connections to servers that are not listed.
  package var withoutHandshakeElsewhere: UInt64 = 0

  /// Creates the record of an input without silent servers.
  package init(unit: String?, input: InputSummary) {
    self.unit = unit
    self.input = input
  }
}

extension InputRecord: JSONRecord {
  /// Writes the members of an `atscope.input/1` object.
  package func writeMembers(to json: inout JSONObject) {
    json.string("schema", "atscope.input/1")
    json.text("unit", unit)
    json.object("input", input)
    json.objects("withoutHandshake", withoutHandshake)
    json.number("withoutHandshakeElsewhere", withoutHandshakeElsewhere)
  }
}
