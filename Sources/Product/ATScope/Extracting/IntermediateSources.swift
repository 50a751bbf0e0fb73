import CertificateParsing
import SessionModel

/// The first sessions with each intermediate among those that are not chosen. A server that sends only its own certificate is trusted if
/// another session shows the certificate of its issuer, so the extract needs that session too.
struct IntermediateSources {
  /// The sessions by the subject of the intermediate, and whether they were returned.
  private var sessions: [String: [(session: ObservedSession, isReturned: Bool)]] = [:]
  private var known: Set<ObservedCertificate> = []

  /// The maximum number of intermediates, including those of chosen sessions.
  private static let maximumCount = 4096

  /// Records the intermediates that a session shows; `isChosen` is whether the extract contains the session anyway.
  mutating func note(_ session: ObservedSession, isChosen: Bool) {
    for certificate in session.sharedTLS?.chain?.certificates.dropFirst() ?? [] where known.count < IntermediateSources.maximumCount {
      let facts = certificate.certificate
      guard facts.isCA, facts.subject != facts.issuer, known.insert(certificate).inserted, !isChosen else { continue }
      sessions[facts.subject, default: []].append((session, false))
    }
  }

  /// Returns the sessions that show the issuer of a session's only certificate and were not returned before.
  mutating func take(for session: ObservedSession) -> [ObservedSession] {
    guard let chain = session.sharedTLS?.chain?.certificates, chain.count == 1, let issuer = chain.first?.certificate.issuer,
      let found = sessions[issuer]
    else { return [] }
    sessions[issuer] = found.map { ($0.session, true) }
    return found.filter { !$0.isReturned }.map(\.session)
  }
}
