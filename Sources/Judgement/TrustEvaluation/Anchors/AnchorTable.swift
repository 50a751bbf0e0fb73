import AppleTrust
import ByteParsing
import CertificateParsing
import SessionModel

/// The anchors of a store, found by their subjects and by their bytes.
///
/// A store has about 150, and a capture needs only a handful; of the others, only the subject is parsed.
final class AnchorTable {
  struct Anchor {
    let node: CertificateNode
    let anchorClass: AnchorClass
    let isAdded: Bool
  }

  private enum Decoded {
    case notYet
    /// The certificate must not be in any path.
    case distrusted
    case anchor(Anchor)
    /// The certificate is a root that only other stores of Apple's contain.
    case foreign(CertificateNode)
  }

  private var certificates: [Bytes] = []
  private var byBytes: [ByteKey: Int] = [:]
  private var bySubject: [NormalizedName: [Int]] = [:]
  private var decoded: [Decoded] = []
  private var firstAdded = 0
  /// The index of the first root that only other stores of Apple's contain.
  private var firstForeign = 0
  private let distrusted: Set<String>

  /// Creates the table of a store; `appleStore` applies if the system's roots are Apple's.
  init(_ store: TrustStore, _ appleStore: AppleRootStore) {
    distrusted = store.distrusted
    if store.systemRoots == .apple {
      for root in appleStore.roots { add(root.certificate, subject: root.subject) }
    } else {
      add(store.system)
    }
    firstAdded = certificates.count
    add(store.added)
    firstForeign = certificates.count
    guard store.systemRoots == .apple else { return }
    for root in appleStore.foreignRoots { add(root.certificate, subject: root.subject) }
  }

  private func add(_ ders: [Bytes]) {
    for der in ders where certificates.count < TrustStore.maximumCount {
      // If the quick scan does not find the subject, the certificate is decoded.
      add(der, subject: Certificate.subjectDER(in: der.span) ?? Certificate(parsing: der.span).subjectDER)
    }
  }

  private func add(_ der: Bytes, subject: Bytes) {
    let key = ByteKey(der)
    guard byBytes[key] == nil else { return }
    byBytes[key] = certificates.count
    bySubject[NormalizedName(subject), default: []].append(certificates.count)
    certificates.append(der)
    decoded.append(.notYet)
  }

  /// The anchors with this subject: first the system's, then the added ones.
  func anchors(named subject: NormalizedName, _ table: inout CertificateTable) -> [Anchor] {
    (bySubject[subject] ?? []).compactMap { anchor(at: $0, &table) }
  }

  /// The roots with this subject that only other stores of Apple's contain. A path that reaches one of them ends there untrusted, whether
  /// or not the server sent it.
  func foreignRoots(named subject: NormalizedName, _ table: inout CertificateTable) -> [CertificateNode] {
    (bySubject[subject] ?? []).filter { $0 >= firstForeign }.map { index in
      if case .foreign(let node) = decoded[index] { return node }
      let node = table.node(table.observe(certificates[index]))
      decoded[index] = .foreign(node)
      return node
    }
  }

  /// The certificates that were requested so far.
  var nodes: [CertificateNode] {
    decoded.compactMap { decoded in
      switch decoded {
      case .anchor(let anchor): anchor.node
      case .foreign(let node): node
      case .notYet, .distrusted: nil
      }
    }
  }

  /// Whether the certificate must not be in any path.
  func isDistrusted(_ node: CertificateNode) -> Bool { distrusted.contains(node.observed.sha256) }

  func anchor(_ node: CertificateNode, _ table: inout CertificateTable) -> Anchor? {
    byBytes[ByteKey(node.certificate.der)].flatMap { anchor(at: $0, &table) }
  }

  private func anchor(at index: Int, _ table: inout CertificateTable) -> Anchor? {
    guard index < firstForeign else { return nil }
    switch decoded[index] {
    case .anchor(let anchor): return anchor
    case .distrusted, .foreign: return nil
    case .notYet: break
    }
    let observed = table.observe(certificates[index])
    guard !distrusted.contains(observed.sha256) else {
      decoded[index] = .distrusted
      return nil
    }
    let isAdded = index >= firstAdded
    let isApples = AppleRoot(sha256: observed.sha256)?.isApplesOwn ?? false
    let anchor = Anchor(node: table.node(observed), anchorClass: isApples ? .apple : isAdded ? .added : .system, isAdded: isAdded)
    decoded[index] = .anchor(anchor)
    return anchor
  }
}
