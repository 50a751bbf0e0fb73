package import ATSEvaluation
import SessionModel
import SessionRecords
import TLSParsing

extension Wording {
  /// Returns the verdict in capitals, such as `FAIL` or `PASS (relaxed)`.
  package static func word(_ verdict: Verdict, isRelaxed: Bool) -> String {
    isRelaxed && verdict == .pass ? "PASS (relaxed)" : verdict.rawValue.uppercased()
  }

  /// Returns the color of a verdict.
  package static func style(_ verdict: Verdict) -> TextStyle {
    switch verdict {
    case .fail: .red
    case .unknown: .yellow
    case .exempt: .cyan
    case .pass: .green
    }
  }

  /// Returns `2 fail, 1 unknown, 7 pass (3 relaxed)`; with a noun `2 hosts fail, 1 unknown, 7 pass (3 relaxed)`.
  static func tally(_ counts: VerdictCounts, noun: String? = nil) -> String {
    var parts: [String] = []
    func add(_ count: Int, _ singular: String, _ plural: String) {
      guard count > 0 else { return }
      var number = grouped(count)
      if parts.isEmpty, let noun { number = Wording.count(count, noun) }
      parts.append("\(number) \(count == 1 ? singular : plural)")
    }
    add(counts.fail, "fails", "fail")
    add(counts.unknown, "unknown", "unknown")
    add(counts.exempt, "exempt", "exempt")
    add(counts.pass, "passes", "pass")
    let text = parts.joined(separator: ", ")
    return counts.relaxed > 0 ? text + " (\(grouped(counts.relaxed)) relaxed)" : text
  }

  /// Returns `TLS 1.3 over QUIC` or `cleartext HTTP`, for example.
  package static func protocolName(of group: SessionGroup) -> String {
    if group.application == .http { return "cleartext HTTP" }
    guard let version = group.version else { return "no ServerHello observed" }
    return Wording.version(version) + (group.transport == .quic ? " over QUIC" : "")
  }
}
