import ByteParsing
import CertificateSignatures
import Crypto
import JSONReading
import Values

extension TransparencyLogList {
  /// Parses the JSON of a list.
  ///
  /// A log that cannot be used makes the whole list unusable, because verdicts would differ without it.
  package init(parsing bytes: Span<UInt8>) throws(TransparencyLogListError) {
    self.init(logs: [])
    guard bytes.count <= TransparencyLogList.maximumByteCount else {
      throw TransparencyLogListError("longer than \(TransparencyLogList.maximumByteCount) bytes")
    }
    var reader = JSONReader(bytes, line: 1)
    // The fault of the first log that cannot be used.
    var fault: TransparencyLogListError?
    do throws(JSONError) {
      try read(&reader, &fault)
    } catch {
      throw fault ?? TransparencyLogListError(error.reason == .notARecord ? "not a list of logs in JSON" : "not a list of logs: \(error)")
    }
    if let fault { throw fault }
  }

  private mutating func read(_ reader: inout JSONReader, _ fault: inout TransparencyLogListError?) throws(JSONError) {
    var hasOperators = false
    var count = 0
    guard try reader.peek() == 0x7B else { throw reader.error(.notARecord) }
    try reader.readObject { (key, reader) throws(JSONError) in
      switch key {
      case "version":
        // Google's list has a string; Apple's schema once had a number.
        version = try reader.readTextOrNumber()
      case "assetVersion":
        let number = try reader.readTextOrNumber()
        version = version ?? number
      case "log_list_timestamp": timestamp = try reader.readTimestamp()
      case "operators":
        hasOperators = true
        try reader.readArray { (reader) throws(JSONError) in try readOperator(&reader, &count, &fault) }
      default: try reader.skipValue()
      }
    }
    guard reader.readEnd() else { throw reader.error(.unexpectedByte(0)) }
    guard hasOperators else { throw reader.error(.missingField, in: "operators") }
    // Earlier versions of the format list the logs elsewhere, and under a list without logs no certificate would pass.
    guard !logs.isEmpty else { throw reader.error(.missingField, in: "logs") }
  }

  private mutating func readOperator(
    _ reader: inout JSONReader, _ count: inout Int, _ fault: inout TransparencyLogListError?
  ) throws(JSONError) {
    var name = ""
    var drafts: [LogDraft] = []
    try reader.readObject { (key, reader) throws(JSONError) in
      switch key {
      case "name": name = try reader.readString()
      case "logs", "tiled_logs":
        try reader.readArray { (reader) throws(JSONError) in
          count += 1
          guard count <= TransparencyLogList.maximumLogCount else { throw reader.error(.tooLarge) }
          drafts.append(try LogDraft(&reader, number: count, isStatic: key == "tiled_logs"))
        }
      default: try reader.skipValue()
      }
    }
    for draft in drafts where fault == nil {
      do throws(TransparencyLogListError) {
        let log = try draft.log(operatorName: name)
        // If the list has the same log twice, in two states, it is undefined which applies.
        guard logs[log.identifier] == nil else { throw draft.error("is in the list twice") }
        logs[log.identifier] = log
      } catch {
        fault = error
      }
    }
  }
}

private struct LogDraft {
  let number: Int
  var isStatic: Bool
  var description: String?
  var identifier: Bytes?
  var key: Bytes?
  var state = TransparencyLog.State.notTrusted
  var isForUse = true
  var shard: (start: Timestamp, end: Timestamp)?
  var previousOperators: [(name: String, until: Timestamp)] = []

  init(_ reader: inout JSONReader, number: Int, isStatic: Bool) throws(JSONError) {
    self.number = number
    self.isStatic = isStatic
    try reader.readObject { (name, reader) throws(JSONError) in
      switch name {
      case "description": description = try reader.readString()
      case "log_id": identifier = try reader.readBase64()
      case "key": key = try reader.readBase64()
      case "state": state = try LogDraft.state(&reader)
      case "temporal_interval": shard = try LogDraft.interval(&reader)
      case "log_type": isForUse = try reader.readString() == "prod"
      case "previous_operators":
        try reader.readArray { (reader) throws(JSONError) in
          previousOperators.append(try LogDraft.previousOperator(&reader))
        }
      default: try reader.skipValue()
      }
    }
  }

  /// Parses `{"usable": {"timestamp": …}}` and similar objects.
  private static func state(_ reader: inout JSONReader) throws(JSONError) -> TransparencyLog.State {
    var state = TransparencyLog.State.notTrusted
    try reader.readObject { (name, reader) throws(JSONError) in
      var since: Timestamp?
      try reader.readObject { (key, reader) throws(JSONError) in
        if key == "timestamp" { since = try reader.readTimestamp() } else { try reader.skipValue() }
      }
      guard let since else { throw reader.error(.missingField, in: "timestamp") }
      switch name {
      case "qualified", "usable": state = .accepted
      case "readonly": state = .readOnly(since: since)
      case "retired": state = .retired(since: since)
      case "rejected": state = .rejected(since: since)
      case "pending": state = .pending
      default: throw reader.error(.unknownValue, in: name)
      }
    }
    return state
  }

  private static func interval(_ reader: inout JSONReader) throws(JSONError) -> (start: Timestamp, end: Timestamp) {
    var (start, end): (Timestamp?, Timestamp?)
    try reader.readObject { (name, reader) throws(JSONError) in
      switch name {
      case "start_inclusive": start = try reader.readTimestamp()
      case "end_exclusive": end = try reader.readTimestamp()
      default: try reader.skipValue()
      }
    }
    guard let start, let end else { throw reader.error(.missingField, in: "temporal_interval") }
    return (start, end)
  }

  private static func previousOperator(_ reader: inout JSONReader) throws(JSONError) -> (name: String, until: Timestamp) {
    var name = ""
    var end: Timestamp?
    try reader.readObject { (key, reader) throws(JSONError) in
      switch key {
      case "name": name = try reader.readString()
      case "end_time": end = try reader.readTimestamp()
      default: try reader.skipValue()
      }
    }
    guard let end else { throw reader.error(.missingField, in: "end_time") }
    return (name, end)
  }

  /// The log. Throws if the key is missing or does not match the identifier.
  func log(operatorName: String) throws(TransparencyLogListError) -> TransparencyLog {
    guard let key else { throw error("has no key") }
    let digest = Bytes(SHA256.hash(data: key))
    guard identifier == nil || identifier == digest else { throw error("its log_id is not the SHA-256 of its key") }
    var log = TransparencyLog(
      identifier: digest, name: description ?? hexadecimal(digest.prefix(8)), operatorName: operatorName,
      key: VerificationKey(subjectPublicKeyInfo: key), state: isForUse ? state : .notTrusted)
    log.shardStart = shard?.start
    log.shardEnd = shard?.end
    log.previousOperators = previousOperators
    log.isStatic = isStatic
    return log
  }
  func error(_ what: String) -> TransparencyLogListError {
    TransparencyLogListError("log \(number) of the list: \(what)")
  }
}

extension JSONReader {
  fileprivate mutating func readTextOrNumber() throws(JSONError) -> String {
    try peek() == 0x22 ? readString() : String(readInteger())
  }

  fileprivate mutating func readTimestamp() throws(JSONError) -> Timestamp {
    guard let time = Timestamp(iso8601: try readString()) else { throw error(.unknownValue) }
    return time
  }
}
