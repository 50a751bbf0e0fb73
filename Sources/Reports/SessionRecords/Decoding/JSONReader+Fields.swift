import ByteParsing
import JSONReading
import SessionModel
import Values

// Values that several objects of a record have.
extension JSONReader {
  /// Reads text from an input, which was written with escapes of our own.
  mutating func readText() throws(SessionRecordError) -> String {
    guard let text = DisplayText.unescaped(try readString()) else { throw error(.invalidText) }
    return text
  }

  mutating func readOptionalText() throws(SessionRecordError) -> String? {
    try readNull() ? nil : readText()
  }

  mutating func readOptionalBase64() throws(SessionRecordError) -> Bytes? {
    try readNull() ? nil : readBase64()
  }

  /// Reads an MD5 digest in hexadecimal digits: 32 of them, letters in lower case.
  mutating func readOptionalDigest() throws(SessionRecordError) -> String? {
    if try readNull() { return nil }
    let text = try readString()
    guard text.utf8.count == 32,
      text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else { throw error(.invalidText) }
    return text
  }

  mutating func readOptionalCodePoint() throws(SessionRecordError) -> UInt16? {
    try readNull() ? nil : readCodePoint()
  }

  mutating func readOptionalBool() throws(SessionRecordError) -> Bool? {
    try readNull() ? nil : readBool()
  }

  /// Reads an integer that is held as `Int`.
  mutating func readCount() throws(SessionRecordError) -> Int {
    Int(try readInteger(upTo: UInt64(Int64.max)))
  }

  mutating func readOptionalCount() throws(SessionRecordError) -> Int? {
    try readNull() ? nil : readCount()
  }

  mutating func readCase<Value: RawRepresentable<String>>() throws(SessionRecordError) -> Value {
    guard let value = Value(rawValue: try readString()) else { throw error(.unknownValue) }
    return value
  }

  mutating func readOptionalCase<Value: RawRepresentable<String>>() throws(SessionRecordError) -> Value? {
    try readNull() ? nil : readCase()
  }

  mutating func readTexts() throws(SessionRecordError) -> [String] {
    var texts: [String] = []
    try beginArray()
    var elements = Elements()
    while try nextElement(&elements) { texts.append(try readText()) }
    return texts
  }

  /// Reads an array of code points; nil for `null`.
  mutating func readCodePoints<Value: RawRepresentable<UInt16>>(
    _ make: (UInt16) -> Value
  ) throws(SessionRecordError) -> [Value]? {
    if try readNull() { return nil }
    var values: [Value] = []
    try beginArray()
    var elements = Elements()
    while try nextElement(&elements) { values.append(make(try readCodePoint())) }
    return values
  }

  /// Reads a time; nil for `null`.
  mutating func readTime() throws(SessionRecordError) -> Timestamp? {
    if try readNull() { return nil }
    guard let time = Timestamp(iso8601: try readString()) else { throw error(.unknownValue) }
    return time
  }

  mutating func readEndpoint() throws(SessionRecordError) -> Endpoint {
    var address: IPAddress?
    var port: UInt64?
    try beginObject()
    var keys = Keys()
    while let key = try nextKey(&keys) {
      switch key {
      case "address":
        address = IPAddress(try readString())
        if address == nil { throw error(.unknownValue) }
      case "port": port = try readInteger(upTo: UInt64(UInt16.max))
      default: try skipValue()
      }
    }
    guard let address else { throw error(.missingField, in: "address") }
    guard let port else { throw error(.missingField, in: "port") }
    return Endpoint(address: address, port: UInt16(truncatingIfNeeded: port))
  }

  mutating func readFrames() throws(SessionRecordError) -> FrameList {
    var frames = FrameList()
    try beginArray()
    var elements = Elements()
    // As many as a list keeps, so that none is dropped in silence.
    while try nextElement(&elements, limit: FrameList.maximumCount) {
      let number = try readInteger()
      guard number > 0 else { throw error(.numberOutOfRange) }
      frames.insert(number)
    }
    return frames
  }

