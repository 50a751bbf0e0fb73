import ATScope

var options = AuditOptions(inputs: ["trace.pcapng"])
options.judging.anchors = try TrustAnchors(added: ["company-ca.pem"])
let sessions = try Audit(options).sessions()
precondition(!sessions.isEmpty, "no session was judged")

// In an app: Bundle.main.infoDictionary?["NSAppTransportSecurity"] as? [String: Any]
let settings: [String: Any] = [
  "NSExceptionDomains": ["legacy.example.com": ["NSExceptionMinimumTLSVersion": "TLSv1.0"]]
]
options.judging.programs = AppPolicies(try AppPolicy(settings: settings))
options.judging.assumptions.release = try SystemRelease(.ios, 18)
var judge = SessionJudge(options.judging)
for before in sessions {
  let after = judge.judge(before.session)
  if after.verdict != before.verdict {
    print("\(before.session.host): \(before.verdict) becomes \(after.verdict)")
  }
}
