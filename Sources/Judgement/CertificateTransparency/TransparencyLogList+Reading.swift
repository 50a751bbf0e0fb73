import ByteParsing
import CertificateSignatures
import Crypto
import JSONReading
import Values

extension TransparencyLogList {
  /// Reads the JSON of a list.
  ///
  /// A log that cannot be used spoils the list: with a log less, verdicts would be others.
  package init(parsing bytes: Span<UInt8>) throws(TransparencyLogListError) {
    self.init(logs: [])
    guard bytes.count <= TransparencyLogList.maximumByteCount else {
      throw TransparencyLogListError("longer than \(TransparencyLogList.maximumByteCount) bytes")
    }
    var reader = JSONReader(bytes, line: 1)
    do throws(ListFault) {
      try read(&reader)
    } catch {
      switch error {
      case .json(let error) where error.reason == .notARecord:
        throw TransparencyLogListError("not a list of logs in JSON")
      case .json(let error): throw TransparencyLogListError("not a list of logs: \(error)")
      case .log(let number, let what): throw TransparencyLogListError("log \(number) of the list: \(what)")
      }
    }
  }

  private mutating func read(_ reader: inout JSONReader) throws(ListFault) {
    var hasOperators = false
    var count = 0
    do throws(JSONError) {
      guard try reader.peek() == 0x7B else { throw reader.error(.notARecord) }
      try reader.beginObject()
    } catch { throw .json(error) }
    var keys = JSONReader.Keys()
    while let key = try reader.key(&keys) {
      switch key {
      case "version":
        // Google's is a string, and Apple's schema has had a number.
        version = try reader.textOrNumber()
      case "assetVersion":
        let number = try reader.textOrNumber()
        version = version ?? number
      case "log_list_timestamp": timestamp = try reader.timestamp()
      case "operators":
        hasOperators = true
        try reader.elements { (reader) throws(ListFault) in try readOperator(&reader, &count) }
      default: try reader.skip()
      }
    }
    guard reader.isAtEnd() else { throw .json(reader.error(.unexpectedByte(0))) }
    guard hasOperators else { throw .json(reader.error(.missingField, in: "operators")) }
    // Earlier versions of the format name them elsewhere; under a list without logs no certificate would pass.
    guard !logs.isEmpty else { throw .json(reader.error(.missingField, in: "logs")) }
  }

  private mutating func readOperator(_ reader: inout JSONReader, _ count: inout Int) throws(ListFault) {
    var name = ""
    var drafts: [LogDraft] = []
    do throws(JSONError) { try reader.beginObject() } catch { throw .json(error) }
    var keys = JSONReader.Keys()
    while let key = try reader.key(&keys) {
      switch key {
      case "name": name = try reader.text()
      case "logs", "tiled_logs":
        try reader.elements { (reader) throws(ListFault) in
          count += 1
          guard count <= TransparencyLogList.maximumLogCount else { throw .json(reader.error(.tooLarge)) }
          drafts.append(try LogDraft(&reader, number: count, isStatic: key == "tiled_logs"))
        }
      default: try reader.skip()
      }
    }
    for draft in drafts {
      let log = try draft.log(operatorName: name)
      // The same log twice, in two states: which of them applies is undefined.
      guard logs[log.identifier] == nil else { throw .log(draft.number, "is in the list twice") }
      logs[log.identifier] = log
    }
  }
}

/// Why a list cannot be used.
private enum ListFault: Error {
  case json(JSONError)
  case log(Int, String)
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

  init(_ reader: inout JSONReader, number: Int, isStatic: Bool) throws(ListFault) {
    self.number = number
    self.isStatic = isStatic
    do throws(JSONError) { try reader.beginObject() } catch { throw .json(error) }
    var keys = JSONReader.Keys()
    while let name = try reader.key(&keys) {
      switch name {
      case "description": description = try reader.text()
      case "log_id": identifier = try reader.base64()
      case "key": key = try reader.base64()
      case "state": state = try LogDraft.state(&reader)
      case "temporal_interval": shard = try LogDraft.interval(&reader)
      case "log_type": isForUse = try reader.text() == "prod"
      case "previous_operators":
        try reader.elements { (reader) throws(ListFault) in
          previousOperators.append(try LogDraft.previousOperator(&reader))
        }
      default: try reader.skip()
      }
    }
  }

