package import ATSEvaluation
import ATSRules
import ByteParsing
import CertificateParsing
import Reporting
package import SessionModel
package import SessionRecords
import TrustEvaluation
import TLSParsing
import Values

/// The results of an audit by host, for comparison with another audit.
///
/// A host is identified by properties that do not change between recordings: name (or address, if there is no name), port
/// and process.
package struct AuditSnapshot: Sendable {
  /// The identity of a host: its name or address, its port, and its process if that is known.
  struct Key: Hashable, Sendable {
    var host: String
    var port: UInt16
    var process: String?

    /// The host, port and process, escaped for display.
    var label: String {
      let shown = DisplayText.escaped(host)
      let isAddress = host.utf8.contains(0x3A) && !host.utf8.contains { $0 > 0x66 }
      let name = isAddress ? "[\(shown)]:\(port)" : "\(shown):\(port)"
      return process.map { "\(name) (\(DisplayText.escaped($0)))" } ?? name
    }
  }

  /// The outcome of a rule over the sessions of a host, the worst first.
  enum RuleState: String, Hashable, Sendable, CaseIterable {
    case fail
    /// ATS is off, but the system rejects the load for this rule.
    case refused
    case unknown
    case relaxed
    case advice
    case pass
  }

  /// The facts about a host that are compared as sets of values, in the order of a baseline; the raw values are the names in it.
  enum Fact: String, CaseIterable {
    case versions
    case cipherSuites
    case groups
    case chains
    case pins
    case issuers
    case trust
    /// The outcomes of the handshakes, as far as the capture shows them.
    case outcomes

    /// The subject of a change of the fact.
    var subject: AuditDiff.Subject {
      switch self {
      case .versions: .versions
      case .cipherSuites: .cipherSuites
      case .groups: .groups
      case .chains: .chains
      case .pins: .pins
      case .issuers: .issuers
      case .trust: .trust
      case .outcomes: .outcome
      }
    }
  }

  /// The values of one fact over the sessions of a host. Beyond a maximum that no real host reaches, further values are
  /// ignored.
  struct Values: Hashable, Sendable {
    private(set) var texts: Set<String> = []
    static let maximumCount = 256

    mutating func insert(_ text: String) {
      if texts.count < Values.maximumCount { texts.insert(text) }
    }

    mutating func formUnion(_ others: Values) {
      for text in others.sorted { insert(text) }
    }

    var sorted: [String] { texts.sorted() }

    var isEmpty: Bool { texts.isEmpty }

    func contains(_ text: String) -> Bool { texts.contains(text) }

    /// Returns the values that `others` does not contain, sorted.
    func without(_ others: Values) -> [String] { texts.subtracting(others.texts).sorted() }
  }

  /// The words for the outcome of a successful handshake.
  static let established = Wording.ending(.established)

  /// The kind of anchor to which a chain leads.
  enum Trust: String {
    case system = "system root"
    case apple = "Apple root"
    case added = "added anchor"
    case none = "no trusted root"

    /// Whether the anchor is public: devices trust it without configuration.
    var isPublic: Bool { self == .system || self == .apple }

    init?(_ judgement: Shared<Judgement>) {
      if let trust = judgement.trust {
        switch trust.anchorClass {
        case .system: self = .system
        case .apple: self = .apple
        case .added: self = .added
        case .none: self = .none
        }
      } else if judgement.findings.contains(where: { $0.rule == .certificateTrust && $0.outcome == .fail }
      ) {
        self = .none
      } else {
        return nil
      }
    }
  }

  /// The location of a finding: a capture and its frames.
  struct Sighting: Hashable, Sendable {
    var file: String
    var frames: FrameList
    /// The files of a rotated capture, in which the frames are numbered as in one.
    var parts: [CapturePart]
  }

  /// The explanation of a rule's state.
  struct Note: Hashable, Sendable {
    /// The observation and the fix; empty for a rule that passes or is not required.
    var details: String
    var relaxedBy: KeyReference?
    /// The location of the first observation, as an index into the sightings of the host.
    var sighting: Int
  }

  /// The results of the sessions with one host.
  struct Entry: Sendable {
    var verdicts = VerdictCounts()
    /// The states by rule. Hosts with equal tables share them, as for all tables of an entry.
    var rules: [String: RuleState] = [:]
    /// The explanations by rule; empty for a baseline.
    var notes: [String: Note] = [:]
    /// The locations of the first observations, without duplicates.
    var sightings: [Sighting] = []
    fileprivate var values: [Fact: Values] = [:]

    subscript(fact: Fact) -> Values {
      get { values[fact] ?? Values() }
      set { values[fact] = newValue }
    }

    var isEstablished: Bool { self[.outcomes].contains(AuditSnapshot.established) }
    var verdict: Verdict { verdicts.worst }
  }

  private(set) var entries: [Key: Entry] = [:]

  /// The hosts in the order of their first sessions.
  private(set) var order: [Key] = []

  /// The record of the run, if the snapshot is a saved baseline.
  package var run: RunRecord?

  /// The number of sessions with hosts beyond the maximum, which are not compared.
  package private(set) var unlisted = 0

  /// Whether the locations and explanations of failing rules are kept; a baseline requires only the states.
  private let keepsNotes: Bool

  /// The maximum number of hosts that are compared.
  let maximumHosts: Int

  /// The judgements already examined with a host, retained so that their identities are not reused.
  private var recent = RecentTable<[RecentKey: Shared<Judgement>]>(entriesPerGeneration: maximumRecent / 2)

  private var shared = SharedTables()

  /// The maximum number of recent judgements, each of which is examined once.
  private static let maximumRecent = 1024

  package init(keepsNotes: Bool = true, maximumHosts: Int? = nil) {
    self.keepsNotes = keepsNotes
    self.maximumHosts = maximumHosts ?? HostCollector.maximumHosts
  }

  package mutating func add(_ session: ObservedSession, _ judgement: Shared<Judgement>) {
    let name = session.serverNameSource == .address ? session.hostAddress.description : session.host
    let key = Key(host: name, port: session.hostPort, process: session.process?.name)
    if entries[key] == nil {
      guard order.count < maximumHosts else {
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

  /// Releases the data that only further sessions would need.
  package mutating func finish() {
    recent = RecentTable(entriesPerGeneration: 1)
    shared = SharedTables()
  }

  /// Adds a host with its results.
  mutating func insert(_ key: Key, _ entry: Entry) {
    if entries[key] != nil { return }
    guard order.count < maximumHosts else {
      unlisted += entry.verdicts.total
      return
    }
    order.append(key)
    entries[key] = entry
  }

  /// Removes the hosts for which `isSelected` is false and that `other` does not contain either.
  package mutating func select(orIn other: AuditSnapshot, _ isSelected: (_ host: String, _ port: UInt16, _ process: String?) -> Bool) {
    order.removeAll { !isSelected($0.host, $0.port, $0.process) && other.entries[$0] == nil }
    let selected = Set(order)
    entries = entries.filter { selected.contains($0.key) }
  }

  /// The snapshot with the hosts of all processes merged, for comparison with a recording without processes.
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
  package var namesProcesses: Bool { order.contains { $0.process != nil } }
}

extension AuditSnapshot {
  /// The identity of a judgement with a host.
  private struct RecentKey: Hashable, Sendable {
    var host: Key
    var judgement: ObjectIdentifier
  }

  /// Tables by content, so that equal tables are stored once.
  fileprivate struct SharedTables: Sendable {
    /// The tables of one kind; emptied when it is full.
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

  /// Returns the reason that a rule fails, is relaxed or cannot be decided, and the fix.
  fileprivate static func details(of finding: Finding) -> String {
    var details = [finding.outcome == .unknown ? Wording.reason(of: finding) : DisplayText.escaped(Wording.comparison(finding))]
    if let relaxing = finding.decidingKey, finding.outcome == .relaxed {
      details.append("allowed by \(Wording.key(relaxing))")
    }
    if let fix = finding.fix { details.append("fix: \(DisplayText.escaped(fix.text))") }
    return details.joined(separator: "; ")
  }

  /// Returns a chain by its names: `CN=www.example.com until 2027-01-31 < CN=Example CA < CN=Example Root`; nil for an empty chain.
  fileprivate static func words(for chain: CertificateChain) -> String? {
    guard let leaf = chain.certificates.first?.certificate else { return nil }
    let until = leaf.notAfter.map { " until \($0.date)" } ?? ""
    var issuers = chain.certificates.dropFirst().map(\.certificate.subject)
    // The issuer of the last certificate, which the chain does not contain.
    if let last = chain.certificates.last?.certificate, last.issuer != last.subject {
      issuers.append(last.issuer)
    }
    return "\(leaf.subject)\(until)" + issuers.map { " < \($0)" }.joined()
  }
}

extension AuditSnapshot.Entry {
  fileprivate mutating func add(_ session: ObservedSession, _ judgement: Shared<Judgement>, isKnown: Bool, keepsNotes: Bool) {
    verdicts.add(judgement)
    if let serverHello = session.sharedTLS?.sharedServerHello {
      if let version = serverHello.version { self[.versions].insert(Wording.version(version)) }
      if let suite = serverHello.cipherSuite { self[.cipherSuites].insert(suite.text) }
    } else if session.sharedTLS == nil {
      self[.versions].insert("cleartext HTTP")
    }
    if let group = session.sharedTLS?.group { self[.groups].insert(group.text) }
    if let chain = session.sharedTLS?.chain {
      if let words = AuditSnapshot.words(for: chain) { self[.chains].insert(words) }
      if let leaf = chain.certificates.first { self[.issuers].insert(leaf.certificate.issuer) }
      for certificate in chain.certificates {
        if let pin = certificate.pin { self[.pins].insert(pin) }
      }
      if let trust = AuditSnapshot.Trust(judgement) { self[.trust].insert(trust.rawValue) }
    }
    if let ending = session.ending, ending != .unknown { self[.outcomes].insert(Wording.ending(ending)) }
    if isKnown { return }
    for finding in judgement.findings {
      guard let state = AuditSnapshot.RuleState(finding, isRefused: judgement.value.isRejected(for: finding)) else { continue }
      if let known = rules[finding.id], known.rank <= state.rank { continue }
      rules[finding.id] = state
      notes[finding.id] = nil
      guard keepsNotes else { continue }
      let sighting = AuditSnapshot.Sighting(
        file: session.file, frames: Wording.frameList(finding.parts, of: session.evidence, orElse: session.firstFrame),
        parts: session.parts)
      notes[finding.id] = AuditSnapshot.Note(
        details: state == .pass || state == .advice ? "" : AuditSnapshot.details(of: finding),
        relaxedBy: finding.outcome == .relaxed ? finding.decidingKey : nil, sighting: index(of: sighting))
    }
  }

  /// Returns the index of a location, adding it if necessary; a host has few.
  private mutating func index(of sighting: AuditSnapshot.Sighting) -> Int {
    if let known = sightings.firstIndex(of: sighting) { return known }
    sightings.append(sighting)
    return sightings.count - 1
  }

  /// Replaces the tables by equal tables of other hosts.
  fileprivate mutating func share(_ tables: inout AuditSnapshot.SharedTables) {
    rules = tables.rules.shared(rules)
    notes = tables.notes.shared(notes)
    values = values.mapValues { tables.values.shared($0) }
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
    for (fact, others) in other.values { self[fact].formUnion(others) }
  }
}

extension AuditSnapshot.RuleState {
  /// The position in the order of states; lower is worse.
  var rank: Int { AuditSnapshot.RuleState.allCases.firstIndex(of: self) ?? 0 }

  /// Creates the state of a finding; nil if a comparison ignores it.
  init?(_ finding: Finding, isRefused: Bool) {
    switch finding.outcome {
    case .fail: self = finding.isRequired ? .fail : isRefused ? .refused : .advice
    case .unknown where finding.isRequired: self = .unknown
    case .relaxed: self = .relaxed
    case .pass: self = .pass
    case .unknown, .notApplicable: return nil
    }
  }
}

extension VerdictCounts {
  /// The worst verdict as a word, with the addition of `relaxed` for a pass that requires an ATS key.
  var word: String { isWorstRelaxed ? "pass (relaxed)" : worst.rawValue }
}
