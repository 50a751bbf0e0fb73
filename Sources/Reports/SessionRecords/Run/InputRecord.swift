/// What became of one input of an isolated run: the record `atscope.input/1`.
public struct InputRecord: Hashable, Sendable {
  /// The unit that the list names; nil where it names none.
  public var unit: String?
  /// The entry that the summary has for the input.
  public var input: InputSummary
  /// Connections of this input that showed no handshake, by server.
  public var withoutHandshake: [SummaryRecord.SilentServer] = []
  /// Such connections to servers that are not listed.
  public var withoutHandshakeElsewhere: UInt64 = 0

  /// Creates the record of an input that showed no silent server.
  public init(unit: String?, input: InputSummary) {
    self.unit = unit
    self.input = input
  }
}

extension ContiguousArray where Element == UInt8 {
  /// Appends a record as an object of the format `atscope.input/1`.
  public mutating func appendJSON(_ record: InputRecord) {
    appendRaw("{\"schema\":\"atscope.input/1\",\"unit\":")
    appendJSONText(record.unit)
    appendRaw(",\"input\":")
    append(record.input)
    append(record.withoutHandshake)
    appendRaw(",\"withoutHandshakeElsewhere\":")
    appendJSON(record.withoutHandshakeElsewhere)
    append(0x7D)
  }
}
