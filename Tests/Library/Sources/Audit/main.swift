import ATScope

let sessions = try Audit.sessions(AuditOptions(inputs: ["trace.pcapng"]))
precondition(!sessions.isEmpty, "no session was judged")
for judged in sessions where judged.verdict == .fail {
  print(judged.session.serverName ?? "?")
}
