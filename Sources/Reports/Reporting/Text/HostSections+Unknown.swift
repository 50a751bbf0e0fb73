import ATSEvaluation
package import ATSEvidence
package import ATSRules
import SessionModel
import SessionRecords
import TLSParsing
import Values

// The hosts whose verdict is unknown, and the inputs that settle it.
extension HostSections {
  /// The missing evidence that some hosts have in common, and the inputs that settle it.
  struct Gap {
    /// What findings of the same gap have in common.
    struct Kind: Hashable {
      let ways: [DecidingInput]
      let dependsOnHost: Bool
      /// The ending that left the ClientHello without a response; nil if that is not the reason.
      let ending: SessionEnding?
      let mayHaveHiddenHost: Bool

      init(_ finding: Finding, of group: SessionGroup, _ steps: NextSteps) {
        ending = group.isUnanswered ? group.ending : nil
        ways = HostSections.ways(of: finding, in: group, steps)
        dependsOnHost = ending == nil && finding.dependsOnHost
        mayHaveHiddenHost = group.mayHaveHiddenHost
      }
    }

    let ways: [DecidingInput]
    var rules: [(missing: UnseenReason?, ids: [String])] = []
    /// The distinct observations of each rule that depends on the host.
    var observed: [String: Set<String>] = [:]
    var hosts: [(host: HostReport, sessions: Int)] = []
    /// The remarks that all its sessions have.
    var notes: [String]
    /// The ending that left its sessions without a response; nil if that is not the reason.
    var ending: SessionEnding?
    /// Whether Encrypted ClientHello may hide another host in its sessions.
    var mayHaveHiddenHost = false
    /// The versions that the server refused.
    var refusedVersions: Set<String> = []
    /// The errors that an app would receive.
    var errors: Set<String> = []
    /// Whether no other rule is undecided in its sessions.
    var isRestMet = true
    /// Whether a label says that the rules are undecided.
    var isLabeled = false
    /// Whether all its sessions are cleartext HTTP.
    var isCleartext = true
    /// Whether all its sessions negotiated TLS 1.3.
    var isTLS13 = true

    private static let handshakeRules = Set([RuleID.tlsVersion, .cipherSuite, .forwardSecrecy, .niap].map(\.rawValue))

    /// The reasons in a line: `TLS 1.3 hides the certificate; everything visible meets ATS`.
    var reasons: String {
      if let ending { return Wording.ending(ending) }
      var parts = rules.map { reason($0.missing, $0.ids) }
      if isRestMet, rules.allSatisfy({ Gap.handshakeRules.isDisjoint(with: $0.ids) }) {
        let isHidden = rules.contains { $0.missing != nil }
        if !(isHidden && isCleartext) { parts.append("everything \(isHidden ? "visible" : "else") meets ATS") }
      }
      return parts.joined(separator: "; ")
    }

    func reason(_ missing: UnseenReason?, _ ids: [String]) -> String {
      guard let missing else {
        return ids.map(titleWithObservation).joined(separator: ", ") + (isLabeled ? "" : " undecided")
      }
      if ids.contains(RuleID.https.rawValue) {
        return isCleartext ? "cleartext HTTP; the host is \(missing.text)" : "the start of the connection: \(missing.text)"
      }
      if ids == [RuleID.certificateHost.rawValue] {
        switch missing {
        case .missing: return "the capture does not show the host name"
        case .notSent: return "the client sent no host name"
        default: return "the capture does not show the host name (\(missing.text))"
        }
      }
      let isHandshake = Gap.handshakeRules.isSuperset(of: ids)
      let message = isHandshake ? "ServerHello" : Gap.handshakeRules.isDisjoint(with: ids) ? "certificate" : "ServerHello or certificate"
      return switch missing {
      case .encrypted where mayHaveHiddenHost:
        "TLS 1.3 hides the \(message), and Encrypted ClientHello may hide another host name (GREASE looks the same)"
      case .encrypted: isTLS13 ? "TLS 1.3 hides the \(message)" : "the \(message) is encrypted"
      case .missing: "no \(message) in the capture"
      case .partial: "the \(message) is incomplete in the capture"
      case .resumed: "a resumed session sends no certificate"
      case .notSent: "the server sent no \(message)"
      case .contested: "retransmissions of the \(message) contradict each other"
      }
    }

    /// Returns the title of a rule, and what it observed if that is the same in all sessions: `TLS version (TLS 1.0)`.
    private func titleWithObservation(_ id: String) -> String {
      let texts = observed[id] ?? []
      guard texts.count == 1, let text = texts.first else { return Wording.title(id) }
      return "\(Wording.title(id)) (\(DisplayText.escaped(text)))"
    }

    /// Adds the undecided rules of the sessions with the host's worst verdict, without those in `known`.
    mutating func add(_ host: HostReport, without known: Set<String> = []) {
      for group in host.worstGroups {
        let open = group.kept.findings.filter { $0.isUndecided && !known.contains($0.id) }
        if !open.isEmpty { add(open, of: host, group) }
      }
    }

