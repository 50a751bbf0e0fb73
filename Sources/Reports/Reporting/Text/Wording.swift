package import ATSEvaluation
package import ATSRules
package import PolicyResolution
package import SessionModel
import SessionRecords
package import TLSParsing
import Values

/// The words for facts and findings that all text reports share.
package enum Wording {
  /// Returns a number with its noun: `1 session`, `2 sessions`, `1,284 packets`. Messages without commas in numbers use `counted`.
  package static func count(_ number: some BinaryInteger, _ words: String) -> String {
    "\(grouped(number)) \(number.form(of: words))"
  }

  /// Returns a part of a number: `2 of 1,284 packets`.
  package static func count(_ part: some BinaryInteger, of all: some BinaryInteger, _ words: String) -> String {
    "\(grouped(part)) of \(count(all, words))"
  }

  /// Returns a number with commas between its thousands.
  package static func grouped(_ number: some BinaryInteger) -> String {
    let digits = String(number.magnitude)
    if digits.utf8.count <= 3 { return number < 0 ? "-" + digits : digits }
    var text = number < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text += "," }
      text.append(digit)
    }
    return text
  }

  /// The words for a finding for which the system rejects a load although ATS is off.
  package static let rejected = "rejected by the system, although ATS is off"

  /// Returns `frame 6`, `frames 6-8` or `frames 6, 9-11, …`; empty for none. The first two runs are listed; records contain all frames.
  static func frames(_ frames: FrameList) -> String {
    let numbers = frames.numbers
    guard let first = numbers.first else { return "" }
    if numbers.count == 1 { return "frame \(first)" }
    var runs = [(first: first, last: first)]
    for number in numbers.dropFirst() {
      if number &- 1 == runs[runs.count - 1].last {
        runs[runs.count - 1].last = number
      } else {
        runs.append((number, number))
      }
    }
    let texts = runs.lazy.map { run in
      run.first == run.last ? "\(run.first)" : "\(run.first)-\(run.last)"
    }
    return "frames " + texts.abbreviated(to: 2)
  }

  /// Returns the frames of parts of the evidence; if there are none, the session's first.
  package static func frameList(_ parts: [Evidence.Part], of evidence: Evidence, orElse first: UInt64) -> FrameList {
    var frames = evidence.frames(of: parts)
    if frames.isEmpty { frames.insert(max(first, 1)) }
    return frames
  }

  /// Returns the frames of the evidence for a finding of a group, all of one file; if there are none, the group's first.
  package static func frameList(_ finding: Finding, of group: SessionGroup) -> FrameList {
    if let origin = inheritedFrom(finding, of: group), origin.file == group.file {
      var frames = origin.frames
      for number in group.evidence.frames(of: finding.parts).numbers { frames.insert(number) }
      return frames
    }
    return frameList(finding.parts, of: group.evidence, orElse: group.firstFrame)
  }

  /// Returns the other session whose certificates are the evidence for a finding of a group; nil if there is none.
  private static func inheritedFrom(_ finding: Finding, of group: SessionGroup) -> AssumedChain.Origin? {
    guard let origin = group.origin, finding.parts.contains(.certificates),
      group.evidence.frames[.certificates].isEmpty, !origin.frames.isEmpty
    else { return nil }
    return origin
  }

  /// Returns the frames of the evidence for a finding of a group, including those of another session whose certificates are judged.
  package static func frames(_ finding: Finding, of group: SessionGroup) -> String {
    let own = frames(finding.parts, of: group.evidence, in: group.parts)
    guard let origin = inheritedFrom(finding, of: group) else { return own }
    let session = group.assumption == .captured ? "another session" : "an earlier session"
    let earlier = "\(location(of: origin, from: group.file)), \(session)"
    return own.isEmpty ? earlier : "\(own); \(earlier)"
  }

  /// Returns the frames in the other session that contain the certificates, such as `frames 6, 8`, with the file if it is another.
  package static func location(of origin: AssumedChain.Origin, from file: String) -> String {
    frames(origin.frames) + (origin.file == file ? "" : " of \(DisplayText.escaped(origin.file))")
  }

  /// Returns a phrase such as `inherits the certificate of the session at frame 12` if another chain is judged; otherwise nil. `assumed` is
  /// that of the first of several sessions; with `isPlural`, they are the subject of the phrase.
  package static func assumption(_ assumed: Assumption?, from file: String, sessions: Int = 1, isPlural: Bool = false) -> String? {
    guard let assumed else { return nil }
    let ending = isPlural ? "" : "s"
    if let text = oneOfSeveral(assumed) { return "use\(ending) \(text)" }
    guard let origin = assumed.origin else {
      return assumed.source == .supplied ? "use\(ending) \(suppliedCertificate(assumed))" : nil
    }
    let isCaptured = assumed.source == .captured
    let location = location(of: origin, from: file)
    let other = "\(isCaptured ? "another" : "an earlier") session (\(location) for the first)"
    return (isCaptured ? "assume" : "inherit") + ending + " the certificate of "
      + (sessions > 1 ? other : "the session at \(location)") + (isCaptured ? " (--chain captured)" : "")
  }

  /// Returns the same phrase for one chain, without the session that contains it.
  static func assumptionWithoutLocation(_ assumed: Assumption) -> String {
    switch assumed.source {
    case .supplied: "uses \(suppliedCertificate(assumed))"
    case .captured: "assumes the certificate of another session (--chain captured)"
    case .probable, .earlierSession: "inherits the certificate of an earlier session"
    }
  }

  /// Returns `the certificate from --chain` with its file.
  static func suppliedCertificate(_ assumed: Assumption) -> String {
    "the certificate from --chain" + (assumed.file.map { " \(DisplayText.escaped($0))" } ?? "")
  }

  /// Returns `one of 2 different chains from --chain` if there are several; otherwise nil.
  static func oneOfSeveral(_ assumed: Assumption) -> String? {
    let option = assumed.source == .captured ? "--chain captured" : "--chain"
    return assumed.chainCount == 1 ? nil : "one of \(assumed.chainCount) different chains from \(option)"
  }

  /// Returns the label of the source of a chain in text reports.
  static func assumptionLabel(_ source: AssumedChain.Source?) -> String {
    switch source {
    case .supplied: "Chain supplied"
    case .captured: "Chain captured"
    default: "Resumed"
    }
  }

  /// Returns ` of trace.pcap` if several files are reported; empty for a rotated capture, whose frames have their files already.
  static func inFile(of group: SessionGroup, namesFiles: Bool) -> String {
    namesFiles && group.parts.isEmpty ? " of \(DisplayText.escaped(shortName(group.file)))" : ""
  }

  /// Returns the distinct frames of parts of a session's evidence; for a rotated capture, each with its file.
  package static func frames(_ parts: [Evidence.Part], of evidence: Evidence, in files: [CapturePart]) -> String {
    frames(evidence.frames(of: parts), in: files)
  }

  /// Returns frames with their numbers within the files of a rotated capture: `frame 12 of trace_00002.pcap`.
  package static func frames(_ list: FrameList, in files: [CapturePart]) -> String {
    if files.isEmpty { return frames(list) }
    var rest = list.numbers[...]
    var texts: [String] = []
    for (index, file) in files.enumerated() {
      let end = index + 1 < files.count ? files[index + 1].framesBefore : .max
      var own = FrameList()
      while let frame = rest.first, frame <= end {
        own.insert(frame > file.framesBefore ? frame - file.framesBefore : frame)
        rest.removeFirst()
      }
      if !own.isEmpty { texts.append("\(frames(own)) of \(DisplayText.escaped(shortName(file.file)))") }
    }
    return texts.joined(separator: ", ")
  }

  /// Returns one frame in the format of `frames(_:in:)`.
  package static func frame(_ number: UInt64, in files: [CapturePart]) -> String {
    frames(FrameList(number), in: files)
  }

  /// Returns the last component of a file's path; the files of a rotated capture are in one folder.
  static func shortName(_ file: String) -> String {
    let name = file.utf8.lastIndex { $0 == 0x2F || $0 == 0x21 }.map { file[file.utf8.index(after: $0)...] }
    return name.map(String.init) ?? file
  }

  /// Returns the first and last frame of a session with its file, escaped for display.
  package static func location(of session: ObservedSession) -> String {
    guard !session.parts.isEmpty else {
      return "frames \(session.firstFrame)-\(session.lastFrame) of \(DisplayText.escaped(session.file))"
    }
    let (first, last) = (session.location(of: session.firstFrame), session.location(of: session.lastFrame))
    if first.file == last.file {
      return "frames \(first.frame)-\(last.frame) of \(DisplayText.escaped(first.file))"
    }
    return "frame \(first.frame) of \(DisplayText.escaped(first.file)) to frame \(last.frame) of \(DisplayText.escaped(last.file))"
  }

  /// Returns the text with a capital first letter.
  package static func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

  /// Returns the observation and the requirement.
  package static func comparison(_ finding: Finding) -> String {
    finding.comparison ?? finding.outcome.rawValue
  }

  /// Returns the observation, and whether the client left the server a choice, as text that is escaped for display.
  package static func observed(_ finding: Finding) -> String {
    let offer =
      switch finding.offerRemark {
      case .serverChose: ", although the client offered better"
      case .clientCouldNotDoBetter: ", and the recorded client offered nothing better"
      case .clientOfferedTLS12: ", and the recorded client offered at most TLS 1.2"
      case nil: ""
      }
    return DisplayText.escaped(finding.observed ?? finding.outcome.rawValue) + offer
  }

  /// Returns the reason that a fact was not observed.
  package static func reason(of finding: Finding) -> String {
    finding.missing?.text ?? (finding.dependsOnHost ? "the host is not known" : "no evidence in the capture")
  }

  /// Returns the key that allows or requires what a finding is about; nil if none does. What a global key does to cleartext depends on its
  /// value, so the policy's reason is returned.
  static func decision(on finding: Finding, of group: SessionGroup) -> String? {
    guard let key = finding.decidingKey else { return nil }
    if finding.outcome == .relaxed { return "allowed by \(self.key(key))" }
    let reason = finding.rule == .https && key.entry == nil ? group.kept.policy.reason(for: .requiresHTTPS) : nil
    return reason.map { DisplayText.escaped($0.text) } ?? "required by \(self.key(key))"
  }

  /// Returns the key with its entry, if it has one.
  package static func key(_ reference: KeyReference) -> String {
    if let entry = reference.entry { return "\(reference.key) of \(DisplayText.escaped(entry))" }
    return reference.key
  }

  /// Returns `TLS 1.2`, for example, or the code point of a version without a name; `version not observed` for nil.
  package static func version(_ version: TLSVersion?) -> String {
    version?.text ?? "version not observed"
  }

  /// Returns the suite without the prefix `TLS_`, as the version precedes it.
  package static func suite(_ suite: CipherSuite) -> String {
    suite.text.hasPrefix("TLS_") ? String(suite.text.dropFirst(4)) : suite.text
  }

  /// Returns texts from inputs as a list, escaped for display.
  package static func list(_ texts: [String]) -> String {
    texts.map(DisplayText.escaped).joined(separator: ", ")
  }

  /// Returns the name and the level of an alert: `handshake_failure (fatal)`.
  package static func alert(_ alert: ObservedAlert) -> String {
    let level = alert.level == 1 ? "warning" : alert.level == 2 ? "fatal" : "level \(alert.level)"
    return "\(alert.code.name ?? "alert \(alert.code.rawValue)") (\(level))"
  }

  package static func ending(_ ending: SessionEnding) -> String {
    func because(_ alert: AlertDescription?) -> String {
      alert.map { " (\($0.name ?? "alert \($0.rawValue)"))" } ?? ""
    }
    switch ending {
    case .established: return "established"
    case .refused(let peer, .closeNotify): return "closed by the \(peer.rawValue) (close_notify)"
    case .refused(let peer, let alert): return "refused by the \(peer.rawValue)" + because(alert)
    case .clientCertificateMissing(let alert):
      return "the server requires a client certificate; the client sent none" + because(alert)
    case .clientCertificateRejected(let alert):
      return "the server rejected the client's certificate" + because(alert)
    case .reset(let peer): return peer.map { "reset by the \($0.rawValue)" } ?? "reset"
    case .closed(let peer):
      return "closed\(peer.map { " by the \($0.rawValue)" } ?? "") before the handshake was complete"
    case .clientLeft(let sawCertificate):
      return "the client ended the connection after the \(sawCertificate ? "server's certificate" : "ServerHello")"
    case .httpResponse: return "the server responded to the ClientHello with HTTP"
    case .proxyRefused: return "the proxy refused the CONNECT"
    case .unreachable: return "the server is unreachable (ICMP)"
    case .unknown: return "outcome not observed"
    }
  }

  /// Returns the failed endings of a host: `refused by the server (handshake_failure) in 2 of 3 sessions`; empty for none.
  package static func failedEndings(of host: HostReport) -> String {
    host.failedEndings.map { ending, sessions in
      sessions == host.sessions
        ? Wording.ending(ending) : "\(Wording.ending(ending)) in \(count(sessions, of: host.sessions, "session{s}"))"
    }.joined(separator: "; ")
  }

  /// Returns `score 97 A`, with the confidence if it is below 1; empty without a score.
  package static func score(_ judgement: Shared<Judgement>) -> String {
    guard let score = judgement.score else { return "" }
    let grade = judgement.grade.map { " \($0)" } ?? ""
    let isSure = judgement.confidencePercent >= 100
    return "score \(score)\(grade)" + (isSure ? "" : ", confidence \(confidence(judgement))")
  }

  /// Returns the confidence with two decimals, such as `0.50`, or `1.0`.
  package static func confidence(_ judgement: Shared<Judgement>) -> String {
    let percent = judgement.confidencePercent
    return percent >= 100 ? "1.0" : "0.\(percent < 10 ? "0" : "")\(percent)"
  }

  /// Returns the error as one value for CSV and ECS: `NSURLErrorDomain -1200 (-9802)`.
  package static func error(_ error: PredictedError) -> String { "\(error.domain) \(code(error))" }

  private static func code(_ error: PredictedError) -> String {
    "\(error.code)" + (error.underlyingCode.map { " (\($0))" } ?? "")
  }

  /// Returns the codes, with those that some systems report instead: `-1200 (-9802), or -1202 on some systems`.
  package static func possibleErrors(_ error: PredictedError) -> String {
    code(error) + error.alternativeCodes.map { ", or \($0) on some systems" }.joined()
  }

  /// Returns the error with its domain: `NSURLErrorDomain -1200 (-9802), or -1202 on some systems`.
  static func deviceError(_ error: PredictedError) -> String {
    "\(error.domain) \(possibleErrors(error))" + (error.dependsOnOffer ? offerCaution : "")
  }

  /// Returns the error with domain and trust error: `NSURLErrorDomain -1200 (-9802), or -1202 on some systems; trust error -67818`.
  package static func wholeError(_ error: PredictedError) -> String {
    deviceError(error) + (error.trustCode.map { "; trust error \($0)" } ?? "")
  }

  /// Returns the keys that would allow a judged session, or the reason that no keys allow it.
  package static func exception(_ exception: NarrowestException, of judgement: Shared<Judgement>) -> String {
    self.exception(exception)
      + caution(about: exception, isLimitedByOffer: judgement.isLimitedByOffer, isCleartext: judgement.failures.first?.rule == .https)
  }

  /// Returns when keys should be added at all; empty for no keys, and if nothing is to be said.
  private static func caution(about exception: NarrowestException, isLimitedByOffer: Bool, isCleartext: Bool) -> String {
    if exception.settings.isEmpty { return "" }
    return isCleartext ? cleartextCaution : isLimitedByOffer ? offerCaution : ""
  }

  /// The caution for what follows from an offer that is smaller than a device's.
  package static let offerCaution = " (only if a device fails too)"

  /// The caution for a session without TLS.
  package static let cleartextCaution = " (last resort)"

  /// Returns the keys that would allow a session, or that no keys allow it. Records also have the observation and the fix.
  package static func exception(_ exception: NarrowestException) -> String {
    switch exception {
    case .entry(let host, _): "NSExceptionDomains, \(DisplayText.escaped(host)): \(settings(of: exception))"
    case .global: settings(of: exception)
    case .impossible(let obstacle):
      if obstacle.rules.isEmpty || obstacle.rules == [.https] || !obstacle.mayHelp.isEmpty {
        settings(of: exception)
      } else {
        "none: \(obstacle.rules.map { titleInSentence($0.rawValue) }.joined(separator: ", ")) cannot be relaxed "
          + (obstacle.unlistable.map { "for a host that \($0)" } ?? "by Info.plist")
          + (obstacle.appMayAccept ? "; for a development server see \(appOverride)" : "")
      }
    }
  }

  /// The option that a reason names if app code could accept the certificate.
  private static let appOverride = "--assume app-overrides-trust"

  /// Returns the keys in short form: `NSExceptionMinimumTLSVersion = TLSv1.0 for legacy.example.com in Info.plist`.
  static func shortException(_ exception: NarrowestException) -> String {
    switch exception {
    case .entry(let host, _): "\(settings(of: exception)) for \(DisplayText.escaped(host)) in Info.plist"
    case .global: "\(settings(of: exception)) in Info.plist"
    case .impossible: settings(of: exception)
    }
  }

  /// Returns the exceptions for the failing sessions of a host; if there are several, each after the number of its sessions.
  package static func exceptions(of host: HostReport, _ words: (NarrowestException) -> String) -> [String] {
    let isLimited = host.worstGroups.allSatisfy(\.kept.isLimitedByOffer)
    let isCleartext = host.failingRules.contains(RuleID.https.rawValue)
    let texts = host.exceptions.grouped { exception, _ in
      words(exception) + caution(about: exception, isLimitedByOffer: isLimited, isCleartext: isCleartext)
    }
    guard texts.count > 1 else { return texts.map(\.key) }
    let counts = texts.map { $0.elements.reduce(0) { $0 + $1.sessions } }
    let all = counts.reduce(0, +)
    return zip(texts, counts).map { "\(count($1, of: all, "session{s}")): \($0.key)" }
  }

  /// Returns the keys without the host and the reason.
  static func settings(of exception: NarrowestException) -> String {
    switch exception {
    case .entry, .global:
      return exception.settings.map { "\($0.key) = \(DisplayText.escaped($0.value.text))" }.joined(separator: ", ")
    case .impossible(let obstacle):
      if let way = obstacle.broaderWay { return way }
      return obstacle.mayHelp.isEmpty
        ? "no Info.plist key is enough" : "no Info.plist key is known to be enough; 'atscope recommend' lists keys that may be"
    }
  }

  /// Returns the words for the assumed source of the loads.
  package static func loads(_ context: LoadContext) -> String { "requests by \(loader(context))" }

  /// Returns the words for what makes the loads of a context.
  static func loader(_ context: LoadContext) -> String {
    switch context {
    case .app: "app code"
    case .web: "web views"
    case .media: "AVFoundation"
    }
  }
}
