package import ATSEvaluation
import SessionModel
import SessionRecords
import TLSParsing
import Values

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

  /// Returns `2 fail, 1 unknown, 7 pass (3 relaxed)`; with the noun `host{s}`, `2 hosts fail, 1 unknown, 7 pass (3 relaxed)`.
  static func tally(_ counts: VerdictCounts, noun: String? = nil) -> String {
    var parts: [String] = []
    func add(_ count: Int, _ verdict: String) {
      guard count > 0 else { return }
      let number = if parts.isEmpty, let noun { Wording.count(count, noun) } else { grouped(count) }
      parts.append("\(number) \(count.form(of: verdict))")
    }
    add(counts.fail, "fail{s|}")
    add(counts.unknown, "unknown")
    add(counts.exempt, "exempt")
    add(counts.pass, "pass{es|}")
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