  /// `{"usable": {"timestamp": …}}`, and the like.
  private static func state(_ reader: inout JSONReader) throws(ListFault) -> TransparencyLog.State {
    var state = TransparencyLog.State.notTrusted
    do throws(JSONError) { try reader.beginObject() } catch { throw .json(error) }
    var keys = JSONReader.Keys()
    while let name = try reader.key(&keys) {
      var since: Timestamp?
      do throws(JSONError) { try reader.beginObject() } catch { throw .json(error) }
      var inner = JSONReader.Keys()
      while let key = try reader.key(&inner) {
        if key == "timestamp" { since = try reader.timestamp() } else { try reader.skip() }
      }
      guard let since else { throw .json(reader.error(.missingField, in: "timestamp")) }
      switch name {
      case "qualified", "usable": state = .accepted
      case "readonly": state = .readOnly(since: since)
      case "retired": state = .retired(since: since)
      case "rejected": state = .rejected(since: since)
      case "pending": state = .notTrusted
      default: throw .json(reader.error(.unknownValue, in: name))
      }
    }
    return state
  }

  private static func interval(
    _ reader: inout JSONReader
  ) throws(ListFault) -> (start: Timestamp, end: Timestamp) {
    var (start, end): (Timestamp?, Timestamp?)
    do throws(JSONError) { try reader.beginObject() } catch { throw .json(error) }
    var keys = JSONReader.Keys()
    while let name = try reader.key(&keys) {
      switch name {
      case "start_inclusive": start = try reader.timestamp()
      case "end_exclusive": end = try reader.timestamp()
      default: try reader.skip()
      }
    }
    guard let start, let end else { throw .json(reader.error(.missingField, in: "temporal_interval")) }
    return (start, end)
  }

  private static func previousOperator(
    _ reader: inout JSONReader
  ) throws(ListFault) -> (name: String, until: Timestamp) {
    var name = ""
    var end: Timestamp?
    do throws(JSONError) { try reader.beginObject() } catch { throw .json(error) }
    var keys = JSONReader.Keys()
    while let key = try reader.key(&keys) {
      switch key {
      case "name": name = try reader.text()
      case "end_time": end = try reader.timestamp()
      default: try reader.skip()
      }
    }
    guard let end else { throw .json(reader.error(.missingField, in: "end_time")) }
    return (name, end)
  }

  /// The log; throws if its key is missing or not the one that its identifier belongs to.
  func log(operatorName: String) throws(ListFault) -> TransparencyLog {
    guard let key else { throw .log(number, "has no key") }
    let digest = Bytes(SHA256.hash(data: key))
    guard identifier == nil || identifier == digest else {
      throw .log(number, "its log_id is not the SHA-256 of its key")
    }
    var log = TransparencyLog(
      identifier: digest, name: description ?? hexadecimal(digest.prefix(8)), operatorName: operatorName,
      key: VerificationKey(subjectPublicKeyInfo: key), state: isForUse ? state : .notTrusted)
    log.shardStart = shard?.start
    log.shardEnd = shard?.end
    log.previousOperators = previousOperators
    log.isStatic = isStatic
    return log
  }
}

// Reading with the faults of a list, and its own kinds of values.
extension JSONReader {
  fileprivate mutating func key(_ keys: inout Keys) throws(ListFault) -> String? {
    do throws(JSONError) { return try nextKey(&keys) } catch { throw .json(error) }
  }

  fileprivate mutating func skip() throws(ListFault) {
    do throws(JSONError) { try skipValue() } catch { throw .json(error) }
  }

  fileprivate mutating func text() throws(ListFault) -> String {
    do throws(JSONError) { return try readString() } catch { throw .json(error) }
  }

  fileprivate mutating func textOrNumber() throws(ListFault) -> String {
    do throws(JSONError) {
      return try peek() == 0x22 ? readString() : String(readInteger())
    } catch { throw .json(error) }
  }

  fileprivate mutating func base64() throws(ListFault) -> Bytes {
    do throws(JSONError) { return try readBase64() } catch { throw .json(error) }
  }

  fileprivate mutating func timestamp() throws(ListFault) -> Timestamp {
    let text = try text()
    guard let time = Timestamp(iso8601: text) else { throw .json(error(.unknownValue)) }
    return time
  }

  fileprivate mutating func elements(
    _ body: (inout JSONReader) throws(ListFault) -> Void
  ) throws(ListFault) {
    do throws(JSONError) { try beginArray() } catch { throw .json(error) }
    var elements = JSONReader.Elements()
    while true {
      let hasNext: Bool
      do throws(JSONError) { hasNext = try nextElement(&elements) } catch { throw .json(error) }
      guard hasNext else { return }
      try body(&self)
    }
  }
}
