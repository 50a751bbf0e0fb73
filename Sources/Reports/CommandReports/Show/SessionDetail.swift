package import ATSEvaluation
package import ByteParsing
import PolicyResolution
package import Reporting
package import SessionModel
import SessionRecords
import Values

/// All facts of one judged session as text: the content of its record and its policy, with the names of code points.
package enum SessionDetail {
  /// A titled list of rows.
  struct Section {
    var title: String
    var note = ""
    var rows: [TextRow]
  }

  /// Returns the session as UTF-8; `steps` are for undecided rules.
  package static func rendered(
    _ session: ObservedSession, _ judgement: Shared<Judgement>, _ steps: NextSteps, _ options: TextOptions
  ) -> Bytes {
    var writer = TextWriter(options)
    writer.writeFields(
      [
        (Wording.word(judgement.verdict, isRelaxed: judgement.isRelaxed), Wording.style(judgement.verdict)),
        ("\(DisplayText.escaped(session.host)):\(session.hostPort)", .bold),
        ("session \(session.identifier)", .unstyled),
        (Wording.score(judgement), .unstyled),
      ], indent: 0)
    var sections = [Section(title: "", rows: SessionDetail.locations(of: session))]
    if let http = session.http { sections.append(SessionDetail.requests(of: http, session.parts)) }
    if let tls = session.sharedTLS { sections += SessionDetail.handshake(tls, of: session) }
    sections.append(Section(title: "Rules", rows: SessionDetail.rules(of: judgement, session, steps)))
    sections.append(
      Section(
        title: "Policy", note: "\(judgement.policy.release.displayName), \(Wording.loads(judgement.policy.context))",
        rows: PolicyText.rows(of: judgement.policy)))
    for section in sections where !section.rows.isEmpty {
      if !section.title.isEmpty {
        writer.write(section.title, .bold)
        if !section.note.isEmpty {
          writer.tab(to: writer.column + 2)
          writer.writeWrapped(section.note, indent: 2, style: .dim)
        }
        writer.endLine()
      }
      writer.writeRows(section.rows, indent: 2, labelWidth: 16)
    }
    return writer.output
  }

  // MARK: The session

  private static func locations(of session: ObservedSession) -> [TextRow] {
    var rows = [TextRow(label: "capture", text: Wording.location(of: session))]
    let times = [session.start, session.end].compactMap { $0?.description }
    rows.add("time", times.joined(separator: " to "))
    let transport =
      switch session.transport {
      case .tcp: "TCP"
      case .udp: "UDP"
      case .quic: "QUIC"
      }
    rows.add("connection", "\(session.client) to \(session.server), \(transport)")
    if let quic = session.quic {
      rows.add("QUIC version", hexadecimalCode(quic.version))
      if let close = quic.close {
        let code = UInt16(exactly: close.code).map(hexadecimalCode) ?? hexadecimalCode(close.code)
        rows.add("QUIC close", "error " + code, note: Wording.frame(close.frame, in: session.parts))
      }
    }
    rows.add("Community ID", SessionEncoder.communityID(of: session))
    if let process = session.processLabel {
      rows.add("process", DisplayText.escaped(process) + ", from \(session.process?.source.rawValue ?? "the capture")")
    }
    rows.add("host from", session.serverNameSource.map(Wording.nameSource))
    for hint in session.nameHints {
      rows.add(
        "name hint", "\(DisplayText.escaped(hint.name)) (\(hint.source.rawValue))",
        note: hint.frame.map { Wording.frame($0, in: session.parts) } ?? "")
    }
    rows.add("inside", Wording.list(session.tunnel.map(\.text)))
    rows.add("control session", session.controlSession.map(DisplayText.escaped))
    return rows + outcome(of: session)
  }

  private static func outcome(of session: ObservedSession) -> [TextRow] {
    var rows: [TextRow] = []
    let evidence = session.evidence
    if let ending = session.ending {
      rows.add(
        "outcome", Wording.ending(ending),
        note: Wording.frames([.outcome], of: evidence, in: session.parts), style: ending.isFailure ? .yellow : .unstyled)
    }
    var gaps: [String] = []
    if let incomplete = evidence.incomplete { gaps.append(SessionsText.words(for: incomplete)) }
    if evidence.missingBytes > 0 {
      gaps.append("\(Wording.count(evidence.missingBytes, "byte{s}")) missing")
    }
    if evidence.truncatedPackets > 0 {
      gaps.append("\(Wording.count(evidence.truncatedPackets, "packet{s}")) truncated")
    }
    if !evidence.isClockPlausible { gaps.append("implausible clock") }
    rows.add("incomplete", gaps.joined(separator: "; "), style: .yellow)
    for part in Evidence.Part.allCases {
      guard let frames = evidence.contested?[part] else { continue }
      rows.add("contested", "copies of \(part.rawValue) disagree", note: Wording.frames(frames, in: session.parts), style: .yellow)
    }
    if !evidence.disagreements.isEmpty {
      rows.add("sent again", "bytes with different content", note: Wording.frames(evidence.disagreements, in: session.parts))
    }
    rows.add("notes", Wording.list(evidence.notes.map(\.rawValue)))
    return rows
  }

  private static func requests(of http: HTTPFacts, _ files: [CapturePart]) -> Section {
    var rows = http.requests.map { request in
      var text = "\(request.method) \(request.path)"
      if let host = request.host { text += ", host \(host)" }
      if let upgrade = request.upgrade { text += ", upgrade to \(upgrade)" }
      if let status = request.status { text += "; response \(status)" }
      if let type = request.contentType { text += ", \(type)" }
      if let host = request.redirectHost {
        text += ", redirect to \(request.redirectScheme ?? "?")://\(host)"
      }
      return TextRow(label: "request", text: DisplayText.escaped(text), note: Wording.frame(request.frame, in: files))
    }
    if http.requestCount > http.requests.count {
      let count = Wording.count(http.requestCount, "request{s}")
      rows.add("", "\(count); the first \(http.requests.count) are shown")
    }
    return Section(title: "Requests", note: "cleartext HTTP", rows: rows)
  }

  // MARK: Words

  /// Returns the part of a message that the capture contains, and its frames.
  static func state(_ state: Evidence.State, _ part: Evidence.Part, of session: ObservedSession) -> String {
    let frames = Wording.frames([part], of: session.evidence, in: session.parts)
    let word =
      switch state {
      case .complete, .partial, .missing, .encrypted: state.rawValue
      case .resumed: "not sent again in a resumed session"
      case .notSent: "not sent"
      }
    return frames.isEmpty ? word : "\(word), \(frames)"
  }
}
