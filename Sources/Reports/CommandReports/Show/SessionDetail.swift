package import ATSEvaluation
package import ByteParsing
import PolicyResolution
package import Reporting
package import SessionModel
import SessionRecords
import Values

/// All facts of one judged session as text: the content of its record and its policy, with the names of code points.
package struct SessionDetail {
  private let options: TextOptions

  package init(_ options: TextOptions) { self.options = options }

  /// A titled list of rows.
  struct Section {
    var title: String
    var note = ""
    var rows: [TextRow]
  }

  private static let labelWidth = 16

  /// Returns the session as UTF-8.
  package func rendered(_ session: ObservedSession, _ judgement: Shared<Judgement>) -> Bytes {
    var writer = TextWriter(options)
    writer.writeFields(
      [
        (
          HostBlock.word(judgement.verdict, isRelaxed: judgement.isRelaxed),
          HostBlock.style(judgement.verdict)
        ),
        ("\(DisplayText.escaped(session.host)):\(session.hostPort)", .bold),
        ("session \(session.identifier)", .unstyled),
        (Wording.score(judgement), .unstyled),
      ], indent: 0)
    var sections = [Section(title: "", rows: SessionDetail.locations(of: session))]
    if let http = session.http { sections.append(SessionDetail.requests(of: http, session.parts)) }
    if let tls = session.sharedTLS { sections += SessionDetail.handshake(tls, of: session) }
    sections.append(Section(title: "Rules", rows: SessionDetail.rules(of: judgement, session)))
    sections.append(
      Section(
        title: "Policy",
        note: "\(judgement.policy.release.displayName), \(Wording.loads(judgement.policy.context))",
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
      let noteWidth = section.rows.map { TextWidth.of($0.note) }.max() ?? 0
      let labelWidth = max(
        SessionDetail.labelWidth, section.rows.map { TextWidth.of($0.label) }.max() ?? 0)
      for row in section.rows {
        writer.writeRow(row, indent: 2, labelWidth: labelWidth, noteWidth: noteWidth)
      }
    }
    return writer.output
  }

  // MARK: The session

  private static func locations(of session: ObservedSession) -> [TextRow] {
    var rows = [TextRow(label: "capture", text: Wording.location(of: session))]
    let times = [session.start, session.end].compactMap { $0?.description }
    if !times.isEmpty { rows.append(TextRow(label: "time", text: times.joined(separator: " to "))) }
    let transport =
      switch session.transport {
      case .tcp: "TCP"
      case .udp: "UDP"
      case .quic: "QUIC"
      }
    rows.append(
      TextRow(label: "connection", text: "\(session.client) to \(session.server), \(transport)"))
    if let quic = session.quic {
      rows.append(TextRow(label: "QUIC version", text: hexadecimalCode(quic.version)))
      if let close = quic.close {
        let code = UInt16(exactly: close.code).map(hexadecimalCode) ?? hexadecimalCode(close.code)
        rows.append(
          TextRow(
            label: "QUIC close", text: "error " + code,
            note: Wording.frame(close.frame, in: session.parts)))
      }
    }
    rows.append(TextRow(label: "Community ID", text: SessionEncoder.communityID(of: session)))
    if let process = session.processLabel {
      rows.append(
        TextRow(
          label: "process",
          text: DisplayText.escaped(process) + ", from \(session.process?.source.rawValue ?? "the capture")"))
    }
    if let source = session.serverNameSource {
      rows.append(TextRow(label: "host from", text: source.rawValue))
    }
    rows += session.nameHints.map { hint in
      TextRow(
        label: "name hint", text: "\(DisplayText.escaped(hint.name)) (\(hint.source.rawValue))",
        note: hint.frame.map { Wording.frame($0, in: session.parts) } ?? "")
    }
    if !session.tunnel.isEmpty {
      rows.append(TextRow(label: "inside", text: list(session.tunnel.map(\.text))))
    }
    if let control = session.controlSession {
      rows.append(TextRow(label: "control session", text: DisplayText.escaped(control)))
    }
    return rows + outcome(of: session)
  }

  private static func outcome(of session: ObservedSession) -> [TextRow] {
    var rows: [TextRow] = []
    let evidence = session.evidence
    if let ending = session.ending {
      rows.append(
        TextRow(
          label: "outcome", text: Wording.ending(ending),
          note: Wording.frames([.outcome], of: evidence, in: session.parts),
          style: ending.isFailure ? .yellow : .unstyled))
    }
    var gaps: [String] = []
    if let incomplete = evidence.incomplete { gaps.append(SessionsText.words(for: incomplete)) }
    if evidence.missingBytes > 0 {
      gaps.append("\(Wording.count(evidence.missingBytes, "byte")) missing")
    }
    if evidence.truncatedPackets > 0 {
      gaps.append("\(Wording.count(evidence.truncatedPackets, "packet")) truncated")
    }
    if !evidence.isClockPlausible { gaps.append("implausible clock") }
    if !gaps.isEmpty {
      rows.append(TextRow(label: "incomplete", text: gaps.joined(separator: "; "), style: .yellow))
    }
    for part in Evidence.Part.allCases {
      guard let frames = evidence.contested?[part] else { continue }
      rows.append(
        TextRow(
          label: "contested", text: "copies of \(part.rawValue) disagree",
          note: Wording.frames(frames, in: session.parts), style: .yellow))
    }
    if !evidence.disagreements.isEmpty {
      rows.append(
        TextRow(
          label: "sent again", text: "bytes with different content",
          note: Wording.frames(evidence.disagreements, in: session.parts)))
    }
    if !evidence.notes.isEmpty { rows.append(TextRow(label: "notes", text: list(evidence.notes))) }
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
      return TextRow(
        label: "request", text: DisplayText.escaped(text), note: Wording.frame(request.frame, in: files))
    }
    if http.requestCount > http.requests.count {
      let count = Wording.count(http.requestCount, "request")
      rows.append(TextRow(label: "", text: "\(count); the first \(http.requests.count) are shown"))
    }
    return Section(title: "Requests", note: "cleartext HTTP", rows: rows)
  }

  // MARK: Words

  /// Returns texts from inputs as a list, escaped for display.
  static func list(_ texts: [String]) -> String {
    texts.map(DisplayText.escaped).joined(separator: ", ")
  }

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
