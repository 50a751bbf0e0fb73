import ATSEvaluation
import SessionModel
import SessionRecords

/// What a reader of a host's verdict has to know besides: how handshakes failed, and what the verdict rests on.
struct HostRemark {
  /// The kind, in a word or two.
  let label: String
  /// What it is, the same for all hosts that it concerns.
  let text: String
  /// What differs between hosts; may be empty.
  let detail: String
  /// The remark about one host as a phrase, made safe to show.
  let phrase: String

  /// The kinds in the order in which they are shown.
  static let labels = [
    "handshakes", "client certs", "inherited", "assumed", "supplied", "other capture", "proxies",
  ]
}

extension HostReport {
  /// The remarks, in no particular order of kinds.
  var remarks: [HostRemark] {
    var remarks: [HostRemark] = []
    for (ending, sessions) in failedEndings {
      let text = Wording.ending(ending)
      remarks.append(
        HostRemark(
          label: "handshakes", text: text, detail: sessions > 1 ? Wording.grouped(sessions) : "",
          phrase: sessions == self.sessions
            ? text : "\(text) in \(Wording.grouped(sessions)) of \(Wording.count(self.sessions, "session"))"))
    }
    if worstRanks.contains(where: { $0.id == "ADV-MTLS" && $0.rank == 3 }) {
      remarks.append(
        HostRemark(
          label: "client certs", text: "requested by the server", detail: "",
          phrase: "client certificate requested by the server"))
    }
    for proxy in proxies {
      let text = "through \(DisplayText.escaped(proxy))"
      remarks.append(HostRemark(label: "proxies", text: text, detail: "", phrase: text))
    }
    for group in groups {
      let sessions = Wording.count(group.sessions, "session")
      if let origin = group.origin {
        let place = Wording.place(of: origin, from: group.file)
        let isCaptured = group.assumption == .captured
        let verb = isCaptured ? "assume" : "inherit"
        let inherits =
          group.sessions == 1 && self.sessions == 1
          ? "\(verb)s" : "\(sessions) \(verb)\(group.sessions == 1 ? "s" : "")"
        remarks.append(
          HostRemark(
            label: isCaptured ? "assumed" : "inherited",
            text: isCaptured
              ? "the certificate of another session (--chain captured)"
              : "the certificate of an earlier session",
            detail: "\(sessions), \(place)",
            phrase: "\(inherits) the certificate of the session at \(place)"
              + (isCaptured ? " (--chain captured)" : "")))
      } else if group.assumption == .supplied {
        remarks.append(
          HostRemark(
            label: "supplied", text: "the certificate is from --chain", detail: "",
            phrase: "the certificate is from --chain"))
      }
      for capture in group.judgement.content.otherCaptures {
        let text = DisplayText.escaped(capture)
        remarks.append(
          HostRemark(
            label: "other capture", text: text, detail: "", phrase: "rests on another capture: \(text)"))
      }
    }
    return remarks
  }

  /// The remarks as phrases, each once.
  var remarkPhrases: [String] {
    var phrases: [String] = []
    for remark in remarks where !phrases.contains(remark.phrase) { phrases.append(remark.phrase) }
    return phrases
  }
}
