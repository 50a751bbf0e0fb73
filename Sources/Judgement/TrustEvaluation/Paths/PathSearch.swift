import CertificateParsing
import CertificateSignatures
import SessionModel
import Values

/// Searches for paths from one leaf (RFC 4158).
///
/// First it checks every certificate on which the leaf may depend once, and verifies each signature once, to find those that lead to an
/// anchor. Then it follows paths only among those. The cost of a chain that leads to no anchor is therefore linear in its certificates,
/// unless many have the same name; a budget limits it.
struct PathSearch {
  /// An issuer of a certificate, with the result of verifying the signature.
  private struct Edge {
    let issuer: Int
    let signature: SignatureVerification
  }

  /// A certificate on which the leaf may depend.
  private struct Vertex {
    let node: CertificateNode
    let origin: TrustPath.Origin
    /// The kind of anchor; nil if the certificate is not an anchor.
    let anchor: AnchorTable.Anchor?
    var issuers: [Edge] = []
    /// Why no path continues from the certificate; nil if one may.
    var end: PathFailure.Reason?
    var leadsToAnchor = false
  }

  private let anchors: AnchorTable
  private let sent: [CertificateNode]
  private let earlier: (NormalizedName) -> [(node: CertificateNode, origin: TrustPath.Origin)]
  private var vertices: [Vertex] = []
  /// The indices of vertices by the numbers of their certificates.
  private var vertexIndices: [UInt32: Int] = [:]
  private let maximumLength: Int

  /// Whether a path continues after a certificate whose issuer has the name of one below it.
  private let followsNameLoops: Bool
  private(set) var budget: SearchBudget
  private(set) var paths: [TrustPath] = []
  private(set) var failures: [PathFailure] = []

  /// The first path that ended because the issuer of its last certificate is the subject of another one in it.
  private var loop: [Int] = []

  /// The issuer names that were searched for.
  private(set) var soughtNames: [NormalizedName] = []

  init(
    _ sent: [CertificateNode], anchors: AnchorTable, maximumLength: Int, followsNameLoops: Bool = false,
    earlier: @escaping (NormalizedName) -> [(node: CertificateNode, origin: TrustPath.Origin)]
  ) {
    self.maximumLength = maximumLength
    self.followsNameLoops = followsNameLoops
    self.sent = Array(sent.prefix(SearchBudget.maximumSent))
    self.anchors = anchors
    self.earlier = earlier
    budget = SearchBudget(sent: sent.count)
  }

  mutating func run(_ table: inout CertificateTable) {
    guard let leaf = sent.first else { return }
    _ = addVertex(leaf, .sent(0), &table)
    var index = 0
    while index < vertices.count, budget.spent == nil {
      if anchors.isDistrusted(vertices[index].node) {
        vertices[index].end = .distrusted
      } else if vertices[index].anchor == nil || mayGoOn(vertices[index].node) {
        findIssuers(of: index, &table)
      }
      index += 1
    }
    markThoseThatLeadToAnchors()
    if vertices[0].leadsToAnchor {
      follow([0])
    } else {
      collectFailures()
    }
    guard paths.isEmpty, failures.isEmpty, budget.spent == nil else { return }
    if !loop.isEmpty {
      failures.append(PathFailure(certificates: loop.map { vertices[$0].node.observed }, reason: .circular(leadsToAnchor: true)))
    } else {
      // The leaf imitates an anchor's name and key.
      let isSelfSigned = table.known(leaf, by: leaf)?.isValid == true
      failures.append(PathFailure(certificates: [leaf.observed], reason: isSelfSigned ? .selfSignedLeaf : .imitatedAnchor))
    }
  }

  /// Whether a path may continue beyond an anchor. Systems continue unless it is self-signed, because the requirements for its class may
  /// fail while those for another anchor pass.
  private func mayGoOn(_ anchor: CertificateNode) -> Bool {
    !anchor.isSelfIssued || anchor.identifiers(fit: anchor) == .disagree
  }

