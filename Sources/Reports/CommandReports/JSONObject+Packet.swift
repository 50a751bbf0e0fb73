import SessionRecords

extension JSONObject {
  mutating func packet(_ key: String, file: String, frame: UInt64) {
    object(key) { json in
      json.text("file", file)
      json.number("frame", frame)
    }
  }
}
