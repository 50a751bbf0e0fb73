package import ATSEvaluation
package import ByteParsing
package import SessionModel

/// An object with an array of sessions that is written over several calls; written output is not retained.
package struct JSONSessionStream {
  private var object = JSONScope()
  private var sessions = JSONScope()
  private var encoder: SessionEncoder

  /// Appends the object up to its sessions; `write` adds the members before them.
  package init(_ encoder: SessionEncoder, to output: inout Bytes, _ write: (inout JSONObject) -> Void) {
    self.encoder = encoder
    output.append(UInt8(ascii: "{"))
    JSONObject.append(in: &object, to: &output) { json in
      write(&json)
      json.newLine()
      json.member("sessions") { $0.append(UInt8(ascii: "[")) }
    }
  }

  package mutating func append(_ session: ObservedSession, _ judgement: Shared<Judgement>?, to output: inout Bytes) {
    sessions.breakLine(indent: 0)
    sessions.separate(in: &output)
    encoder.append(session, judgement, to: &output)
  }

  /// Appends the end of the sessions and of the object, and a line feed; `write` adds the members after the sessions.
  package consuming func end(to output: inout Bytes, _ write: (inout JSONObject) -> Void) {
    sessions.breakLine(indent: 0)
    sessions.close("]", in: &output)
    JSONObject.append(in: &object, to: &output, write)
    object.close("}", in: &output)
    output.append(UInt8(ascii: "\n"))
  }
}
