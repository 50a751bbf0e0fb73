import Values

extension ContiguousArray where Element == UInt8 {
  /// Appends a process as an object of the session record; `null` where none is known.
  mutating func append(process: CapturedProcess?) {
    guard let process else {
      appendRaw("null")
      return
    }
    appendRaw("{\"name\":")
    appendJSONText(process.name)
    appendRaw(",\"pid\":")
    if let pid = process.pid { appendRaw("\(pid)") } else { appendRaw("null") }
    if let uid = process.uid { appendRaw(",\"uid\":\(uid)") }
    appendRaw(process.isEffective ? ",\"effective\":true" : ",\"effective\":false")
    if let service = process.service {
      appendRaw(",\"service\":")
      appendJSONText(service)
    }
    appendRaw(",\"source\":")
    appendJSONString(process.source.rawValue)
    appendRaw(",\"certainty\":")
    appendJSONString(process.certainty.rawValue)
    appendRaw("}")
  }
}
