import ATScope
import ByteParsing
import Foundation
import PolicyResolution
import TestFiles
import TestBytes
import Testing

@Suite struct ComparisonTests {
  @Test(arguments: [true, false])
  func `an input that cannot be read is not compared`(isBaseline: Bool) throws {
    let scratch = try TemporaryFolder()
    let report = try scratch.write("report.json", #"{"run":{"schema":"atscope.run/1"},"sessions":[]}"#)
    let empty = try scratch.write("empty.pcap", emptyCapture)
    let sides = isBaseline ? (report, empty) : (empty, report)
    do {
      _ = try Comparison(AuditOptions(inputs: [AuditInput(path: sides.1)]), baseline: AuditInput(path: sides.0)).run()
      Issue.record("compared")
    } catch {
      #expect(error.file == report)
      #expect(error.reason.hasPrefix("cannot be compared: a JSON report"))
      #expect(error.reason.contains("--write-baseline") == isBaseline)
    }
    // A capture that was read and contains no session is compared.
    var options = AuditOptions(inputs: [AuditInput(path: empty)])
    _ = try Comparison(options, baseline: AuditInput(path: empty)).run()
    // An option's file whose name begins with that of the capture is another file.
    options.reading.keyLogs = [empty + ".keys"]
    let result = try Comparison(options, baseline: AuditInput(path: empty)).run()
    #expect(!result.outcome.faults.isEmpty && result.outcome.faults.allSatisfy { $0.file == empty + ".keys" })
    let faults = try #require(json(result)["faults"] as? [String])
    #expect(faults.count == 1)
  }

  @Test func `the hint to write a baseline appears only if the baseline is a report, or is missing and named like a baseline`() throws {
    let scratch = try TemporaryFolder()
    var options = AuditOptions(inputs: [Self.hosts])
    func reason(_ baseline: String) -> String {
      do throws(AuditError) {
        _ = try Comparison(options, baseline: AuditInput(path: baseline)).run()
        return "compared"
      } catch {
        return error.reason
      }
    }
    #expect(reason(scratch.path + "/absent.pcap") == "cannot be compared: no such file or directory")
    let first = scratch.path + "/first.json"
    #expect(
      reason(first)
        == "cannot be compared: no such file or directory; 'atscope diff INPUT INPUT --write-baseline \(first)' writes the first baseline")
    let saved = try scratch.write("saved.ndjson", #"{"schema":"atscope.run/1"}"# + "\n")
    let other = try scratch.write("other.json", #"{"schema":"atscope.diff/1"}"# + "\n")
    #expect(reason(other).hasSuffix("writes a baseline"))
    options.reading.filter = try PacketFilter("tcp")
    #expect(reason(saved).hasSuffix("for --filter to select; give the capture instead"))
  }

  @Test func `a comparison lists the changes of each host`() throws {
    let before = AuditInput(path: Repository.path("captures/intercepted/without-proxy.pcap"))
    let after = AuditInput(path: Repository.path("captures/intercepted/through-proxy.pcap"))
    var options = AuditOptions(inputs: [before])
    let root = Repository.path("captures/intercepted/root.pem")
    options.judging.anchors = try TrustAnchors(system: .file(root))
    #expect(try Comparison(options, baseline: before).run().diff.changes.isEmpty)
    options.inputs = [after]
    let comparison = Comparison(options, baseline: before)
    let changes = try comparison.run().diff.changes
    let worse = try #require(changes.first { $0.kind == .regression })
    #expect(worse.subject == .rule(.certificateTrust) && worse.before == "pass" && worse.after == "fail")
    #expect((worse.hostName, worse.port) == ("api.example.com", 443))
    #expect(changes.contains { $0.kind == .moved && $0.subject == .issuers })
  }

  /// Two hosts over cleartext HTTP.
  private static let hosts = AuditInput(path: Repository.path("captures/variants/hosts/several-hosts.pcap"))

  private func baseline(_ scratch: TemporaryFolder, _ options: AuditOptions) throws -> AuditInput {
    let result = try Comparison(options, baseline: Self.hosts).run()
    return AuditInput(path: try scratch.write("base.json", result.baselineJSON))
  }

  private func json(_ result: Comparison.Changes) throws -> [String: Any] {
    let bytes = result.rendered(.json, width: 80, useColor: false)
    return try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
  }

  @Test func `a saved baseline keeps the record of its run, and a warning names changed settings`() throws {
    let scratch = try TemporaryFolder()
    var options = AuditOptions(inputs: [Self.hosts])
    let saved = try baseline(scratch, options)
    let same = try Comparison(options, baseline: saved).run()
    #expect(same.baseline.warnings.isEmpty)
    options.judging.assumptions.release = try SystemRelease(named: "ios9")
    let other = try Comparison(options, baseline: saved).run()
    #expect(other.baseline.warnings.count == 1)
    let warning = try #require(other.baseline.warnings.first)
    #expect(warning.contains("the baseline was judged with other settings, which may cause changes: os ios26.5, now ios9"))
    for format in Comparison.Changes.Format.allCases where format != .csv {
      let report = String(decoding: other.rendered(format, width: 200, useColor: false), as: UTF8.self)
      #expect(report.contains("which may cause changes: os ios26.5, now ios9"), "\(format)")
      #expect(!String(decoding: same.rendered(format), as: UTF8.self).contains("may cause"), "\(format)")
    }
    let runs = try (json(same)["current"] as? NSDictionary, json(other)["baseline"] as? NSDictionary)
    #expect(runs.0 != nil && runs.0 == runs.1)
  }

  @Test func `reports name the file of a saved baseline, and SARIF locates vanished hosts in it`() throws {
    let scratch = try TemporaryFolder()
    let saved = try baseline(scratch, AuditOptions(inputs: [Self.hosts]))
    let empty = AuditInput(path: Repository.path("captures/variants/stream/mid-stream.pcap"))
    let result = try Comparison(AuditOptions(inputs: [empty]), baseline: saved).run()
    for format in [Comparison.Changes.Format.text, .markdown, .junit, .html] {
      let report = String(decoding: result.rendered(format, width: 1000, useColor: false), as: UTF8.self)
      #expect(report.contains("\(saved.displayName) (of \(Self.hosts.displayName))"), "\(format)")
    }
    let log = String(decoding: result.rendered(.sarif), as: UTF8.self).split(separator: "\n")
    let vanished = log.filter { $0.contains("\"ruleId\":\"vanishedHost\"") }
    #expect(vanished.count == 4 && vanished.allSatisfy { $0.contains("base.json\"") && !$0.contains("several-hosts.pcap") })
  }

  @Test func `a truncated input and one without a session are no basis for later comparisons`() throws {
    func obstacle(_ current: AuditInput) throws -> String? {
      try Comparison(AuditOptions(inputs: [current]), baseline: Self.hosts).run().baselineObstacle
    }
    #expect(try obstacle(Self.hosts) == nil)
    #expect(try obstacle(AuditInput(path: Repository.path("captures/variants/stream/mid-stream.pcap"))) == "no session was judged")
    let whole = try Data(contentsOf: URL(filePath: Self.hosts.displayName))
    let truncated = AuditInput(bytes: whole.dropLast(1), named: "truncated.pcap")
    #expect(try obstacle(truncated) == "an input could not be read completely")
  }

  @Test func `a warning names files and assumptions that differ from those of the baseline`() throws {
    let scratch = try TemporaryFolder()
    func differences(_ saved: AuditInput, _ options: AuditOptions) throws -> String? {
      try Comparison(options, baseline: saved).run().baseline.warnings.first?
        .split(separator: "may cause changes: ").last.map(String.init)
    }
    let file = try scratch.write("Info.plist", infoPlist("App"))
    var options = AuditOptions(inputs: [Self.hosts])
    options.judging.programs = try AppPolicies(AppPolicy(reading: file))
    let saved = try baseline(scratch, options)
    #expect(try differences(saved, options) == nil)
    _ = try scratch.write("Info.plist", infoPlist("Other"))
    options.judging.programs = try AppPolicies(AppPolicy(reading: file))
    #expect(try differences(saved, options) == "Info.plist with other content")
    options.judging.programs = AppPolicies()
    #expect(try differences(saved, options) == "Info.plist \(file), now not given")
    let plain = try baseline(scratch, AuditOptions(inputs: [Self.hosts]))
    options.judging.assumptions.appOverridesTrust = true
    options.judging.status = .none
    #expect(
      try differences(plain, options)
        == "--assume app-overrides-trust not given, now given; Certificate Transparency logs apple, now not given")
    options = AuditOptions(inputs: [Self.hosts])
    options.hosts = ["a.example"]
    #expect(try differences(plain, options) == nil)
  }

  @Test func `a saved baseline is recognized whatever its layout and the order of its keys`() throws {
    let scratch = try TemporaryFolder()
    let saved = try baseline(scratch, AuditOptions(inputs: [Self.hosts]))
    let object = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: scratch.path + "/base.json")))
    for options in [[], .sortedKeys, .prettyPrinted, [.sortedKeys, .prettyPrinted]] as [JSONSerialization.WritingOptions] {
      let bytes = Bytes(try JSONSerialization.data(withJSONObject: object, options: options))
      let written = AuditInput(path: try scratch.write("\(options.rawValue).json", bytes))
      let result = try Comparison(AuditOptions(inputs: [Self.hosts]), baseline: written).run()
      #expect(result.usesSavedBaseline && result.diff.isEmpty)
    }
    let other = try Comparison(AuditOptions(inputs: [Self.hosts]), baseline: Self.hosts).run()
    #expect(!other.usesSavedBaseline)
    let audited = Audit(AuditOptions(inputs: [saved])).run().outcome
    #expect(audited.faults.map(\.reason) == ["a baseline, which only diff reads, from a file that is its first input"])
  }

  @Test(arguments: ["hosts", "verdicts", "exempt", "rules", "trust"])
  func `a baseline without a member that each has is damaged`(member: String) throws {
    let scratch = try TemporaryFolder()
    let saved = try baseline(scratch, AuditOptions(inputs: [Self.hosts]))
    let text = try String(contentsOfFile: scratch.path + "/base.json", encoding: .utf8)
    _ = try scratch.write("base.json", text.replacing("\"\(member)\":", with: "\"other\":", maxReplacements: 1))
    let error = #expect(throws: AuditError.self) { try Comparison(AuditOptions(inputs: [Self.hosts]), baseline: saved).run() }
    #expect(error?.reason.hasSuffix("in \"\(member)\": not there") == true)
  }

  @Test func `each report but CSV names the connections of the current side that were not judged`() throws {
    let capture = AuditInput(path: Repository.path("captures/variants/stream/mid-stream.pcap"))
    let later = try Comparison(AuditOptions(inputs: [capture]), baseline: Self.hosts).run()
    let earlier = try Comparison(AuditOptions(inputs: [Self.hosts]), baseline: capture).run()
    for format in Comparison.Changes.Format.allCases where format != .csv {
      let words = "no handshake: "
      #expect(String(decoding: later.rendered(format, width: 200, useColor: false), as: UTF8.self).contains(words), "\(format)")
      #expect(!String(decoding: earlier.rendered(format), as: UTF8.self).contains(words), "\(format)")
    }
  }

  @Test(arguments: [(3, true), (4, false)])
  func `hosts beyond the maximum are a limit that was reached`(maximum: Int, isReached: Bool) throws {
    var comparison = Comparison(AuditOptions(inputs: [Self.hosts]), baseline: Self.hosts)
    comparison.maximumHosts = maximum
    let result = try comparison.run()
    #expect(result.outcome.hitLimit == isReached)
    let text = String(decoding: result.rendered(.text, width: 300, useColor: false), as: UTF8.self)
    #expect(text.contains("of the current side belong") == isReached)
  }

  @Test func `each report but CSV names the sides with too few judged sessions`() throws {
    let empty = AuditInput(path: Repository.path("captures/variants/stream/mid-stream.pcap"))
    var result = try Comparison(AuditOptions(inputs: [Self.hosts]), baseline: empty).run()
    func report(_ format: Comparison.Changes.Format) -> String {
      String(decoding: result.rendered(format, width: 300, useColor: false), as: UTF8.self)
    }
    result.require(1, isStrict: false)
    for format in Comparison.Changes.Format.allCases { #expect(!report(format).contains("side: "), "\(format)") }
    result.require(99, isStrict: true)
    for format in Comparison.Changes.Format.allCases where format != .csv {
      #expect(report(format).contains("judged; --min-sessions requires 99"), "\(format)")
      #expect(report(format).contains("baseline side: no session was judged; --strict requires one"), "\(format)")
    }
    #expect(report(.junit).contains("<failure type=\"gate\""))
    #expect(report(.sarif).contains("\"executionSuccessful\":false"))
  }

  @Test func `the reports of a comparison that is not possible contain the error and no changes`() throws {
    let comparison = Comparison(AuditOptions(inputs: [AuditInput(path: "absent.pcap")]), baseline: Self.hosts)
    let error = try #require(#expect(throws: AuditError.self) { try comparison.run() })
    let result = comparison.result(failing: error)
    #expect(result.outcome.faults == [error])
    for format in Comparison.Changes.Format.allCases where format != .csv {
      let text = String(decoding: result.rendered(format), as: UTF8.self)
      #expect(text.contains("absent.pcap: cannot be compared: no such file or directory"), "\(format)")
      #expect(!text.contains("nothing changed"))
    }
    #expect(try json(result)["isEmpty"] as? Bool == false)
  }

  @Test func `hosts are selected in a saved baseline too`() throws {
    let scratch = try TemporaryFolder()
    var options = AuditOptions(inputs: [Self.hosts])
    let saved = try baseline(scratch, options)
    let all = try Comparison(options, baseline: saved).run()
    #expect(all.current.judged ?? 0 > 1)
    options.hosts = [HostPattern(try #require(Audit(AuditOptions(inputs: [Self.hosts])).run().sessions.first?.session.host))]
    let one = try Comparison(options, baseline: saved, counting: [.vanished]).run()
    #expect(one.diff.isEmpty && !one.isWorse)
    #expect(one.baseline.judged == one.current.judged)
  }

  @Test func `a saved baseline without processes cannot be selected by process`() throws {
    let scratch = try TemporaryFolder()
    var options = AuditOptions(inputs: [Self.hosts])
    let saved = try baseline(scratch, options)
    options.processes = ["MyApp"]
    do {
      _ = try Comparison(options, baseline: saved).run()
      Issue.record("compared")
    } catch {
      #expect(error.reason == "the baseline names no processes, so --process cannot select its hosts")
    }
  }
}
