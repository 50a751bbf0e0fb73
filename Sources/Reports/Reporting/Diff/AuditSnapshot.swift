package import ATSEvaluation
import ByteParsing
import CertificateParsing
package import SessionModel
import SessionRecords
import TrustEvaluation
import TLSParsing
import Values

/// What an audit came to, host by host, for comparing it with another.
///
/// Hosts are identified by what stays the same from one recording to the next: name (or address, where there is none), port
/// and process.
package struct AuditSnapshot: Sendable {
  /// What a host is known by.
  struct Key: Hashable, Sendable {
    var host: String
    var port: UInt16
    var process: String?

    /// The host and port, made safe to show.
    var label: String {
      let shown = DisplayText.escaped(host)
      let isAddress = host.utf8.contains(0x3A) && !host.utf8.contains { $0 > 0x66 }
      let name = isAddress ? "[\(shown)]:\(port)" : "\(shown):\(port)"
      return process.map { "\(name) (\(DisplayText.escaped($0)))" } ?? name
    }
  }

  /// What a rule came to, the worst first.
  enum RuleState: String, Hashable, Sendable, CaseIterable {
    case fail
    case unknown
    case relaxed
    case advice
    case pass
  }

  /// The values of one fact over the sessions of a host; beyond a number of them, which no real host reaches, no more are
  /// distinguished.
  struct Values: Hashable, Sendable {
    private(set) var texts: Set<String> = []
    static let maximumCount = 256

    mutating func insert(_ text: String) {
      if texts.count < Values.maximumCount { texts.insert(text) }
    }

    var sorted: [String] { texts.sorted() }

    func contains(_ text: String) -> Bool { texts.contains(text) }

    /// Those that are not among others.
    func without(_ others: Values) -> [String] { texts.subtracting(others.texts).sorted() }
  }

  /// The outcome of a handshake that succeeded.
  static let established = Wording.ending(.established)

  /// What a chain leads to.
  enum Trust: String {
    case system = "system root"
    case apple = "Apple root"
    case added = "added anchor"
    case none = "no trusted root"

    /// Whether a chain that leads there is one that everybody trusts.
    var isPublic: Bool { self == .system || self == .apple }

    init?(_ judgement: Shared<Judgement>) {
      if let trust = judgement.trust {
        switch trust.anchorClass {
        case .system: self = .system
        case .apple: self = .apple
        case .added: self = .added
        case .none: self = .none
        }
      } else if judgement.findings.contains(where: { $0.id == RuleCatalogue.trustRule && $0.outcome == .fail }
      ) {
        self = .none
      } else {
        return nil
      }
    }
  }

  /// The packets that show a finding.
  struct Sighting: Hashable, Sendable {
    var file: String
    var frames: FrameList
  }

  /// What is said of a rule.
  struct Note: Hashable, Sendable {
    /// What was observed and the fix; empty for a rule that passes or is none of the required ones.
    var details: String
    var relaxedBy: KeyReference?
    /// Where it was first observed, as an index into the sightings of the host.
    var sighting: Int
  }

  /// What the sessions with one host came to.
  struct Entry: Sendable {
    var verdicts = VerdictCounts()
    /// Shared between hosts of which the same was found, as are all tables of an entry.
    var rules: [String: RuleState] = [:]
    /// Empty for a baseline.
    var notes: [String: Note] = [:]
    /// Where the findings were first observed, each location once.
    var sightings: [Sighting] = []
    var versions = Values()
    var cipherSuites = Values()
    var groups = Values()
    var chains = Values()
    var pins = Values()
    var issuers = Values()
    var trust = Values()
    /// The outcomes of the handshakes, where the capture shows them.
    var outcomes = Values()

    var isEstablished: Bool { outcomes.contains(AuditSnapshot.established) }
    var verdict: Verdict { verdicts.worst }

    /// The verdict in a word, with what a pass rests on.
    var word: String {
      verdicts.isWorstRelaxed ? "pass (relaxed)" : verdict.rawValue
    }
  }

  private(set) var entries: [Key: Entry] = [:]

  /// The hosts in the order in which they were met.
  private(set) var order: [Key] = []

  /// Sessions of hosts beyond `HostCollector.maximumHosts`, which are compared with nothing.
  package private(set) var unlisted = 0

  /// Whether the locations and reasons of failing rules are kept: for a baseline only the states count.
  private let keepsNotes: Bool

  /// Judgements already examined with a host, held so that no other takes their identity.
  private var recent = RecentTable<[RecentKey: Shared<Judgement>]>(maximumCount: maximumRecent / 2)

  private var shared = SharedTables()

  /// How many judgements are kept so that each is examined once.
  private static let maximumRecent = 1024

  package init(keepsNotes: Bool = true) { self.keepsNotes = keepsNotes }

  package mutating func add(_ session: ObservedSession, _ judgement: Shared<Judgement>) {
    let address = session.hostAddress.description
    let name = session.serverNameSource == .address ? address : session.serverName?.lowercased() ?? address
    let key = Key(host: name, port: session.hostPort, process: session.process?.name)
    if entries[key] == nil {
      guard order.count < HostCollector.maximumHosts else {
        unlisted += 1
        return
      }
      order.append(key)
      entries[key] = Entry()
    }
    let recentKey = RecentKey(host: key, judgement: judgement.identity)
    let isKnown = recent[recentKey] != nil
    if !isKnown { recent.insert(judgement, for: recentKey) }
    entries[key]?.add(session, judgement, isKnown: isKnown, keepsNotes: keepsNotes)
    if !isKnown { entries[key]?.share(&shared) }
  }

  /// Forgets what only further sessions would need.
  package mutating func finish() {
    recent = RecentTable(maximumCount: 1)
    shared = SharedTables()
  }

  /// Adds a host with what its sessions came to.
  mutating func insert(_ key: Key, _ entry: Entry) {
    if entries[key] != nil { return }
    guard order.count < HostCollector.maximumHosts else {
      unlisted += entry.verdicts.total
      return
    }
    order.append(key)
    entries[key] = entry
  }

  /// The same without processes, for comparing with a recording that names none.
  var withoutProcesses: AuditSnapshot {
    guard namesProcesses else { return self }
    var result = AuditSnapshot()
    result.unlisted = unlisted
    for key in order {
      guard let entry = entries[key] else { continue }
      let merged = Key(host: key.host, port: key.port, process: nil)
      if result.entries[merged] == nil {
        result.order.append(merged)
        result.entries[merged] = entry
      } else {
        result.entries[merged]?.merge(entry)
      }
    }
    return result
  }

  package var sessions: Int { order.reduce(unlisted) { $0 + (entries[$1]?.verdicts.total ?? 0) } }

  /// Whether any session's process is known.
  var namesProcesses: Bool { order.contains { $0.process != nil } }
}