    mutating func add(_ findings: [Finding], of host: HostReport, _ group: SessionGroup) {
      if group.version != .tls13 { isTLS13 = false }
      if group.application != .http { isCleartext = false }
      if let versions = group.refusedVersions { refusedVersions.insert(versions) }
      if let error = group.kept.predictedError { errors.insert(Wording.deviceError(error)) }
      if let last = hosts.indices.last, hosts[last].host.label == host.label, hosts[last].host.process == host.process {
        hosts[last].sessions += group.sessions
      } else {
        hosts.append((host, group.sessions))
      }
      for finding in findings {
        if finding.dependsOnHost, let text = finding.observed { observed[finding.id, default: []].insert(text) }
        if let index = rules.firstIndex(where: { $0.missing == finding.missing }) {
          if !rules[index].ids.contains(finding.id) { rules[index].ids.append(finding.id) }
        } else {
          rules.append((finding.missing, [finding.id]))
        }
      }
    }
  }

  mutating func writeUnknown(_ hosts: [HostReport], to writer: inout TextWriter) {
    var before: (names: [String], hosts: [String?]) = ([], [])
    var waysBefore: [DecidingInput] = []
    let sorted = gaps(of: hosts).sorted { $0.hosts.count > $1.hosts.count }
    // These reasons are not repeated as remarks.
    for gap in sorted where gap.ending != nil { remarked.formUnion(gap.hosts.map { HostSections.key(gap.reasons, $0.host) }) }
    for gap in sorted {
      let names = HostSections.counted(gap.hosts)
      let indent = HostSections.textColumn
      let hosts = gap.hosts.flatMap { [$0.host.label, $0.host.process] }
      // A single host is not repeated, even for other sessions of it.
      let isSame = names == before.names || names.count == 1 && hosts == before.hosts
      if isSame {
        let part = "in \(Wording.count(gap.hosts[0].sessions, of: gap.hosts[0].host.sessions, "session{s}"))"
        writer.tab(to: indent)
        writer.write(names == before.names ? "Also" : "Also \(part)")
      } else {
        writer.endLine()
        HostSections.writeVerdict(.unknown, to: &writer)
        writer.tab(to: indent)
        writer.write(names.count == 1 ? names[0] : Wording.count(names.count, "host{s}"), .bold)
      }
      before = (names, hosts)
      writer.write(":")
      let offer = gap.refusedVersions.count == 1 ? gap.refusedVersions.first.map { "; the client offered \($0)" } : nil
      writer.writeLine(gap.reasons + frames(of: gap) + (offer ?? ""), from: writer.column + 1, indent: indent)
      if names.count > 1, !isSame { HostSections.writeList(names, indent: indent, to: &writer) }
      for remark in gap.hosts.count == 1 ? gap.hosts[0].host.remarks : [] where remark.label == "Handshake" {
        if remarked.insert(HostSections.key(remark.text, gap.hosts[0].host)).inserted {
          writer.writeLine("Handshake: \(remark.phrase)", from: indent, indent: indent)
        }
      }
      for note in gap.notes where given.insert(note).inserted {
        writer.writeLine(DisplayText.escaped(note), from: indent, indent: indent)
      }
      if gap.ending != nil, gap.errors.count == 1, let error = gap.errors.first {
        writer.writeLine("Device error: \(error)", from: indent, indent: indent)
      }
      writeWays(gap, after: isSame ? waysBefore : [], to: &writer)
      waysBefore = gap.ways
    }
  }

  /// Writes the inputs that settle a gap: first the chains in other sessions, then, once in a report, the commands that collect the others.
  /// `before` are the inputs that settle another gap of the same hosts.
  private mutating func writeWays(_ gap: Gap, after before: [DecidingInput], to writer: inout TextWriter) {
    let indent = HostSections.textColumn
    let shown = takesCapturedChains ? [] : gap.hosts.map(\.host).filter { $0.groups.contains(where: \.showsChain) }
    var ways = gap.ways
    // The secrets in a pcapng are read like those in a key log.
    if ways.contains(.keyLog) { ways.removeAll { $0 == .captureSecrets } }
    let takesChain = ways.contains(HostSections.anyChain)
    ways.removeAll { $0 == HostSections.anyChain }
    let isAlsoSettled = !ways.isEmpty && takesChain && ways.allSatisfy(before.contains)
    var texts = isAlsoSettled ? ["the same"] : ways.map(Wording.way)
    if takesChain {
      let chains = hasCollectingCommands ? "add --chain chains" : "fetch the certificates with these commands (openssl, network)"
      texts.insert(isAlsoSettled ? "for the certificate alone, \(chains)" : chains, at: isAlsoSettled ? 1 : 0)
      if !shown.isEmpty {
        let hosts = gap.hosts.count == 1 ? "" : shown.count == 1 ? " for \(HostSections.name(of: shown[0]))" : " for \(shown.count) hosts"
        texts.insert("add --chain captured\(hosts) (another session shows the chain)", at: 0)
      }
    }
    guard !texts.isEmpty else { return }
    writer.writeLine("To settle: \(texts.joined(separator: ", or "))", from: indent, indent: indent + 2, style: .green)
    if takesChain, !hasCollectingCommands { writeCollectingCommands(indent: indent + 2, to: &writer) }
  }

