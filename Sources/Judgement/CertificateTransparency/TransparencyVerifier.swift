package import ByteParsing
package import CertificateParsing
import CertificateSignatures

/// Verifies SCTs under a log list, each SCT list of a certificate once.
///
/// It is a class so that judges can share the results. It must be used from one thread only.
package final class TransparencyVerifier {
  /// The logs, read at first use.
  package private(set) lazy var logList = load()

  private let load: () -> TransparencyLogList

  /// The maximum number of SCTs verified per list; a signature takes about 50 µs.
  package static let maximumVerifications = 32

  /// The maximum number of cached results.
  private static let maximumCacheCount = 8192

  private struct Key: Hashable {
    var source: TimestampSource
    var list: Bytes
    var leaf: Bytes
    var issuerKey: Bytes?
  }

  private var results = RecentTable<[Key: [VerifiedTimestamp]]>(entriesPerGeneration: maximumCacheCount / 2)

  /// The number of lists that were not in the cache.
  package private(set) var verificationsMade = 0

  package init(logList: @escaping @autoclosure () -> TransparencyLogList) { load = logList }

  /// The SCTs of a list, without those that cannot count: other versions and malformed ones. Nil if the list cannot be parsed.
  ///
  /// `issuer` is the certificate that signed the leaf; embedded SCTs require it.
  package func timestamps(_ list: Bytes, from source: TimestampSource, of leaf: Certificate, issuer: Certificate?) -> [VerifiedTimestamp]? {
    let issuerKey = source == .certificate ? issuer?.subjectPublicKeyInfoDER : nil
    let key = Key(source: source, list: list, leaf: leaf.der, issuerKey: issuerKey)
    if let known = results[key] { return known }
    guard let parsed = try? SignedCertificateTimestampList(parsing: list.span) else { return nil }
    verificationsMade += 1
    let entry: SignedEntry? =
      source == .certificate
      ? issuerKey.flatMap { SignedEntry(precertificateOf: leaf, issuerKey: $0) }
      : SignedEntry(certificate: leaf)
    var verified: [VerifiedTimestamp] = []
    for (index, sct) in parsed.timestamps.enumerated() where sct.version == 0 {
      let result = index < TransparencyVerifier.maximumVerifications ? result(of: sct, from: source, leaf, entry) : .notVerifiable
      verified.append(VerifiedTimestamp(source: source, logID: sct.logID, time: sct.time, validity: result))
    }
    results.insert(verified, for: key)
    return verified
  }

  private func result(of sct: SignedCertificateTimestamp, from source: TimestampSource, _ leaf: Certificate, _ entry: SignedEntry?)
    -> VerifiedTimestamp.Validity
  {
    guard let log = logList.logs[sct.logID] else { return .unknownLog }
    switch log.state {
    case .accepted, .retired, .rejected, .pending: break
    case .readOnly(let since): if sct.time > since { return .invalid(.frozen) }
    case .notTrusted: return .invalid(.notTrusted)
    }
    if let notAfter = leaf.notAfter, !log.accepts(notAfter: notAfter) { return .invalid(.shard) }
    guard let message = entry?.message(for: sct) else { return .notVerifiable }
    // RFC 6962 §2.1.4: ECDSA or RSA with SHA-256.
    let method: SignatureMethod
    switch (sct.hashAlgorithm, sct.signatureAlgorithm) {
    case (4, 3): method = .ecdsa(.sha256)
    case (4, 1): method = .rsaPKCS1(.sha256)
    default: return .invalid(.signature)
    }
    switch log.key.verify(sct.signature[...], over: message[...], method: method) {
    case .valid: return .valid
    case .invalid: return .invalid(.signature)
    case .notVerifiable: return .notVerifiable
    }
  }
}