extension AuditSnapshot {
  /// A host and a judgement by its identity.
  private struct RecentKey: Hashable, Sendable {
    var host: Key
    var judgement: ObjectIdentifier
  }

  /// Tables by what they hold, so that equal ones are kept once.
  fileprivate struct SharedTables: Sendable {
    /// Tables of one kind. Full, it is emptied.
    struct Kind<Table: Hashable & Sendable>: Sendable {
      private var tables: Set<Table> = []

      mutating func shared(_ table: Table) -> Table {
        if tables.count >= 4096 { tables.removeAll(keepingCapacity: true) }
        return tables.insert(table).memberAfterInsert
      }
    }

    var rules = Kind<[String: RuleState]>()
    var notes = Kind<[String: Note]>()
    var values = Kind<Values>()
  }

  /// Why a rule fails, is relaxed or cannot be decided, and the fix.
  fileprivate static func details(of finding: Finding) -> String {
    var details = [
      finding.outcome == .unknown
        ? Wording.reason(finding.missing) : DisplayText.escaped(Wording.comparison(finding))
    ]
    if let relaxing = finding.relaxedBy, finding.outcome == .relaxed {
      details.append("allowed by \(Wording.key(relaxing))")
    }
    if let fix = finding.fix { details.append("fix: \(DisplayText.escaped(fix))") }
    return details.joined(separator: "; ")
  }

  /// A chain by its names: `CN=www.example.com until 2027-01-31 < CN=Example CA < CN=Example Root`; nil for none.
  fileprivate static func words(for chain: CertificateChain) -> String? {
    guard let leaf = chain.certificates.first?.certificate else { return nil }
    let until = leaf.notAfter.map { " until \($0.date)" } ?? ""
    var issuers = chain.certificates.dropFirst().map(\.certificate.subject)
    // Above what the chain holds, the issuer that it does not show.
    if let last = chain.certificates.last?.certificate, last.issuer != last.subject {
      issuers.append(last.issuer)
    }
    return "\(leaf.subject)\(until)" + issuers.map { " < \($0)" }.joined()
  }
}

