import ByteParsing
import SessionRecords

struct JUnitCase {
  enum Outcome {
    case passed
    case failed(type: String, message: String)
    case skipped(message: String)
    case error(type: String, message: String)
  }

  /// The name of the case. All texts of a case are escaped for display.
  var name: String
  var suite: String
  var outcome = Outcome.passed
  /// The details of a failure, one line each.
  var details: [String] = []
  /// The notes of a case that passes, one line each.
  var output: [String] = []

  func write(to bytes: inout Bytes) {
    bytes.appendRaw("    <testcase")
    bytes.appendAttribute("name", name)
    bytes.appendAttribute("classname", suite)
    bytes.appendAttribute("time", "0")
    var body = Bytes()
    switch outcome {
    case .passed: break
    case .failed(let type, let message): body.appendOutcome("failure", type, message, details)
    case .error(let type, let message): body.appendOutcome("error", type, message, details)
    case .skipped(let message):
      body.appendRaw("      <skipped")
      body.appendAttribute("message", message)
      body.appendRaw("/>\n")
    }
    if !output.isEmpty {
      body.appendRaw("      <system-out>")
      body.appendMarkup(output.joined(separator: "\n"))
      body.appendRaw("</system-out>\n")
    }
    if body.isEmpty {
      bytes.appendRaw("/>\n")
    } else {
      bytes.appendRaw(">\n")
      bytes.append(contentsOf: body)
      bytes.appendRaw("    </testcase>\n")
    }
  }
}

/// The cases of one host or of one step, under a name.
struct JUnitSuite {
  var name: String
  var cases: [JUnitCase] = []

  var failures: Int { cases.count { if case .failed = $0.outcome { true } else { false } } }
  var errors: Int { cases.count { if case .error = $0.outcome { true } else { false } } }
  var skipped: Int { cases.count { if case .skipped = $0.outcome { true } else { false } } }

  /// Adds a failed case that names the verdicts or severities that give exit status 1, unless a case failed already.
  mutating func addGate(_ words: [String]) {
    guard failures == 0, !words.isEmpty else { return }
    let text = "\(words.joined(separator: " and ").uppercased()): gives exit status 1 under --fail-on or --strict"
    cases.append(JUnitCase(name: "gate", suite: name, outcome: .failed(type: "gate", message: text)))
  }

  func write(to bytes: inout Bytes) {
    bytes.appendRaw("  <testsuite")
    bytes.appendAttribute("name", name)
    bytes.appendCounts(of: self)
    bytes.appendRaw(">\n")
    for entry in cases { entry.write(to: &bytes) }
    bytes.appendRaw("  </testsuite>\n")
  }

  /// Appends a document; `flush` is called after each suite and may remove the output written so far.
  static func write(_ suites: [JUnitSuite], named name: String, to bytes: inout Bytes, flush: (inout Bytes) -> Void = { _ in }) {
    bytes.appendRaw("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites")
    bytes.appendAttribute("name", name)
    bytes.appendCounts(of: JUnitSuite(name: name, cases: suites.flatMap(\.cases)))
    bytes.appendRaw(">\n")
    for suite in suites {
      suite.write(to: &bytes)
      flush(&bytes)
    }
    bytes.appendRaw("</testsuites>\n")
  }
}

extension ContiguousArray where Element == UInt8 {
  fileprivate mutating func appendCounts(of suite: JUnitSuite) {
    for (name, count) in [
      ("tests", suite.cases.count), ("failures", suite.failures), ("errors", suite.errors), ("skipped", suite.skipped),
    ] { appendAttribute(name, "\(count)") }
    appendAttribute("time", "0")
  }

  fileprivate mutating func appendOutcome(_ element: String, _ type: String, _ message: String, _ details: [String]) {
    appendRaw("      <\(element)")
    appendAttribute("type", type)
    appendAttribute("message", message)
    if details.isEmpty {
      appendRaw("/>\n")
    } else {
      append(0x3E)
      appendMarkup(details.joined(separator: "\n"))
      appendRaw("</\(element)>\n")
    }
  }
}
