public import AppleTrust
import ByteParsing
import CertificateParsing
public import SessionObservation

/// Finds the paths of chains to trusted anchors, each distinct chain once.
///
/// Signatures and what certificates allow are looked at here; dates, host and the demands of a release are for the
/// rules, which know them. Intermediates that earlier chains showed may complete a later one: chains are to be handed
/// over in the order of the captures. An evaluator is used from one thread.
public final class TrustEvaluator {
  /// The anchors.
  public let store: TrustStore

  private let lengthLimit: Int
  private var table = CertificateTable()
  private var anchors: [AppleRootStore: AnchorTable] = [:]
  private var earlier = EarlierIntermediates()
  private var chains: [Entry] = []
  private var placesOfChains = HashedPlaces()

  /// Chains of which the result is held at most.
  static let chainLimit = 8192

  private struct Entry {
    /// Held so that no other chain takes its identity.
    let chain: CertificateChain
    let appleStore: AppleRootStore
    var trust: ChainTrust
    var soughtNames: [NormalizedName]
    /// How much was known of other chains at the time.
    var generation: Int
  }

  /// Creates an evaluator.
  public convenience init(_ store: TrustStore) { self.init(store, pathLengthLimit: nil) }

  /// Creates an evaluator that follows paths of so many certificates at most.
  package init(_ store: TrustStore, pathLengthLimit: Int?) {
    self.store = store
    lengthLimit = pathLengthLimit ?? SearchBudget.usualLengthLimit
  }

  /// The paths of a chain, with what is known from the chains before it. `appleStore` applies where the system's roots are Apple's.
  public func evaluate(
    _ chain: CertificateChain, under appleStore: AppleRootStore = .newest
  ) -> ChainTrust {
    let appleStore = store.systemRoots == .apple ? appleStore : .newest
    let identity = Int(bitPattern: ObjectIdentifier(chain))
    let place = placesOfChains.first(of: identity) {
      chains[$0].chain === chain && chains[$0].appleStore == appleStore
    }
    if let place {
      let known = chains[place].generation
      if known == earlier.generation { return chains[place].trust }
      if !chains[place].soughtNames.contains(where: { earlier.generation(of: $0) > known }) {
        chains[place].generation = earlier.generation
        return chains[place].trust
      }
    } else if chains.count >= TrustEvaluator.chainLimit {
      chains.removeAll(keepingCapacity: true)
      placesOfChains.removeAll()
    }
    if table.isFull { table.empty(keeping: nodesOfAnchors + earlier.all) }
    let nodes = chain.certificates.prefix(SearchBudget.sentLimit).map { table.node($0) }
    let (trust, soughtNames) = search(nodes, appleStore)
    // What this chain shows can complete others, and changes nothing for itself.
    for node in nodes.dropFirst() { earlier.add(node) }
    let entry = Entry(
      chain: chain, appleStore: appleStore, trust: trust, soughtNames: soughtNames,
      generation: earlier.generation)
    if let place {
      chains[place] = entry
    } else {
      chains.append(entry)
      placesOfChains.append(identity)
    }
    return trust
  }

  /// The anchors that chains have asked for, in the order of their stores.
  private var nodesOfAnchors: [CertificateNode] {
    anchors.sorted { $0.key.version < $1.key.version }.flatMap(\.value.nodes)
  }

  private func search(
    _ sent: [CertificateNode], _ appleStore: AppleRootStore
  ) -> (ChainTrust, [NormalizedName]) {
    let anchors = self.anchors[appleStore] ?? AnchorTable(store, appleStore)
    self.anchors[appleStore] = anchors
    let known = earlier
    var search = PathSearch(sent, anchors: anchors, lengthLimit: lengthLimit) {
      known.certificates(named: $0)
    }
    search.run(&table)
    let trust = ChainTrust(
      paths: search.paths, failures: search.failures, spentBudget: search.budget.spent, store: store,
      appleStore: store.systemRoots == .apple ? appleStore : nil)
    return (trust, search.soughtNames)
  }
}

/// The intermediates that chains of the captures have shown.
struct EarlierIntermediates {
  /// Certificates that are held at most; the web's CAs have some two thousand.
  static let countLimit = 4096

  /// Certificates with one subject that are held at most.
  static let namesakeLimit = 8

  private struct Namesakes {
    let subject: NormalizedName
    var nodes: [CertificateNode] = []
    /// When the last one was added.
    var generation = 0
  }

  private var namesakes: [Namesakes] = []
  private var bySubject = HashedPlaces()

  /// How many were added.
  private(set) var generation = 0

  /// Every certificate.
  var all: [CertificateNode] { namesakes.flatMap(\.nodes) }

  /// Adds the certificate of a CA that is no root.
  mutating func add(_ node: CertificateNode) {
    guard node.certificate.isCA, !node.isSelfIssued, generation < EarlierIntermediates.countLimit else {
      return
    }
    let place = place(of: node.subject) ?? namesakes.count
    if place == namesakes.count {
      namesakes.append(Namesakes(subject: node.subject))
      bySubject.append(node.subject.digest)
    }
    guard namesakes[place].nodes.count < EarlierIntermediates.namesakeLimit,
      !namesakes[place].nodes.contains(where: { $0.observed == node.observed })
    else { return }
    generation += 1
    namesakes[place].nodes.append(node)
    namesakes[place].generation = generation
  }

  private func place(of subject: NormalizedName) -> Int? {
    bySubject.first(of: subject.digest) { namesakes[$0].subject == subject }
  }

  /// The certificates with this subject, in the order in which they were seen.
  func certificates(named subject: NormalizedName) -> [CertificateNode] {
    place(of: subject).map { namesakes[$0].nodes } ?? []
  }

  /// When the last certificate with this subject was added; 0 for never.
  func generation(of subject: NormalizedName) -> Int {
    place(of: subject).map { namesakes[$0].generation } ?? 0
  }
}
