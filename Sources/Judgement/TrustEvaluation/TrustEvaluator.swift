package import AppleTrust
import ByteParsing
import CertificateParsing
package import SessionModel

/// Finds the paths of chains to trusted anchors, once for each distinct chain.
///
/// It checks signatures and the certificates' own constraints. Dates, the host and the requirements of a release are left to the rules.
///
/// Intermediates of earlier chains in a capture may complete a later one, so the caller must pass chains in the order of the captures.
/// Those of earlier captures are tried only if a chain reaches no anchor without them, and the path then names the capture, so that every
/// influence of other inputs is visible.
///
/// An evaluator must be used from one thread only.
package final class TrustEvaluator {
  package let store: TrustStore

  private let maximumLength: Int
  private var table = CertificateTable()
  private var anchors: [AppleRootStore: AnchorTable] = [:]
  private var earlier = EarlierIntermediates()
  /// The intermediates that the user supplied, by subject; nil until a chain needs them.
  private var supplied: [NormalizedName: [CertificateNode]]?
  private var chains = RecentTable<[EntryKey: Entry]>(entriesPerGeneration: maximumChains / 2)

  /// The maximum number of chains whose result is cached.
  static let maximumChains = 8192

  private struct EntryKey: Hashable {
    let chain: ObjectIdentifier
    let appleStore: AppleRootStore
    let followsNameLoops: Bool
    let capture: UInt32
    /// The generation of a result with fewer intermediates than are known; nil for the usual result.
    var generation: Int?
  }

  private struct Entry {
    /// Retained so that no other chain can take its identity.
    let chain: CertificateChain
    let trust: ChainTrust
    let soughtNames: [NormalizedName]
    /// The generation of the intermediates from other chains when the result was made.
    var generation: Int
  }

  /// Creates an evaluator that follows paths of at most `maximumPathLength` certificates; nil means the usual limit.
  package init(_ store: TrustStore, maximumPathLength: Int? = nil) {
    self.store = store
    maximumLength = maximumPathLength ?? SearchBudget.maximumLength
  }

  /// The number of intermediates that chains have shown so far.
  package var generation: Int { earlier.generation }

  /// Evaluates a chain with the intermediates of the chains before it. `appleStore` applies if the system's roots are Apple's.
  ///
  /// `followsNameLoops` is whether a path may continue after a certificate whose issuer has the name of one below it. `capture` is the
  /// number of the capture whose session rests on the chain, and `name` its name for later captures. If `isShown` is
  /// false, the chain does not come from that capture and does not complete its other chains.
  package func evaluate(
    _ chain: CertificateChain, under appleStore: AppleRootStore = .newest, followsNameLoops: Bool = false, in capture: UInt32 = 0,
    named name: String = "", isShown: Bool = true
  ) -> ChainTrust {
    let appleStore = store.systemRoots == .apple ? appleStore : .newest
    let key = EntryKey(chain: ObjectIdentifier(chain), appleStore: appleStore, followsNameLoops: followsNameLoops, capture: capture)
    if var known = chains[key] {
      // A capture that has ended yields no more certificates.
      if known.generation == earlier.generation || capture < earlier.capture { return known.trust }
      if !known.soughtNames.contains(where: { earlier.generation(of: $0) > known.generation }) {
        known.generation = earlier.generation
        chains.insert(known, for: key)
        return known.trust
      }
    }
    let nodes = nodes(of: chain)
    earlier.begin(capture)
    let (trust, soughtNames) = search(nodes, appleStore, followsNameLoops, in: capture)
    // The certificates of this chain can complete other chains, but change nothing for itself.
    if isShown, store.takesShownIntermediates {
      for node in nodes.dropFirst() { earlier.add(node, of: capture, named: name) }
    }
    chains.insert(Entry(chain: chain, trust: trust, soughtNames: soughtNames, generation: earlier.generation), for: key)
    return trust
  }

  /// Evaluates a chain again, without the intermediates that chains showed after a generation.
  package func evaluate(
    _ chain: CertificateChain, under appleStore: AppleRootStore = .newest, followsNameLoops: Bool = false, in capture: UInt32 = 0,
    asOf generation: Int
  ) -> ChainTrust {
    let appleStore = store.systemRoots == .apple ? appleStore : .newest
    var key = EntryKey(chain: ObjectIdentifier(chain), appleStore: appleStore, followsNameLoops: followsNameLoops, capture: capture)
    if let known = chains[key], !known.soughtNames.contains(where: { earlier.generation(of: $0) > generation }) { return known.trust }
    key.generation = generation
    if let known = chains[key] { return known.trust }
    let (trust, soughtNames) = search(nodes(of: chain), appleStore, followsNameLoops, in: capture, asOf: generation)
    chains.insert(Entry(chain: chain, trust: trust, soughtNames: soughtNames, generation: generation), for: key)
    return trust
  }

  private func nodes(of chain: CertificateChain) -> [CertificateNode] {
    if table.isFull {
      table.empty(keeping: nodesOfAnchors + earlier.all + (supplied?.values.flatMap(\.self) ?? []))
    }
    return chain.certificates.prefix(SearchBudget.maximumSent).map { table.node($0) }
  }

  /// The anchors that chains have requested, in the order of their stores.
  private var nodesOfAnchors: [CertificateNode] {
    anchors.sorted { $0.key.version < $1.key.version }.flatMap(\.value.nodes)
  }

  /// The CA certificates that the user supplied for all chains.
  private func suppliedNodes() -> [NormalizedName: [CertificateNode]] {
    if let supplied { return supplied }
    var nodes: [NormalizedName: [CertificateNode]] = [:]
    for der in store.intermediates.prefix(TrustStore.maximumCount) {
      let node = table.node(table.observe(der))
      guard node.certificate.isCA, !node.isSelfIssued else { continue }
      nodes[node.subject, default: []].append(node)
    }
    supplied = nodes
    return nodes
  }

  private func search(
    _ sent: [CertificateNode], _ appleStore: AppleRootStore, _ followsNameLoops: Bool, in capture: UInt32, asOf generation: Int = .max
  ) -> (ChainTrust, [NormalizedName]) {
    let anchors = self.anchors[appleStore] ?? AnchorTable(store, appleStore)
    self.anchors[appleStore] = anchors
    let known = earlier.asOf(generation)
    let supplied = suppliedNodes()
    func own(_ name: NormalizedName) -> [(CertificateNode, TrustPath.Origin)] {
      (supplied[name] ?? []).map { ($0, .supplied) }
        + known.certificates(named: name, in: capture).map { ($0, .earlier) }
    }
    var search = PathSearch(sent, anchors: anchors, maximumLength: maximumLength, followsNameLoops: followsNameLoops, earlier: own)
    search.run(&table)
    if search.paths.isEmpty, search.soughtNames.contains(where: { known.hasElsewhere($0, before: capture) }) {
      var wider = PathSearch(sent, anchors: anchors, maximumLength: maximumLength, followsNameLoops: followsNameLoops) { name in
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

/// The intermediates of earlier chains, by capture.
struct EarlierIntermediates {
  /// The maximum number of certificates kept of the current capture, and again of all earlier captures together.
  let maximumCount: Int

  /// The maximum number of certificates with one subject that are kept of one capture, and that are tried of all others.
  static let maximumNamesakes = 8

  private struct Shown {
    let node: CertificateNode
    let capture: UInt32
    let captureName: String
    let generation: Int
  }

  private struct Namesakes {
    /// In the order in which they were seen.
    var shown: [Shown] = []
    /// The generation in which the last one was added.
    var generation = 0

    mutating func add(_ certificate: Shown) {
      shown.append(certificate)
      generation = certificate.generation
    }
  }

  private var bySubject: [NormalizedName: Namesakes] = [:]

  /// Creates an empty collection. The web's CAs have about two thousand intermediates.
  init(maximumCount: Int = 4096) { self.maximumCount = maximumCount }

  private(set) var capture: UInt32 = 0

  /// The number of certificates of the current capture.
  private var count = 0

  /// The number of certificates of all captures.
  private var countOfAll = 0

  /// The number of certificates that were ever added.
  private(set) var generation = 0

  /// The generation after which certificates are left out.
  private var latest = Int.max

  /// The certificates that had been added at a generation.
  func asOf(_ generation: Int) -> EarlierIntermediates {
    var result = self
    result.latest = generation
    return result
  }

  var all: [CertificateNode] {
    var known = Set<UInt32>()
    return bySubject.values.flatMap(\.shown).map(\.node).filter { known.insert($0.number).inserted }
  }

  /// Prepares for the chains of a capture, if it comes after the current one.
  mutating func begin(_ capture: UInt32) {
    guard capture > self.capture else { return }
    self.capture = capture
    count = 0
    if countOfAll > maximumCount { forgetOldest() }
  }

  /// Adds a certificate of a CA that is not a root, seen in the current capture.
  mutating func add(_ node: CertificateNode, of capture: UInt32, named name: String) {
    guard node.certificate.isCA, !node.isSelfIssued, capture == self.capture,
      count < maximumCount
    else { return }
    let own = (bySubject[node.subject]?.shown ?? []).reversed().prefix { $0.capture == capture }
    guard own.count < EarlierIntermediates.maximumNamesakes,
      !own.contains(where: { $0.node.observed == node.observed })
    else { return }
    generation += 1
    count += 1
    countOfAll += 1
    bySubject[node.subject, default: Namesakes()].add(Shown(node: node, capture: capture, captureName: name, generation: generation))
  }

  /// Removes the certificates of the oldest captures until at most `maximumCount` remain.
  private mutating func forgetOldest() {
    let captures = bySubject.values.flatMap { $0.shown.map(\.capture) }.sorted(by: >)
    guard captures.count > maximumCount else { return }
    let last = captures[maximumCount]
    bySubject = bySubject.compactMapValues { namesakes in
      var namesakes = namesakes
      namesakes.shown.removeAll { $0.capture <= last }
      return namesakes.shown.isEmpty ? nil : namesakes
    }
    countOfAll = bySubject.values.reduce(0) { $0 + $1.shown.count }
  }

  /// The certificates with this subject in a capture, in the order in which they were seen.
  func certificates(named subject: NormalizedName, in capture: UInt32) -> [CertificateNode] {
    (bySubject[subject]?.shown ?? []).filter { $0.capture == capture && $0.generation <= latest }.map(\.node)
  }

  func hasElsewhere(_ subject: NormalizedName, before capture: UInt32) -> Bool {
    bySubject[subject]?.shown.contains { $0.capture < capture && $0.generation <= latest } ?? false
  }

  /// The certificates with this subject in captures before this one, each with the first capture that contained it.
  func certificatesElsewhere(named subject: NormalizedName, before capture: UInt32) -> [(node: CertificateNode, origin: TrustPath.Origin)] {
    var found: [(node: CertificateNode, origin: TrustPath.Origin)] = []
    var known = Set<UInt32>()
    for shown in bySubject[subject]?.shown ?? [] where shown.capture < capture && shown.generation <= latest {
      if found.count == EarlierIntermediates.maximumNamesakes { break }
      if known.insert(shown.node.number).inserted {
        found.append((shown.node, .otherCapture(shown.captureName)))
      }
    }
    return found
  }

  /// The generation in which the last certificate with this subject was added; 0 if there is none.
  func generation(of subject: NormalizedName) -> Int {
    bySubject[subject]?.generation ?? 0
  }
}