  /// Returns the index of a certificate's vertex, which is added if there is none.
  private mutating func addVertex(_ node: CertificateNode, _ origin: TrustPath.Origin, _ table: inout CertificateTable) -> Int {
    if let known = vertexIndices[node.number] { return known }
    vertexIndices[node.number] = vertices.count
    vertices.append(Vertex(node: node, origin: origin, anchor: anchors.anchor(node, &table)))
    return vertices.count - 1
  }

  // MARK: Looking at each certificate once

  private mutating func findIssuers(of index: Int, _ table: inout CertificateTable) {
    let node = vertices[index].node
    soughtNames.append(node.issuer)
    var fault: PathFailure.Reason?
    // The only issuers of a self-signed certificate are those with its own key.
    let isSelfSigned = checkSelfSignature(node, &table)
    var signer = isSelfSigned ? node : nil
    for (candidate, origin) in candidates(for: node, at: index, &table) {
      guard budget.takeStep() else { break }
      if candidate.number == node.number { continue }
      // A signature was made with one key; once that is known, certificates with other keys cannot be the issuer.
      if let signer, signer.keyNumber != candidate.keyNumber { continue }
      if table.known(node, by: candidate) == nil, !budget.takeSignature() { break }
      let signature = table.verify(node, by: candidate)
      // A root of another store matters only if it is the issuer.
      if origin == .otherStore, !signature.isValid { continue }
      if signature.isInvalid {
        // A failure with a namesake's different key says nothing about the certificate.
        switch node.identifiers(fit: candidate) {
        case .agree: fault = fault ?? .badSignature("\(signature)")
        case .unknown: fault = fault ?? .otherKey(ofAnchor: anchors.anchor(candidate, &table) != nil)
        case .disagree: break
        }
        continue
      }
      if signature.isValid { signer = candidate }
      let issuer = addVertex(candidate, origin, &table)
      if issuer != index { vertices[index].issuers.append(Edge(issuer: issuer, signature: signature)) }
    }
    // Issuers whose signature verifies take precedence over those that cannot be verified here.
    if vertices[index].issuers.contains(where: { $0.signature.isValid }) {
      vertices[index].issuers.removeAll { !$0.signature.isValid }
    }
    // Other versions of a root lead no further than the root itself.
    let isRoot = isSelfSigned && vertices[index].issuers.allSatisfy { vertices[$0.issuer].node.isSelfIssued }
    guard isRoot || vertices[index].issuers.isEmpty else { return }
    vertices[index].end = end(of: node, at: index, fault: fault, table)
  }

  private mutating func checkSelfSignature(_ node: CertificateNode, _ table: inout CertificateTable) -> Bool {
    guard node.isSelfIssued, table.known(node, by: node) != nil || budget.takeSignature() else { return false }
    return table.verify(node, by: node).isValid
  }

  /// Why the search stops at a certificate without issuers.
  private func end(
    of node: CertificateNode, at index: Int, fault: PathFailure.Reason?, _ table: borrowing CertificateTable
  ) -> PathFailure.Reason? {
    if let own = table.known(node, by: node) {
      if own.isValid { return index == 0 ? .selfSignedLeaf : .unknownRoot }
      if own.isInvalid, fault == nil, node.identifiers(fit: node) != .disagree { return .badSignature("\(own)") }
    }
    let canBeFetched = PathSearch.fetchesIssuer(of: node.certificate)
    switch fault {
    // The address may give the issuer whose key signed the certificate.
    case .otherKey? where canBeFetched: break
    case let fault?: return fault
    case nil: break
    }
    // If the budget was exhausted, the lack of an issuer means nothing.
    return budget.spent == nil ? .missingIssuer(canBeFetched: canBeFetched) : nil
  }

  /// The number of addresses from which on devices fetch from none (`CA_ISSUERS_REQUEST_THRESHOLD`).
  private static let tooManyAddresses = 10

