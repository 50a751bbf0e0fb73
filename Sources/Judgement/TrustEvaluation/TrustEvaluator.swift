package import AppleTrust
import CertificateParsing
package import SessionModel

/// Finds the paths of chains to trusted anchors, each distinct chain once.
///
/// Signatures and what certificates allow are looked at here; dates, host and the demands of a release are for the
/// rules, which know them. Intermediates that earlier chains of a capture showed may complete a later one: chains are to be
/// handed over in the order of the captures. Those of earlier captures are tried only where a chain leads to no anchor without
/// them, and the path names the capture: what else was read changes nothing that does not show. An evaluator is used from one
/// thread.
package final class TrustEvaluator {
  package let store: TrustStore

  private let maximumLength: Int
  private var table = CertificateTable()
  private var anchors: [AppleRootStore: AnchorTable] = [:]
  private var earlier = EarlierIntermediates()
  /// The intermediates that were given for all chains, by their subjects; nil until a chain needs them.
  private var given: [NormalizedName: [CertificateNode]]?
  private var chains: [EntryKey: Entry] = [:]

  /// Chains of which the result is held at most.
  static let maximumChains = 8192

  private struct EntryKey: Hashable {
    let chain: ObjectIdentifier
    let appleStore: AppleRootStore
    let capture: UInt32
  }

  private struct Entry {
    /// Held so that no other chain takes its identity.
    let chain: CertificateChain
    let trust: ChainTrust
    let soughtNames: [NormalizedName]
    /// How much was known of other chains at the time.
    var generation: Int
  }

  package convenience init(_ store: TrustStore) { self.init(store, maximumPathLength: nil) }

  /// Creates an evaluator that follows paths of so many certificates at most.
  package init(_ store: TrustStore, maximumPathLength: Int?) {
    self.store = store
    maximumLength = maximumPathLength ?? SearchBudget.maximumLength
  }

  /// The paths of a chain, with what is known from the chains before it. `appleStore` applies where the system's roots are Apple's.
  ///
  /// `capture` is the number of the capture whose session rests on the chain, and `name` its name for those that come after it. What
  /// does not come from there (`isShown` is false) is of no use to its other chains.
  package func evaluate(
    _ chain: CertificateChain, under appleStore: AppleRootStore = .newest, in capture: UInt32 = 0,
    named name: String = "", isShown: Bool = true
  ) -> ChainTrust {
    let appleStore = store.systemRoots == .apple ? appleStore : .newest
    let key = EntryKey(chain: ObjectIdentifier(chain), appleStore: appleStore, capture: capture)
    if let known = chains[key] {
      // Of a capture that is over nothing more is learned.
      if known.generation == earlier.generation || capture < earlier.capture { return known.trust }
      if !known.soughtNames.contains(where: { earlier.generation(of: $0) > known.generation }) {
        chains[key]?.generation = earlier.generation
        return known.trust
      }
    } else if chains.count >= TrustEvaluator.maximumChains {
      chains.removeAll(keepingCapacity: true)
    }
    if table.isFull {
      table.empty(keeping: nodesOfAnchors + earlier.all + (given?.values.flatMap(\.self) ?? []))
    }
    earlier.begin(capture)
    let nodes = chain.certificates.prefix(SearchBudget.maximumSent).map { table.node($0) }
    let (trust, soughtNames) = search(nodes, appleStore, in: capture)
    // What this chain shows can complete others, and changes nothing for itself.
    if isShown, store.takesShownIntermediates {
      for node in nodes.dropFirst() { earlier.add(node, of: capture, named: name) }
    }
    chains[key] = Entry(
      chain: chain, trust: trust, soughtNames: soughtNames, generation: earlier.generation)
    return trust
  }

  /// The anchors that chains have requested, in the order of their stores.
  private var nodesOfAnchors: [CertificateNode] {
    anchors.sorted { $0.key.version < $1.key.version }.flatMap(\.value.nodes)
  }

  /// The certificates of CAs among those that were given for all chains.
  private func givenNodes() -> [NormalizedName: [CertificateNode]] {
    if let given { return given }
    var nodes: [NormalizedName: [CertificateNode]] = [:]
    for der in store.intermediates.prefix(TrustStore.maximumCount) {
      let node = table.node(table.observe(der))
      guard node.certificate.isCA, !node.isSelfIssued else { continue }
      nodes[node.subject, default: []].append(node)
    }
    given = nodes
    return nodes
  }

  private func search(
    _ sent: [CertificateNode], _ appleStore: AppleRootStore, in capture: UInt32
  ) -> (ChainTrust, [NormalizedName]) {
    let anchors = self.anchors[appleStore] ?? AnchorTable(store, appleStore)
    self.anchors[appleStore] = anchors
    let known = earlier
    let given = givenNodes()
    func own(_ name: NormalizedName) -> [(CertificateNode, TrustPath.Origin)] {
      (given[name] ?? []).map { ($0, .given) }
        + known.certificates(named: name, in: capture).map { ($0, .earlier) }
    }
    var search = PathSearch(sent, anchors: anchors, maximumLength: maximumLength, earlier: own)
    search.run(&table)
    if search.paths.isEmpty, search.soughtNames.contains(where: { known.hasElsewhere($0, before: capture) }) {
      var wider = PathSearch(sent, anchors: anchors, maximumLength: maximumLength) { name in
        own(name) + known.certificatesElsewhere(named: name, before: capture)
      }
      wider.run(&table)
      if !wider.paths.isEmpty { search = wider }
    }
    let trust = ChainTrust(
      paths: search.paths, failures: search.failures, spentBudget: search.budget.spent, store: store,
      appleStore: store.systemRoots == .apple ? appleStore : nil)
    return (trust, search.soughtNames)
  }
}