  mutating func readEvidence() throws(SessionRecordError) -> Evidence {
    var evidence = Evidence()
    try beginObject()
    var keys = Keys()
    while let key = try nextKey(&keys) {
      switch key {
      case "clientHello": evidence.clientHello = try readCase()
      case "serverHello": evidence.serverHello = try readCase()
      case "certificates": evidence.certificates = try readCase()
      case "certificateStatus": evidence.certificateStatus = try readCase()
      case "serverKeyExchange": evidence.serverKeyExchange = try readCase()
      case "missingBytes": evidence.missingBytes = try readCount()
      case "truncatedPackets": evidence.truncatedPackets = try readCount()
      case "clock":
        switch try readString() {
        case "plausible": evidence.isClockPlausible = true
        case "implausible": evidence.isClockPlausible = false
        default: throw error(.unknownValue)
        }
      case "incomplete": evidence.incomplete = try readOptionalCase()
      case "frames": try readFrames(into: &evidence)
      case "contested": evidence.contested = try readContested()
      case "notes": evidence.notes = try readTexts()
      default: try skipValue()
      }
    }
    return evidence
  }

  private mutating func readContested() throws(SessionRecordError) -> [Evidence.Part: FrameList]? {
    var contested: [Evidence.Part: FrameList] = [:]
    try beginObject()
    var keys = Keys()
    while let key = try nextKey(&keys) {
      if let part = Evidence.Part(rawValue: key) {
        contested[part] = try readFrames()
      } else {
        try skipValue()
      }
    }
    return contested.isEmpty ? nil : contested
  }

  private mutating func readFrames(into evidence: inout Evidence) throws(SessionRecordError) {
    try beginObject()
    var keys = Keys()
    while let key = try nextKey(&keys) {
      if let part = Evidence.Part(rawValue: key) {
        evidence.frames[part] = try readFrames()
      } else if key == "disagreements" {
        evidence.disagreements = try readFrames()
      } else {
        try skipValue()
      }
    }
  }

  mutating func readHTTP() throws(SessionRecordError) -> HTTPFacts {
    var facts = HTTPFacts(requestCount: 0, requests: [])
    try beginObject()
    var keys = Keys()
    while let key = try nextKey(&keys) {
      switch key {
      case "requestCount": facts.requestCount = try readCount()
      case "requests":
        try beginArray()
        var elements = Elements()
        while try nextElement(&elements, limit: SessionDraft.maximumListCount) {
          facts.requests.append(try readRequest())
        }
      default: try skipValue()
      }
    }
    return facts
  }

  private mutating func readRequest() throws(SessionRecordError) -> HTTPFacts.Request {
    var request = HTTPFacts.Request(method: "", host: nil, path: "", frame: 0)
    try beginObject()
    var keys = Keys()
    while let key = try nextKey(&keys) {
      switch key {
      case "method": request.method = try readText()
      case "host": request.host = try readOptionalText()
      case "path": request.path = try readText()
      case "frame": request.frame = try readInteger()
      case "status": request.status = try readOptionalCount()
      case "redirectScheme": request.redirectScheme = try readOptionalText()
      case "redirectHost": request.redirectHost = try readOptionalText()
      case "contentType": request.contentType = try readOptionalText()
      case "upgrade": request.upgrade = try readOptionalText()
      default: try skipValue()
      }
    }
    return request
  }

  mutating func readParts() throws(SessionRecordError) -> [CapturePart] {
    var parts: [CapturePart] = []
    try beginArray()
    var elements = Elements()
    while try nextElement(&elements, limit: SessionDraft.maximumParts) {
      var file: String?
      var framesBefore: UInt64?
      try beginObject()
      var keys = Keys()
      while let key = try nextKey(&keys) {
        switch key {
        case "file": file = try readText()
        case "framesBefore": framesBefore = try readInteger()
        default: try skipValue()
        }
      }
      guard let file, let framesBefore else { throw error(.missingField, in: "parts") }
      parts.append(CapturePart(file: file, framesBefore: framesBefore))
    }
    return parts
  }

  mutating func readNameHints() throws(SessionRecordError) -> [NameHint] {
    var hints: [NameHint] = []
    try beginArray()
    var elements = Elements()
    while try nextElement(&elements, limit: SessionDraft.maximumListCount) {
      var name: String?
      var source: NameHint.Source?
      var frame: UInt64?
      try beginObject()
      var keys = Keys()
      while let key = try nextKey(&keys) {
        switch key {
        case "name": name = try readText()
        case "source": source = try readCase()
        case "frame": frame = try readNull() ? nil : readInteger()
        default: try skipValue()
        }
      }
      guard let name, let source else { throw error(.missingField, in: "nameHints") }
      hints.append(NameHint(name: name, source: source, frame: frame))
    }
    return hints
  }
}
