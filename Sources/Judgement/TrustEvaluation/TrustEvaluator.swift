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
  private var anchors: AnchorTable?
  private var earlier = EarlierIntermediates()
  private var chains: [ObjectIdentifier: Entry] = [:]

  /// Chains of which the result is held at most.
  static let chainLimit = 8192

  private struct Entry {
    /// Held so that no other chain takes its identity.
    let chain: CertificateChain
    var trust: ChainTrust
    var soughtNames: Set<NormalizedName>
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

  /// What is to be found of a chain, with what is known from the chains before it.
  public func evaluate(_ chain: CertificateChain) -> ChainTrust {
    let identity = ObjectIdentifier(chain)
    if let known = chains[identity] {
      if known.generation == earlier.generation { return known.trust }
      if !known.soughtNames.contains(where: { earlier.generation(of: $0) > known.generation }) {
        chains[identity]?.generation = earlier.generation
        return known.trust
      }
    } else if chains.count >= TrustEvaluator.chainLimit {
      chains.removeAll(keepingCapacity: true)
    }
    if table.isFull { table.empty(keeping: (anchors?.nodes ?? []) + earlier.all) }
    let nodes = chain.certificates.prefix(SearchBudget.sentLimit).map { table.node($0) }
    let (trust, soughtNames) = search(nodes)
    // What this chain shows can complete others, and changes nothing for itself.
    for node in nodes.dropFirst() { earlier.add(node) }
    chains[identity] = Entry(
      chain: chain, trust: trust, soughtNames: soughtNames, generation: earlier.generation)
    return trust
  }

  private func search(_ sent: [CertificateNode]) -> (ChainTrust, Set<NormalizedName>) {
    let anchors = self.anchors ?? AnchorTable(store)
    self.anchors = anchors
    let known = earlier
    var search = PathSearch(sent, anchors: anchors, lengthLimit: lengthLimit) {
      known.certificates(named: $0)
    }
    search.run(&table)
    let trust = ChainTrust(
      paths: search.paths, failures: search.failures, spentBudget: search.budget.spent, store: store)
    return (trust, search.soughtNames)
  }
}

/// The intermediates that chains of the captures have shown.
struct EarlierIntermediates {
  /// Certificates that are held at most; the web's CAs have some two thousand.
  static let countLimit = 4096

  /// Certificates with one subject that are held at most.
  static let namesakeLimit = 8

  private var bySubject: [NormalizedName: (generation: Int, nodes: [CertificateNode])] = [:]

  /// How many were added.
  private(set) var generation = 0

  /// Every certificate.
  var all: [CertificateNode] { bySubject.values.flatMap(\.nodes) }

  /// Adds the certificate of a CA that is no root.
  mutating func add(_ node: CertificateNode) {
    guard node.certificate.isCA, !node.isSelfIssued, generation < EarlierIntermediates.countLimit else {
      return
    }
    var known = bySubject[node.subject]?.nodes ?? []
    guard known.count < EarlierIntermediates.namesakeLimit,
      !known.contains(where: { $0.observed == node.observed })
    else { return }
    known.append(node)
    generation += 1
    bySubject[node.subject] = (generation, known)
  }

  /// The certificates with this subject, in the order in which they were seen.
  func certificates(named subject: NormalizedName) -> [CertificateNode] { bySubject[subject]?.nodes ?? [] }

  /// When the last certificate with this subject was added; 0 for never.
  func generation(of subject: NormalizedName) -> Int { bySubject[subject]?.generation ?? 0 }
}
