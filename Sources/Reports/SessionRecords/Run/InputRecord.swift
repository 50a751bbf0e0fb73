/// What became of one input of an isolated run: the record `atscope.input/1`.
package struct InputRecord: Hashable, Sendable {
  /// The unit that the list names; nil where it names none.
  package var unit: String?
  package var input: InputSummary
  /// Connections of this input that showed no handshake, by server.
  package var withoutHandshake: [SummaryRecord.SilentServer] = []
  /// Such connections to servers that are not listed.
  package var withoutHandshakeElsewhere: UInt64 = 0

  /// Creates the record of an input that showed no silent server.
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