/// The intermediates that chains have shown, capture by capture.
struct EarlierIntermediates {
  /// Certificates of one capture that are held at most; the web's CAs have some two thousand. Of the captures before it, as many.
  static let maximumCount = 4096

  /// Certificates with one subject that are held at most of one capture, and tried at most of all others.
  static let maximumNamesakes = 8

  private struct Shown {
    let node: CertificateNode
    let capture: UInt32
    let captureName: String
  }

  private struct Namesakes {
    /// In the order in which they were shown.
    var shown: [Shown] = []
    /// When the last one was added.
    var generation = 0
  }

  private var bySubject: [NormalizedName: Namesakes] = [:]

  /// The capture that is read at present.
  private(set) var capture: UInt32 = 0

  /// Certificates of that capture.
  private var count = 0

  /// Certificates of all captures.
  private var countOfAll = 0

  /// How many were added, ever.
  private(set) var generation = 0

  var all: [CertificateNode] {
    var known = Set<UInt32>()
    return bySubject.values.flatMap(\.shown).map(\.node).filter { known.insert($0.number).inserted }
  }

  /// Makes ready for the chains of a capture, if it comes after the present one.
  mutating func begin(_ capture: UInt32) {
    guard capture > self.capture else { return }
    self.capture = capture
    count = 0
    if countOfAll > EarlierIntermediates.maximumCount { forgetOldest() }
  }

  /// Adds the certificate of a CA that is not a root, shown in the present capture.
  mutating func add(_ node: CertificateNode, of capture: UInt32, named name: String) {
    guard node.certificate.isCA, !node.isSelfIssued, capture == self.capture,
      count < EarlierIntermediates.maximumCount
    else { return }
    var namesakes = bySubject[node.subject] ?? Namesakes()
    let own = namesakes.shown.reversed().prefix { $0.capture == capture }
    guard own.count < EarlierIntermediates.maximumNamesakes,
      !own.contains(where: { $0.node.observed == node.observed })
    else { return }
    generation += 1
    count += 1
    countOfAll += 1
    namesakes.shown.append(Shown(node: node, capture: capture, captureName: name))
    namesakes.generation = generation
    bySubject[node.subject] = namesakes
  }

  /// Forgets what captures showed longest ago, all but `maximumCount` certificates.
  private mutating func forgetOldest() {
    let captures = bySubject.values.flatMap { $0.shown.map(\.capture) }.sorted(by: >)
    guard captures.count > EarlierIntermediates.maximumCount else { return }
    let last = captures[EarlierIntermediates.maximumCount]
    bySubject = bySubject.compactMapValues { namesakes in
      var namesakes = namesakes
      namesakes.shown.removeAll { $0.capture <= last }
      return namesakes.shown.isEmpty ? nil : namesakes
    }
    countOfAll = bySubject.values.reduce(0) { $0 + $1.shown.count }
  }

  /// The certificates with this subject that a capture showed, in the order in which they were seen.
  func certificates(named subject: NormalizedName, in capture: UInt32) -> [CertificateNode] {
    (bySubject[subject]?.shown ?? []).filter { $0.capture == capture }.map(\.node)
  }

  func hasElsewhere(_ subject: NormalizedName, before capture: UInt32) -> Bool {
    bySubject[subject]?.shown.contains { $0.capture < capture } ?? false
  }

  /// The certificates with this subject that captures before this one showed, each with the first that did.
  func certificatesElsewhere(
    named subject: NormalizedName, before capture: UInt32
  ) -> [(node: CertificateNode, origin: TrustPath.Origin)] {
    var found: [(node: CertificateNode, origin: TrustPath.Origin)] = []
    var known = Set<UInt32>()
    for shown in bySubject[subject]?.shown ?? [] where shown.capture < capture {
      if found.count == EarlierIntermediates.maximumNamesakes { break }
      if known.insert(shown.node.number).inserted {
        found.append((shown.node, .otherCapture(shown.captureName)))
      }
    }
    return found
  }

  /// When the last certificate with this subject was added; 0 for never.
  func generation(of subject: NormalizedName) -> Int {
    bySubject[subject]?.generation ?? 0
  }
}
