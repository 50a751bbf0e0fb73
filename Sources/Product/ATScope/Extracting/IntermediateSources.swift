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

  /// The maximum number of intermediates, including those of chosen sessions.
  private static let maximumCount = 4096

  /// The maximum number of names that are followed for one session; paths are shorter.
  private static let maximumNameCount = 16

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
    let sent = Dictionary(grouping: chain.dropFirst(), by: \.certificate.subject)
    var names = [leaf.certificate.issuer]
    var taken: [ObservedSession] = []
    var index = 0
    while index < names.count {
      let name = names[index]
      index += 1
      var issuers = sent[name] ?? []
      if issuers.isEmpty, var found = sources[name] {
        for position in found.indices where !found[position].isChosen {
          taken.append(found[position].session)
          found[position].isChosen = true
        }
        sources[name] = found
        issuers = found.map(\.intermediate)
      }
      for issuer in issuers where names.count < IntermediateSources.maximumNameCount && !names.contains(issuer.certificate.issuer) {
        names.append(issuer.certificate.issuer)
      }
    }
    return taken
  }

  package init() {}
}