extension AuditSnapshot.Entry {
  fileprivate mutating func add(
    _ session: ObservedSession, _ judgement: Shared<Judgement>, isKnown: Bool, keepsNotes: Bool
  ) {
    verdicts.add(judgement.verdict, isRelaxed: judgement.isRelaxed)
    if let serverHello = session.tls?.serverHello {
      if let version = serverHello.version { versions.insert(Wording.version(version)) }
      if let suite = serverHello.cipherSuite {
        cipherSuites.insert(suite.name ?? hexadecimalCode(suite.rawValue))
      }
    } else if session.tls == nil {
      versions.insert("cleartext HTTP")
    }
    if let group = session.tls?.group { groups.insert(Wording.group(group)) }
    if let chain = session.tls?.chain {
      if let words = AuditSnapshot.words(for: chain) { chains.insert(words) }
      if let leaf = chain.certificates.first { issuers.insert(leaf.certificate.issuer) }
      for certificate in chain.certificates {
        if let pin = certificate.spkiSHA256.flatMap(PinProposal.base64) { pins.insert(pin) }
      }
      if let trust = AuditSnapshot.Trust(judgement) { self.trust.insert(trust.rawValue) }
    }
    if let ending = session.ending, ending != .unknown { outcomes.insert(Wording.ending(ending)) }
    if isKnown { return }
    for finding in judgement.findings {
      guard let state = AuditSnapshot.RuleState(finding) else { continue }
      if let known = rules[finding.id], known.rank <= state.rank { continue }
      rules[finding.id] = state
      notes[finding.id] = nil
      guard keepsNotes else { continue }
      let sighting = AuditSnapshot.Sighting(
        file: session.file,
        frames: Wording.frameList(finding.parts, of: session.evidence, orElse: session.firstFrame))
      notes[finding.id] = AuditSnapshot.Note(
        details: state == .pass || state == .advice ? "" : AuditSnapshot.details(of: finding),
        relaxedBy: finding.outcome == .relaxed ? finding.relaxedBy : nil, sighting: index(of: sighting))
    }
  }

  /// The index of a location, of which a host has few.
  private mutating func index(of sighting: AuditSnapshot.Sighting) -> Int {
    if let known = sightings.firstIndex(of: sighting) { return known }
    sightings.append(sighting)
    return sightings.count - 1
  }

  /// Shares tables that are equal to those of another host.
  fileprivate mutating func share(_ tables: inout AuditSnapshot.SharedTables) {
    rules = tables.rules.shared(rules)
    notes = tables.notes.shared(notes)
    versions = tables.values.shared(versions)
    cipherSuites = tables.values.shared(cipherSuites)
    groups = tables.values.shared(groups)
    chains = tables.values.shared(chains)
    pins = tables.values.shared(pins)
    issuers = tables.values.shared(issuers)
    trust = tables.values.shared(trust)
    outcomes = tables.values.shared(outcomes)
  }

  fileprivate mutating func merge(_ other: AuditSnapshot.Entry) {
    verdicts.add(other.verdicts)
    for (id, state) in other.rules {
      if let known = rules[id], known.rank <= state.rank { continue }
      rules[id] = state
      notes[id] = other.notes[id].map { note in
        var note = note
        note.sighting = index(of: other.sightings[note.sighting])
        return note
      }
    }
    for text in other.versions.sorted { versions.insert(text) }
    for text in other.cipherSuites.sorted { cipherSuites.insert(text) }
    for text in other.groups.sorted { groups.insert(text) }
    for text in other.chains.sorted { chains.insert(text) }
    for text in other.pins.sorted { pins.insert(text) }
    for text in other.issuers.sorted { issuers.insert(text) }
    for text in other.trust.sorted { trust.insert(text) }
    for text in other.outcomes.sorted { outcomes.insert(text) }
  }
}

extension AuditSnapshot.RuleState {
  /// The worse the lesser.
  var rank: Int { AuditSnapshot.RuleState.allCases.firstIndex(of: self) ?? 0 }

  /// The state of a finding; nil where it cannot change for the better or worse.
  init?(_ finding: Finding) {
    switch finding.outcome {
    case .fail: self = finding.required ? .fail : .advice
    case .unknown where finding.required: self = .unknown
    case .relaxed: self = .relaxed
    case .pass: self = .pass
    case .unknown, .notApplicable: return nil
    }
  }
}