  /// Writes the commands that collect hidden chains, unless no host requires them or they are written already.
  mutating func writeCollectingCommands(for hosts: [HostReport], to writer: inout TextWriter) {
    let gaps = gaps(of: hosts.filter { $0.verdict == .unknown })
    guard !hasCollectingCommands, gaps.contains(where: { $0.ways.contains(HostSections.anyChain) }) else { return }
    writer.endLine()
    writer.writeLine("To fetch the hidden certificates (openssl, network):", indent: HostSections.indent, style: .green)
    writeCollectingCommands(indent: HostSections.indent + 2, to: &writer)
  }

  private mutating func writeCollectingCommands(indent: Int, to writer: inout TextWriter) {
    hasCollectingCommands = true
    for command in ShellText.collectingCommands(inputs, options: options) { writer.writeCommand(command, indent: indent) }
  }

  /// A supplied chain, without a particular host.
  package static let anyChain = DecidingInput.chain(server: "HOST")

  /// Returns `, frame 2` if the ending of a single session is the reason; empty for others.
  private func frames(of gap: Gap) -> String {
    guard gap.ending != nil, gap.hosts.count == 1, gap.hosts[0].sessions == 1,
      let group = gap.hosts[0].host.groups.first(where: { $0.ending == gap.ending })
    else { return "" }
    let frames = Wording.frames([.outcome], of: group.evidence, in: group.parts)
    return frames.isEmpty ? "" : ", \(frames)"
  }

  private mutating func gaps(of hosts: [HostReport]) -> [Gap] {
    var gaps: [Gap] = []
    var indices: [Gap.Kind: Int] = [:]
    for host in hosts {
      for group in host.groups where group.kept.verdict == .unknown {
        let open = group.kept.findings.filter(\.isUndecided)
        var met: Set<Gap.Kind> = []
        for finding in open where met.insert(Gap.Kind(finding, of: group, steps)).inserted {
          let kind = Gap.Kind(finding, of: group, steps)
          let alike = open.filter { Gap.Kind($0, of: group, steps) == kind }
          // If no reason is recorded, the remarks contain it.
          let notes = alike.filter { $0.missing == nil }.flatMap(\.notes)
          hiddenRemarks += alike.reduce(0) { $0 + $1.notes.count } - notes.count
          let index = indices[kind] ?? gaps.count
          if index == gaps.count {
            indices[kind] = index
            gaps.append(Gap(ways: kind.ways, notes: notes, ending: kind.ending, mayHaveHiddenHost: kind.mayHaveHiddenHost))
          }
          hiddenRemarks +=
            gaps[index].notes.count { !notes.contains($0) } + notes.count { !gaps[index].notes.contains($0) }
          gaps[index].notes.removeAll { !notes.contains($0) }
          if alike.count < open.count { gaps[index].isRestMet = false }
          gaps[index].add(alike, of: host, group)
        }
      }
    }
    return gaps
  }

  /// Returns the inputs that settle a finding, without the names of hosts. For old captures, a new recording replaces the chain that the
  /// server sends now, which does not show what it sent years ago.
  package static func ways(of finding: Finding, in group: SessionGroup, _ steps: NextSteps) -> [DecidingInput] {
    if let recording = group.newRecording { return [.evidence(recording)] }
    return steps.possible(finding.settledBy).map { if case .chain = $0 { anyChain } else { $0 } }
  }
}

extension Wording {
  /// Returns inputs that settle a finding, chains first: they can be collected for every app.
  package static func ways(_ ways: [DecidingInput]) -> String {
    let chains = ways.filter { if case .chain = $0 { true } else { false } }
    return (chains + ways.filter { !chains.contains($0) }).map(way).joined(separator: ", or ")
  }

  /// Returns the same for a report that lists the commands that fetch certificates.
  package static func instruction(_ ways: [DecidingInput]) -> String {
    self.ways(ways).replacing(way(HostSections.anyChain), with: "fetch the certificates with the commands below (openssl, network)")
  }

  /// Returns an input that settles a finding, as an instruction. URLSession writes no key log.
  static func way(_ input: DecidingInput) -> String {
    let text = DisplayText.escaped(input.text)
    return switch input {
    case .evidence: text
    case .keyLog: "add \(text) if the app wrote a key log"
    case .captureSecrets: "use \(text)"
    default: "add \(text)"
    }
  }
}