  /// Whether devices fetch the issuer of a certificate, which they do over cleartext HTTP only (policy text D.6).
  private static func fetchesIssuer(of certificate: Certificate) -> Bool {
    let urls = certificate.caIssuerURLs
    return urls.count < tooManyAddresses && urls.contains { $0.prefix(7).lowercased() == "http://" }
  }

  /// The certificates with the issuer's name: those with agreeing key identifiers first, then those with fewer defects, and among
  /// certificates for one key the one that is valid longest. Equal ones are anchors first, then those sent, those of other sessions or
  /// options, and roots of other stores.
  private func candidates(
    for node: CertificateNode, at index: Int, _ table: inout CertificateTable
  ) -> [(node: CertificateNode, origin: TrustPath.Origin)] {
    var found: [(node: CertificateNode, origin: TrustPath.Origin)] = []
    let indices = sent.indices.filter { sent[$0].subject == node.issuer }
    func position(_ node: CertificateNode) -> Int? { indices.first { sent[$0].number == node.number } }
    for anchor in anchors.anchors(named: node.issuer, &table) {
      found.append((anchor.node, position(anchor.node).map { .sent($0) } ?? .anchors))
    }
    // Servers send an issuer next to the certificate that it issued, usually after it.
    let own: Int = if case .sent(let position) = vertices[index].origin { position } else { 0 }
    let ordered = indices.sorted { (abs($0 - own), -$0) < (abs($1 - own), -$1) }
    for position in ordered where anchors.anchor(sent[position], &table) == nil {
      found.append((sent[position], .sent(position)))
    }
    for known in earlier(node.issuer)
    where position(known.node) == nil && anchors.anchor(known.node, &table) == nil
      && !found.contains(where: { $0.node.number == known.node.number })
    {
      found.append(known)
    }
    for root in anchors.foreignRoots(named: node.issuer, &table) where position(root) == nil {
      found.append((root, .otherStore))
    }
    if found.count < 2 { return found }
    var firstOfKey: [UInt32: Int] = [:]
    let ranked = found.enumerated().map { offset, candidate in
      let first = firstOfKey[candidate.node.keyNumber] ?? offset
      firstOfKey[candidate.node.keyNumber] = first
      let end = candidate.node.certificate.notAfter?.seconds ?? .min
      // The bitwise complement reverses the order without overflow.
      return (node.identifiers(fit: candidate.node).rawValue, PathSearch.defects(candidate.node), first, ~end, offset)
    }
    return ranked.sorted { $0 < $1 }.map { found[$0.4] }
  }

  /// A weight for the defects of a certificate as an issuer, 0 for none; the better of two namesakes is tried first.
  private static func defects(_ node: CertificateNode) -> Int {
    let certificate = node.certificate
    let isSigner = certificate.keyUsage?.contains(.keyCertSign) ?? true
    return (certificate.isCA ? 0 : 4) + (isSigner ? 0 : 2) + (certificate.decodingError == nil ? 0 : 1)
  }

  // MARK: What leads to an anchor

  private mutating func markThoseThatLeadToAnchors() {
    var issued = [[Int]](repeating: [], count: vertices.count)
    for index in vertices.indices {
      for edge in vertices[index].issuers { issued[edge.issuer].append(index) }
    }
    var open = vertices.indices.filter { vertices[$0].anchor != nil }
    for index in open { vertices[index].leadsToAnchor = true }
    while let index = open.popLast() {
      for below in issued[index] where !vertices[below].leadsToAnchor {
        vertices[below].leadsToAnchor = true
        open.append(below)
      }
    }
  }

