import ByteParsing
import CertificateParsing
import SessionObservation

/// The anchors of a store, found by their subjects and by their bytes.
///
/// A store has some 150, of which a capture asks for a handful: of the others no more than the subject is read.
final class AnchorTable {
  /// An anchor and its kind.
  struct Anchor {
    let node: CertificateNode
    let anchorClass: AnchorClass
    let isAdded: Bool
  }

  private enum Decoded {
    case notYet
    /// No path may hold it.
    case distrusted
    case anchor(Anchor)
  }

  private var certificates = DistinctBytes()
  private var decoded: [Decoded] = []
  private var subjects: [NormalizedName] = []
  private var bySubject = HashedPlaces()
  /// Where the certificates begin that were added.
  private var firstAdded = 0
  private let distrusted: Set<String>

  init(_ store: TrustStore) {
    distrusted = store.distrusted
    add(store.system)
    firstAdded = certificates.elements.count
    add(store.added)
  }

  private func add(_ ders: [Bytes]) {
    for der in ders where certificates.elements.count < TrustStore.countLimit {
      guard certificates.insert(der) == nil else { continue }
      // What cannot be found at a glance is decoded after all.
      let subject = Certificate.subjectDER(in: der.span) ?? Certificate(parsing: der.span).subjectDER
      subjects.append(NormalizedName(subject))
      bySubject.append(subjects[subjects.count - 1].digest)
      decoded.append(.notYet)
    }
  }

  /// The anchors with this subject: the system's, then those added.
  func anchors(named subject: NormalizedName, _ table: inout CertificateTable) -> [Anchor] {
    bySubject.all(of: subject.digest) { subjects[$0] == subject }.compactMap { anchor(at: $0, &table) }
  }

  /// The certificates that were asked for so far.
  var nodes: [CertificateNode] {
    decoded.compactMap { if case .anchor(let anchor) = $0 { anchor.node } else { nil } }
  }

  /// Whether no path may hold the certificate.
  func isDistrusted(_ node: CertificateNode) -> Bool { distrusted.contains(node.observed.sha256) }

  /// The anchor that is this very certificate.
  func anchor(_ node: CertificateNode, _ table: inout CertificateTable) -> Anchor? {
    certificates.place(of: node.certificate.der).flatMap { anchor(at: $0, &table) }
  }

  private func anchor(at place: Int, _ table: inout CertificateTable) -> Anchor? {
    switch decoded[place] {
    case .anchor(let anchor): return anchor
    case .distrusted: return nil
    case .notYet: break
    }
    let observed = table.observe(certificates.elements[place])
    guard !distrusted.contains(observed.sha256) else {
      decoded[place] = .distrusted
      return nil
    }
    let isAdded = place >= firstAdded
    let isApples = AppleRoots.digests.contains(observed.sha256)
    let anchor = Anchor(
      node: table.node(observed), anchorClass: isApples ? .apple : isAdded ? .added : .system,
      isAdded: isAdded)
    decoded[place] = .anchor(anchor)
    return anchor
  }
}
