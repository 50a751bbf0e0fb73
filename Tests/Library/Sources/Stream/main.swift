import ATScope
import Foundation

let capture = try Data(contentsOf: URL(filePath: "trace.pcapng"))
var counts: [Verdict: Int] = [:]
let outcome = Audit(AuditOptions(bytes: capture, named: "trace.pcapng")).forEachSession { judged in
  counts[judged.verdict, default: 0] += 1
}
try outcome.requireComplete()
precondition(!counts.isEmpty, "no session was judged")
for (verdict, count) in counts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
  print(verdict, count)
}
for warning in outcome.warnings { print("warning: \(warning)") }
