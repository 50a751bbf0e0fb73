import ByteParsing
package import JSONReading
import SessionModel
import Values

// Values that occur in several objects of a record.
extension JSONReader {
  /// Reads text from an input, which is written with the escapes of ``DisplayText``.
  package mutating func readText() throws(JSONError) -> String {
    guard let text = DisplayText.unescaped(try readString()) else { throw error(.invalidText) }
    return text
  }

  package mutating func readOptionalText() throws(JSONError) -> String? {
    try readNull() ? nil : readText()
  }

  mutating func readOptionalBase64() throws(JSONError) -> Bytes? {
    try readNull() ? nil : readBase64()
  }

  /// Reads an MD5 digest: 32 lower-case hexadecimal digits; nil for `null`.
  mutating func readOptionalDigest() throws(JSONError) -> String? {
    if try readNull() { return nil }
    let text = try readString()
    guard text.utf8.count == 32,
      text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else { throw error(.invalidText) }
    return text
  }

  mutating func readOptionalCodePoint() throws(JSONError) -> UInt16? {
    try readNull() ? nil : readCodePoint()
  }

  mutating func readOptionalBool() throws(JSONError) -> Bool? {
    try readNull() ? nil : readBool()
  }

  /// Reads an integer as an `Int`.
  mutating func readCount() throws(JSONError) -> Int {
    Int(try readInteger(upTo: UInt64(Int64.max)))
  }

  mutating func readOptionalCount() throws(JSONError) -> Int? {
    try readNull() ? nil : readCount()
  }

  mutating func readCase<Value: RawRepresentable<String>>() throws(JSONError) -> Value {
    guard let value = Value(rawValue: try readString()) else { throw error(.unknownValue) }
    return value
  }

  mutating func readOptionalCase<Value: RawRepresentable<String>>() throws(JSONError) -> Value? {
    try readNull() ? nil : readCase()
  }

  /// Reads an array; `read` returns each element.
  mutating func readList<Element>(
    limit: Int = JSONReader.maximumElementCount, _ read: (inout JSONReader) throws(JSONError) -> Element
  ) throws(JSONError) -> [Element] {
    var list: [Element] = []
    try readArray(limit: limit) { (reader) throws(JSONError) in list.append(try read(&reader)) }
    return list
  }

  package mutating func readTexts(limit: Int = JSONReader.maximumElementCount) throws(JSONError) -> [String] {
    try readList(limit: limit) { (reader) throws(JSONError) in try reader.readText() }
  }

  /// Reads an array of code points; nil for `null`.
  mutating func readCodePoints<Value: RawRepresentable<UInt16>>(_ make: (UInt16) -> Value) throws(JSONError) -> [Value]? {
    try readNull() ? nil : readList { (reader) throws(JSONError) in make(try reader.readCodePoint()) }
  }

  /// Reads a time; nil for `null`.
  mutating func readTime() throws(JSONError) -> Timestamp? {
    if try readNull() { return nil }
    guard let time = Timestamp(iso8601: try readString()) else { throw error(.unknownValue) }
    return time
  }

  mutating func readEndpoint() throws(JSONError) -> Endpoint {
    var address: IPAddress?
    var port: UInt64?
    try readObject { (key, reader) throws(JSONError) in
      switch key {
      case "address":
        address = IPAddress(try reader.readString())
        if address == nil { throw reader.error(.unknownValue) }
      case "port": port = try reader.readInteger(upTo: UInt64(UInt16.max))
      default: try reader.skipValue()
      }
    }
    guard let address else { throw error(.missingField, in: "address") }
    guard let port else { throw error(.missingField, in: "port") }
    return Endpoint(address: address, port: UInt16(truncatingIfNeeded: port))
  }

  mutating func readFrames() throws(JSONError) -> FrameList {
    var frames = FrameList()
    // The limit of a frame list: no frame is dropped silently.
    try readArray(limit: FrameList.maximumCount) { (reader) throws(JSONError) in
      let number = try reader.readInteger()
      guard number > 0 else { throw reader.error(.numberOutOfRange) }
      frames.insert(number)
    }
    return frames
  }