  /// Follows a path, and keeps it if it reaches an anchor.
  private mutating func follow(_ path: [Int]) {
    guard let last = path.last else { return }
    if vertices[last].anchor != nil { keep(path) }
    // Systems follow no path whose next name occurs in it, whichever keys its certificates have (`SecCertificatePathVCIsCycleInGraph`).
    if !followsNameLoops, path.dropLast().contains(where: { vertices[$0].node.subject == vertices[last].node.issuer }) {
      if loop.isEmpty { loop = path }
      return
    }
    for edge in vertices[last].issuers where vertices[edge.issuer].leadsToAnchor {
      guard paths.count < SearchBudget.maximumPaths else { return budget.note("too many paths") }
      guard budget.takeStep() else { return }
      // A path contains a CA only once, whichever certificates it has (RFC 4158 §5.2).
      let issuer = vertices[edge.issuer].node
      let isRepeated = path.contains {
        vertices[$0].node.keyNumber == issuer.keyNumber && vertices[$0].node.subject == issuer.subject
      }
      if isRepeated { continue }
      guard path.count < maximumLength else { return budget.note("a path of more than \(maximumLength) certificates") }
      follow(path + [edge.issuer])
    }
  }

  private mutating func keep(_ path: [Int]) {
    guard let anchor = path.last.flatMap({ vertices[$0].anchor }) else { return }
    var unverified: [UnverifiedSignature] = []
    for (index, (below, above)) in zip(path, path.dropFirst()).enumerated() {
      let edge = vertices[below].issuers.first { $0.issuer == above }
      if let edge, !edge.signature.isValid {
        unverified.append(
          UnverifiedSignature(index: index, reason: "\(edge.signature)", isUnsupportedByApple: isUnsupportedByApple(edge.signature)))
      }
    }
    let nodes = path.map { vertices[$0].node }
    paths.append(
      TrustPath(
        certificates: nodes.map(\.observed), origins: path.map { vertices[$0].origin }, unverified: unverified,
        anchorClass: anchor.anchorClass, isLeafAnchor: path.count == 1 && anchor.isAdded,
        constraintFault: NameConstraintCheck.fault(in: nodes) ?? PolicyCheck.fault(in: nodes),
        unsupportedConstraint: NameConstraintCheck.unsupportedConstraint(in: nodes)))
  }

  /// Whether a signature uses a kind of key that Apple's systems do not support.
  private func isUnsupportedByApple(_ signature: SignatureVerification) -> Bool {
    switch signature {
    case .notVerifiable(.algorithm(let name)): name.hasPrefix("dsa") || name.hasPrefix("gost")
    case .notVerifiable(.curve(let name)): !["P-192", "P-224"].contains(name)
    default: false
    }
  }

  // MARK: What does not

  /// Collects the ends of all attempts: each certificate at which the search stopped, by the path on which it was found.
  private mutating func collectFailures() {
    var parents = [Int](repeating: -1, count: vertices.count)
    var depth = [Int](repeating: 0, count: vertices.count)
    var queue = [0]
    var next = 0
    var seen = [Bool](repeating: false, count: vertices.count)
    seen[0] = true
    var ends: [Int] = []
    while next < queue.count {
      let index = queue[next]
      next += 1
      if vertices[index].end != nil {
        ends.append(index)
        continue
      }
      for edge in vertices[index].issuers where !seen[edge.issuer] {
        seen[edge.issuer] = true
        parents[edge.issuer] = index
        depth[edge.issuer] = depth[index] + 1
        queue.append(edge.issuer)
      }
    }
    // The longest attempt first; among equals the one found first.
    let ordered = ends.sorted { depth[$0] > depth[$1] }
    for end in ordered.prefix(SearchBudget.maximumFailures) {
      failures.append(PathFailure(certificates: way(to: end, parents), reason: vertices[end].end ?? .circular(leadsToAnchor: false)))
    }
    if ends.isEmpty, budget.spent == nil, let furthest = queue.max(by: { depth[$0] < depth[$1] }) {
      failures.append(PathFailure(certificates: way(to: furthest, parents), reason: .circular(leadsToAnchor: false)))
    }
  }

  private func way(to end: Int, _ parents: [Int]) -> [ObservedCertificate] {
    var way: [ObservedCertificate] = []
    var index = end
    while index >= 0, way.count < maximumLength {
      way.append(vertices[index].node.observed)
      index = parents[index]
    }
    return way.reversed()
  }
}
