package import ByteParsing
package import CertificateParsing
import CertificateSignatures
package import Values

/// Determines the status of certificates from CRLs and OCSP responses, and evaluates each source once per certificate.
///
/// It is a class so that judges can share the results. It must be used from one thread only.
package final class RevocationChecker {
  private var lists: [Bytes: [Int]] = [:]
  private var responses: [String: [Int]] = [:]
  private let sources: [RevocationSource]

  /// The maximum number of cached results.
  private static let maximumCacheCount = 8192

  /// The maximum number of cached evidence items of single lists and responses, over all certificates.
  private static let maximumEvidenceCount = 262_144

  /// The maximum number of lists from files, and of responses from files, that are evaluated per certificate.
  private static let maximumSources = 1024

  /// The maximum number of lists without a status for a certificate whose reasons are reported.
  private static let maximumSilentSources = 64

  private struct EvidenceKey: Hashable {
    var certificate: Bytes
    var issuer: Bytes
    var stapled: Bytes?
  }

  private struct SignatureKey: Hashable {
    var list: Int
    var key: Bytes
  }

  private var evidence = RecentTable<[EvidenceKey: [RevocationEvidence]]>(
    entriesPerGeneration: maximumCacheCount / 2, costPerGeneration: maximumEvidenceCount / 2)
  private var listSignatures = RecentTable<[SignatureKey: SignatureVerification]>(entriesPerGeneration: maximumCacheCount / 2)
  private var serialIndices: [Int: SerialIndex] = [:]

  /// The number of times that evidence was not in the cache.
  package private(set) var gatheringsMade = 0

  /// Whether nothing was supplied, so that only stapled responses are evaluated.
  package var isEmpty: Bool { sources.isEmpty }

  package init(_ sources: [RevocationSource] = []) {
    self.sources = sources
    for (index, source) in sources.enumerated() {
      switch source {
      case .list(let list): lists[list.issuerDER, default: []].append(index)
      case .response(let response):
        for serial in Set(response.responses.map(\.certificateID.serial)) {
          responses[serial, default: []].append(index)
        }
      }
    }
  }

  /// The revocation status of a certificate at a time.
  ///
  /// - Parameters:
  ///   - certificate: The certificate whose status is determined.
  ///   - issuer: The certificate that signed it.
  ///   - stapled: The OCSP response that the server stapled for it; nil for none.
  ///   - isAtOrAfter: Whether the time is its argument or later; nil if the time is unknown.
  package func status(of certificate: Certificate, issuer: Certificate, stapled: Bytes? = nil, isAtOrAfter: (Timestamp) -> Bool?)
    -> RevocationStatus
  {
    var good: RevocationEvidence.Kind?
    var hold: (status: RevocationStatus, issued: Timestamp)?
    var release: (kind: RevocationEvidence.Kind, issued: Timestamp)?
    var obstacles: [RevocationObstacle] = []
    for item in gathered(certificate, issuer, stapled) {
      let conclusion = item.conclusion(isAtOrAfter)
      let issued = item.thisUpdate ?? Timestamp(seconds: .min)
      switch conclusion {
      case .revoked(let time, let reason):
        let status = RevocationStatus.revoked(at: time, reason: reason, by: item.kind)
        // Only certificateHold can be lifted again.
        guard reason == CRLReason.certificateHold else { return status }
        if hold.map({ issued > $0.issued }) ?? true { hold = (status, issued) }
      case .good, .released:
        if conclusion == .good { good = good ?? item.kind }
        if release.map({ issued > $0.issued }) ?? true { release = (item.kind, issued) }
      case .nothing(let obstacle): if !obstacles.contains(obstacle) { obstacles.append(obstacle) }
      }
    }
    if let hold {
      guard let release, release.issued > hold.issued else { return hold.status }
      return .good(by: release.kind)
    }
    if let good { return .good(by: good) }
    if release != nil && !obstacles.contains(.outOfScope) { obstacles.append(.outOfScope) }
    return .unknown(obstacles)
  }

  private func gathered(_ certificate: Certificate, _ issuer: Certificate, _ stapled: Bytes?) -> [RevocationEvidence] {
    if stapled == nil && sources.isEmpty { return [] }
    let key = EvidenceKey(certificate: certificate.der, issuer: issuer.der, stapled: stapled)
    if let known = evidence[key] { return known }
    gatheringsMade += 1
    let issuer = IssuerKey(issuer)
    var found: [RevocationEvidence] = []
    if let stapled {
      if let response = try? OCSPResponse(parsing: stapled.span) {
        let evaluation = OCSPEvaluation(response: response, kind: .stapledResponse)
        found.append(evaluation.evidence(of: certificate, issuer: issuer))
      } else {
        found.append(RevocationEvidence(kind: .stapledResponse, conclusion: .nothing(.unreadable)))
      }
    }
    for index in (responses[certificate.serial] ?? []).prefix(RevocationChecker.maximumSources) {
      guard case .response(let response) = sources[index] else { continue }
      let item = OCSPEvaluation(response: response, kind: .suppliedResponse).evidence(of: certificate, issuer: issuer)
      // A response about another issuer's certificate with the same serial number is not worth reporting.
      if item.conclusion != .nothing(.otherCertificate) { found.append(item) }
    }
    let names = Set([certificate.issuerDER, issuer.certificate.subjectDER])
    let candidates = names.flatMap { lists[$0] ?? [] }.sorted()
    // CAs divide their lists into hundreds. Those with an entry for this certificate come first, then those that cover it.
    typealias Asked = (index: Int, list: CertificateRevocationList, entry: Revocation?)
    var naming: [Asked] = []
    var covering: [Asked] = []
    var others: [Asked] = []
    for index in candidates {
      guard case .list(let list) = sources[index] else { continue }
      if let entry = list.revocation(ofSerial: certificate.serial, serialIndex(of: list, at: index)) {
        naming.append((index, list, entry))
      } else if list.covers(certificate) {
        covering.append((index, list, nil))
      } else {
        others.append((index, list, nil))
      }
    }
    let relevant = naming + covering
    let asked = relevant.prefix(RevocationChecker.maximumSources) + others.prefix(RevocationChecker.maximumSilentSources)
    for (index, list, entry) in asked.sorted(by: { $0.index < $1.index }) {
      let evaluation = ListEvaluation(list: list, signature: signature(of: list, at: index, issuer), entry: entry)
      found.append(evaluation.evidence(of: certificate, issuer: issuer))
    }
    let count = max(responses[certificate.serial]?.count ?? 0, relevant.count)
    if count > RevocationChecker.maximumSources {
      found.append(RevocationEvidence(kind: .list, conclusion: .nothing(.tooMany)))
    }
    evidence.insert(found, for: key, cost: found.count)
    return found
  }

  private func serialIndex(of list: CertificateRevocationList, at index: Int) -> SerialIndex {
    if let known = serialIndices[index] { return known }
    let made = list.serialIndex()
    serialIndices[index] = made
    return made
  }

  /// The result for a list and a key is cached, because hashing a list of many megabytes is slow.
  private func signature(of list: CertificateRevocationList, at index: Int, _ issuer: IssuerKey) -> SignatureVerification {
    let key = SignatureKey(list: index, key: issuer.certificate.subjectPublicKeyInfoDER)
    return listSignatures.value(for: key, cost: { _ in 0 }) { list.verifySignature(with: issuer.key) }
  }
}
