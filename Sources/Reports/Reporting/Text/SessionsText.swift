package import ByteParsing
import CertificateParsing
package import SessionModel
import SessionRecords
import TLSParsing
import Values

/// The facts of sessions without judgement, as text for a terminal: a block of a few lines for each.
package enum SessionsText {
  package static func append(_ session: ObservedSession, _ options: TextOptions, to output: inout Bytes) {
    var writer = TextWriter(options)
    var heading: [(text: String, style: TextStyle)] = [(DisplayText.escaped(session.host) + ":\(session.hostPort)", .bold)]
    if let tls = session.sharedTLS {
      heading.append(
        (tls.sharedServerHello.map { Wording.version($0.version) } ?? "no ServerHello observed", .unstyled))
      heading.append((tls.sharedServerHello?.cipherSuite.map(Wording.suite) ?? "", .unstyled))
      heading.append((tls.group?.text ?? "", .unstyled))
      let alpn = tls.sharedServerHello?.alpn ?? tls.protectedALPN
      heading.append((alpn.map(DisplayText.escaped) ?? "", .unstyled))
      let resumed = tls.isResumed == true && [.established, .incomplete].contains(tls.outcome) ? ", resumed" : ""
      heading.append(((session.ending.map(Wording.ending) ?? "") + resumed, .unstyled))
    } else {
      heading.append(("cleartext HTTP", .unstyled))
    }
    writer.writeFields(heading, indent: 0)
    for row in rows(of: session) { writer.writeRow(row, indent: 2, labelWidth: 11) }
    writer.endLine()
    output.append(contentsOf: writer.output)
  }

  private static func rows(of session: ObservedSession) -> [TextRow] {
    var rows = [
      TextRow(
        label: "frames",
        text: session.parts.isEmpty
          ? "\(session.firstFrame)-\(session.lastFrame) of \(DisplayText.escaped(session.file))"
          : Wording.location(of: session), style: .dim)
    ]
    rows.add("start", session.start?.description, style: .dim)
    rows.add("from", "\(session.client) to \(session.server)", style: .dim)
    rows.add("through", session.proxyText, style: .dim)
    rows.add("inside", Wording.list(session.tunnel.map(\.text)), style: .dim)
    if let source = session.serverNameSource, source != .sni {
      rows.add("name from", Wording.nameSource(source), style: .dim)
    }
    if let http = session.http { rows += SessionsText.rows(of: http, session.parts) }
    if let tls = session.sharedTLS { rows += SessionsText.rows(of: tls, session.parts) }
    if session.sharedTLS?.chain == nil, let assumed = session.sharedAssumedChain {
      rows.append(SessionsText.row(of: assumed))
    }
    let hints = session.nameHints.map { hint in
      "\(hint.name) (\(hint.source.rawValue)\(hint.frame.map { ", frame \($0)" } ?? ""))"
    }
    rows.add("name hints", Wording.list(hints), style: .dim)
    rows.add("incomplete", session.evidence.incomplete.map(SessionsText.words), style: .yellow)
    rows.add("notes", Wording.list(session.evidence.notes.map(\.rawValue)), style: .dim)
    return rows
  }

  /// Returns a row for certificates used instead of those that the session does not contain.
  private static func row(of assumed: Shared<AssumedChain>) -> TextRow {
    let source =
      switch assumed.source {
      case .earlierSession: "of the earlier session"
      case .supplied: "supplied"
      case .captured: "of another session"
      case .probable: "probable"
      }
    let subject = assumed.chain.certificates.first?.certificate.subject ?? ""
    var text = "\(source): \(subject.isEmpty ? "no subject" : subject)"
    if let origin = assumed.origin {
      text += ", \(Wording.frames(origin.frames)) of session \(origin.session) in \(origin.file)"
    }
    return TextRow(label: "certificate", text: DisplayText.escaped(text), style: .dim)
  }

  private static func rows(of http: HTTPFacts, _ files: [CapturePart]) -> [TextRow] {
    var rows = http.requests.map { request in
      var text = "\(request.method) \(request.host ?? "")\(request.path)"
      if let status = request.status { text += " -> \(status)" }
      if let host = request.redirectHost { text += " to \(request.redirectScheme ?? "?")://\(host)" }
      return TextRow(label: "request", text: DisplayText.escaped(text), note: Wording.frame(request.frame, in: files), style: .dim)
    }
    if http.requestCount > http.requests.count {
      rows.add("", "and \(Wording.count(http.requestCount - http.requests.count, "more request{s}"))")
    }
    return rows
  }

  private static func rows(of tls: Shared<TLSFacts>, _ files: [CapturePart]) -> [TextRow] {
    var rows: [TextRow] = []
    for (label, alerts) in [("client says", tls.clientAlerts), ("server says", tls.serverAlerts)] {
      for alert in alerts {
        rows.add(label, Wording.alert(alert), note: Wording.frame(alert.frame, in: files), style: .dim)
      }
    }
    for (index, observed) in (tls.chain?.certificates ?? []).enumerated() {
      let certificate = observed.certificate
      var parts = [certificate.subject.isEmpty ? "no subject" : certificate.subject]
      if let error = certificate.decodingError {
        parts.append("cannot be decoded: \(error)")
      } else {
        if let first = certificate.notBefore, let last = certificate.notAfter {
          parts.append("\(first.date) to \(last.date)")
        }
        let key = certificate.publicKey
        parts.append((key.curve ?? key.algorithm) + (key.curve == nil ? key.bits.map { " \($0)" } ?? "" : ""))
        parts.append(certificate.signatureAlgorithm)
      }
      let text = parts.filter { !$0.isEmpty }.joined(separator: ", ")
      rows.add(index == 0 ? "certificate" : "", DisplayText.escaped(text), style: .dim)
    }
    return rows
  }

  package static func words(for reason: Evidence.Incomplete) -> String {
    switch reason {
    case .startedLate: "the capture began after the connection"
    case .loss: "bytes are missing"
    case .snaplen: "packets were truncated to the snapshot length"
    case .oneDirection: "only one direction is in the capture"
    case .stillOpen: "the handshake had not finished when the capture ended or the connection became idle"
    case .limit: "a limit was reached"
    }
  }
}

extension Wording {
  /// Returns the source of a server's name, as on HTML pages: `the Host field`.
  package static func nameSource(_ source: ObservedSession.NameSource) -> String {
    switch source {
    case .connect: "CONNECT"
    case .sni: "SNI"
    case .httpHost: "the Host field"
    case .address: "the address"
    }
  }
}
