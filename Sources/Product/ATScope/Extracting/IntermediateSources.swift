import AppleTrust
import ByteParsing
import CertificateParsing
package import SessionModel

/// The first sessions with each intermediate. A server that does not send an intermediate is trusted if another session shows it, so the
/// extract needs that session too.
package struct IntermediateSources {
  private struct Source {
    let intermediate: ObservedCertificate
    let session: ObservedSession
    /// Whether the extract contains the session.
    var isChosen: Bool
  }

  /// By the subject of the intermediate.
  private var sources: [String: [Source]] = [:]
  private var known: Set<ObservedCertificate> = []

  /// The subjects of the roots of Apple's newest store: their issuers are not needed.
  private let roots = Set(AppleRootStore.newest.roots.map(\.subject))

  /// The maximum number of intermediates, including those of chosen sessions.
  private static let maximumCount = 4096

  /// Records the intermediates that a session shows; `isChosen` is whether the extract contains the session anyway.
  package mutating func note(_ session: ObservedSession, isChosen: Bool) {
    for certificate in session.sharedTLS?.chain?.certificates.dropFirst() ?? [] where known.count < IntermediateSources.maximumCount {
      let facts = certificate.certificate
      guard facts.isCA, facts.subject != facts.issuer, known.insert(certificate).inserted else { continue }
      sources[facts.subject, default: []].append(Source(intermediate: certificate, session: session, isChosen: isChosen))
    }
  }

  /// Returns the sessions that show the issuers that a session's own chain lacks, and that the extract does not contain yet.
  package mutating func take(for session: ObservedSession) -> [ObservedSession] {
    guard let chain = session.sharedTLS?.chain?.certificates, let leaf = chain.first else { return [] }
    var path = [leaf]
    var taken: [ObservedSession] = []
    var index = 0
    while index < path.count {
      let facts = path[index].certificate
      index += 1
      if facts.subject == facts.issuer || roots.contains(facts.issuerDER) { continue }
      let sent = chain.filter { $0.certificate.subject == facts.issuer }
      var issuers = sent
      if sent.isEmpty, var found = sources[facts.issuer] {
        for position in found.indices where !found[position].isChosen {
          taken.append(found[position].session)
          found[position].isChosen = true
        }
        sources[facts.issuer] = found
        issuers = found.map(\.intermediate)
      }
      path += issuers.filter { !path.contains($0) }
    }
    return taken
  }

  package init() {}
}
