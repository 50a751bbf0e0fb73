import ATScope

let sessions = try Audit(AuditOptions(inputs: ["trace.pcapng"])).sessions()
precondition(!sessions.isEmpty, "no session was judged")
for judged in sessions where judged.verdict == .fail {
  print(judged.session.host)
}