  mutating func readEvidence() throws(JSONError) -> Evidence {
    var evidence = Evidence()
    try readObject { (key, reader) throws(JSONError) in
      switch key {
      case "clientHello": evidence.clientHello = try reader.readCase()
      case "serverHello": evidence.serverHello = try reader.readCase()
      case "certificates": evidence.certificates = try reader.readCase()
      case "certificateStatus": evidence.certificateStatus = try reader.readCase()
      case "serverKeyExchange": evidence.serverKeyExchange = try reader.readCase()
      case "missingBytes": evidence.missingBytes = try reader.readCount()
      case "truncatedPackets": evidence.truncatedPackets = try reader.readCount()
      case "clock":
        switch try reader.readString() {
        case "plausible": evidence.isClockPlausible = true
        case "implausible": evidence.isClockPlausible = false
        default: throw reader.error(.unknownValue)
        }
      case "incomplete": evidence.incomplete = try reader.readOptionalCase()
      case "frames": try reader.readFrames(into: &evidence)
      case "contested": evidence.contested = try reader.readContested()
      case "notes": evidence.notes = try reader.readTexts().map(EvidenceNote.init)
      default: try reader.skipValue()
      }
    }
    return evidence
  }

  private mutating func readContested() throws(JSONError) -> [Evidence.Part: FrameList]? {
    var contested: [Evidence.Part: FrameList] = [:]
    try readObject { (key, reader) throws(JSONError) in
      if let part = Evidence.Part(rawValue: key) {
        contested[part] = try reader.readFrames()
      } else {
        try reader.skipValue()
      }
    }
    return contested.isEmpty ? nil : contested
  }

  private mutating func readFrames(into evidence: inout Evidence) throws(JSONError) {
    try readObject { (key, reader) throws(JSONError) in
      if let part = Evidence.Part(rawValue: key) {
        evidence.frames[part] = try reader.readFrames()
      } else if key == "disagreements" {
        evidence.disagreements = try reader.readFrames()
      } else {
        try reader.skipValue()
      }
    }
  }

  mutating func readHTTP() throws(JSONError) -> HTTPFacts {
    var facts = HTTPFacts(requestCount: 0, requests: [])
    try readObject { (key, reader) throws(JSONError) in
      switch key {
      case "requestCount": facts.requestCount = try reader.readCount()
      case "requests":
        facts.requests = try reader.readList(limit: SessionDraft.maximumListCount) { (reader) throws(JSONError) in
          try reader.readRequest()
        }
      default: try reader.skipValue()
      }
    }
    return facts
  }

  private mutating func readRequest() throws(JSONError) -> HTTPFacts.Request {
    var request = HTTPFacts.Request(method: "", host: nil, path: "", frame: 0)
    try readObject { (key, reader) throws(JSONError) in
      switch key {
      case "method": request.method = try reader.readText()
      case "host": request.host = try reader.readOptionalText()
      case "path": request.path = try reader.readText()
      case "frame": request.frame = try reader.readInteger()
      case "status": request.status = try reader.readOptionalCount()
      case "redirectScheme": request.redirectScheme = try reader.readOptionalText()
      case "redirectHost": request.redirectHost = try reader.readOptionalText()
      case "contentType": request.contentType = try reader.readOptionalText()
      case "requestContentType": request.requestContentType = try reader.readOptionalText()
      case "scheme": request.scheme = try reader.readOptionalText()
      case "upgrade": request.upgrade = try reader.readOptionalText()
      case "truncated": request.isTruncated = try reader.readBool()
      default: try reader.skipValue()
      }
    }
    return request
  }

  mutating func readParts() throws(JSONError) -> [CapturePart] {
    try readList(limit: SessionDraft.maximumParts) { (reader) throws(JSONError) in
      var file: String?
      var framesBefore: UInt64?
      try reader.readObject { (key, reader) throws(JSONError) in
        switch key {
        case "file": file = try reader.readText()
        case "framesBefore": framesBefore = try reader.readInteger()
        default: try reader.skipValue()
        }
      }
      guard let file, let framesBefore else { throw reader.error(.missingField, in: "parts") }
      return CapturePart(file: file, framesBefore: framesBefore)
    }
  }

  mutating func readNameHints() throws(JSONError) -> [NameHint] {
    try readList(limit: SessionDraft.maximumListCount) { (reader) throws(JSONError) in
      var name: String?
      var source: NameHint.Source?
      var frame: UInt64?
      try reader.readObject { (key, reader) throws(JSONError) in
        switch key {
        case "name": name = try reader.readText()
        case "source": source = try reader.readCase()
        case "frame": frame = try reader.readNull() ? nil : reader.readInteger()
        default: try reader.skipValue()
        }
      }
      guard let name, let source else { throw reader.error(.missingField, in: "nameHints") }
      return NameHint(name: name, source: source, frame: frame)
    }
  }
}
