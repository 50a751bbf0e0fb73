import ByteParsing
import CertificateIssuing
import CertificateTransparency
import Crypto
import SeededRandom
import Testing
import Values

struct TransparencyLogListTests {
  let log = TestLog()

  private func entry(_ state: String, _ more: String = "") -> String {
    """
    {"description": "a log", "log_id": "\(Base64.text(of: log.identifier))", "key": "\(Base64.text(of: log.publicKey))",
     "url": "https://log.example/", "mmd": 86400, "state": {\(state)}\(more)}
    """
  }

  private func list(_ entry: String, in member: String = "logs") -> String {
    """
    {"version": "55.5", "log_list_timestamp": "2026-01-01T00:00:00Z", "unknown": [1, {"a": null}],
     "operators": [{"name": "somebody", "email": ["a@example.com"], "\(member)": [\(entry)]}]}
    """
  }

  private func read(_ text: String) throws(TransparencyLogListError) -> TransparencyLogList {
    let bytes = Bytes(text.utf8)
    return try TransparencyLogList(parsing: bytes.span)
  }

  @Test(arguments: [
    ("\"usable\": {\"timestamp\": \"2026-01-01T00:00:00Z\"}", TransparencyLog.State.accepted),
    ("\"qualified\": {\"timestamp\": \"2026-01-01T00:00:00Z\", \"version\": \"3\"}", .accepted),
    (
      "\"readonly\": {\"timestamp\": \"1970-01-01T00:00:09Z\", \"final_tree_head\": {}}",
      .readOnly(since: .init(seconds: 9))
    ),
    ("\"retired\": {\"timestamp\": \"1970-01-01T00:00:09Z\"}", .retired(since: .init(seconds: 9))),
    ("\"rejected\": {\"timestamp\": \"1970-01-01T00:00:09Z\"}", .rejected(since: .init(seconds: 9))),
    ("\"pending\": {\"timestamp\": \"1970-01-01T00:00:09Z\"}", .pending),
    ("", .notTrusted),
  ])
  func `the states of logs are read`(text: String, state: TransparencyLog.State) throws {
    let list = try read(list(entry(text)))
    let read = try #require(list.logs[log.identifier])
    #expect(read.state == state)
    #expect(read.name == "a log" && read.operatorName == "somebody" && !read.isStatic)
    #expect(list.version == "55.5")
    #expect(list.timestamp == Timestamp("2026-01-01T00:00:00Z"))
  }

  @Test
  func `shards, previous operators, tiled logs and Apple's asset version are read`() throws {
    let more = """
      , "temporal_interval": {"start_inclusive": "2026-01-01T00:00:00Z", "end_exclusive": "2026-07-01T00:00:00Z"},
      "previous_operators": [{"name": "old", "end_time": "2025-01-01T00:00:00Z"}], "log_type": "prod", "tls_only": true
      """
    let text = list(entry("\"usable\": {\"timestamp\": \"2026-01-01T00:00:00Z\"}", more), in: "tiled_logs")
      .replacing("\"version\": \"55.5\"", with: "\"assetVersion\": 32, \"assetVersionV2\": 1013")
    let list = try read(text)
    let read = try #require(list.logs[log.identifier])
    #expect(read.isStatic)
    #expect(read.accepts(notAfter: Timestamp("2026-01-01T00:00:00Z")))
    #expect(!read.accepts(notAfter: Timestamp("2026-07-01T00:00:00Z")))
    #expect(read.operatorName(at: Timestamp("2024-12-31T23:59:59Z")) == "old")
    #expect(read.operatorName(at: Timestamp("2025-01-01T00:00:00Z")) == "somebody")
    #expect(list.version == "32")
  }

  @Test
  func `logs of type test are not trusted`() throws {
    let usable = "\"usable\": {\"timestamp\": \"2026-01-01T00:00:00Z\"}"
    let list = try read(list(entry(usable, ", \"log_type\": \"test\"")))
    #expect(list.logs[log.identifier]?.state == .notTrusted)
  }

  @Test
  func `a malformed list is rejected, because it could change verdicts`() throws {
    let usable = "\"usable\": {\"timestamp\": \"2026-01-01T00:00:00Z\"}"
    let good = entry(usable)
    let other = Base64.text(of: Bytes(SHA256.hash(data: Bytes([1]))))
    for text in [
      "", "{}", "[]", "{\"operators\": 1}", "{\"operators\": []}", list(""), list(good, in: "log"),
      list(good) + "x", list(good + "," + good),
      list(good.replacing(Base64.text(of: log.identifier), with: other)),
      list(good.replacing("\"key\"", with: "\"kee\"")), list(good.replacing("usable", with: "liked")),
      list(good.replacing("2026-01-01T00:00:00Z", with: "soon")),
      list(good.replacing("\"timestamp\"", with: "\"since\"")),
      list(entry(usable, ", \"temporal_interval\": {\"start_inclusive\": \"2026-01-01T00:00:00Z\"}")),
    ] {
      let error = #expect(throws: TransparencyLogListError.self) { try read(text) }
      #expect(error?.description.isEmpty == false)
    }
  }

  @Test
  func `a truncated list is rejected, and changed lists never trap`() throws {
    let whole = Bytes(list(entry("\"usable\": {\"timestamp\": \"2026-01-01T00:00:00Z\"}")).utf8)
    for count in whole.indices {
      let part = Bytes(whole[..<count])
      #expect(throws: TransparencyLogListError.self) { try TransparencyLogList(parsing: part.span) }
    }
    var random = SeededGenerator(seed: 5)
    for _ in 0..<2000 {
      var bytes = whole
      bytes[random.below(bytes.count)] = random.byte()
      _ = try? TransparencyLogList(parsing: bytes.span)
    }
  }
}
