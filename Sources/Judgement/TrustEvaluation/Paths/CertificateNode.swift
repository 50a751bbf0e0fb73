import ByteParsing
import CertificateParsing
import CertificateSignatures
import SessionModel

/// A certificate in the form that the path search uses: its names comparable, its key read once.
final class CertificateNode {
  let observed: ObservedCertificate

  /// A number that is unique in the table.
  let number: UInt32

  let subject: NormalizedName
  let issuer: NormalizedName

  /// A number that only certificates with the same key share.
  let keyNumber: UInt32

  /// The subject's key, read when it is first needed to verify a signature.
  private(set) lazy var key = VerificationKey(of: certificate)

  var certificate: Certificate { observed.certificate }

  init(_ observed: ObservedCertificate, number: UInt32, keyNumber: UInt32) {
    self.observed = observed
    self.number = number
    self.keyNumber = keyNumber
    let certificate = observed.certificate
    subject = NormalizedName(certificate.subjectDER)
    issuer = certificate.isSelfIssued ? subject : NormalizedName(certificate.issuerDER)
  }

  var isSelfIssued: Bool { subject == issuer }

  /// Compares the authority key identifier with the subject key identifier of a possible issuer.
  func identifiers(fit other: CertificateNode) -> Agreement {
    guard let wanted = certificate.authorityKeyIdentifier, let has = other.certificate.subjectKeyIdentifier else { return .unknown }
    return wanted == has ? .agree : .disagree
  }

  /// The result of comparing two key identifiers.
  enum Agreement: Int {
    case agree, unknown, disagree
  }
}

/// Certificates by their bytes, and the results of verifying their signatures. Each certificate is decoded once, and verified once per key,
/// however many chains contain it.
///
/// A full table is emptied, except for certificates to keep such as anchors. That costs time, but no correctness.
struct CertificateTable {
  /// The approximate maximum number of certificates. One chain may exceed it, and the certificates to keep count too.
  static let maximumCount = 40_960

  /// The maximum number of verification results.
  static let maximumSignatures = 65_536

  private var nodes: [ObservedCertificate: CertificateNode] = [:]
  private var keyNumbers: [ByteKey: UInt32] = [:]
  private var signatures = RecentTable<[UInt64: SignatureVerification]>(entriesPerGeneration: maximumSignatures / 2)
  private var observed = CertificateCache()
  // Never reused, even after the table was emptied, because nodes may outlive it.
  private var nextNumber: UInt32 = 0

  /// The node of a certificate, created if necessary.
  mutating func node(_ observed: ObservedCertificate) -> CertificateNode {
    if let known = nodes[observed] { return known }
    nextNumber &+= 1
    let key = ByteKey(observed.certificate.subjectPublicKeyInfoDER)
    let keyNumber = keyNumbers[key] ?? nextNumber
    keyNumbers[key] = keyNumber
    let node = CertificateNode(observed, number: nextNumber, keyNumber: keyNumber)
    nodes[observed] = node
    return node
  }

  var isFull: Bool { nodes.count >= CertificateTable.maximumCount }

  /// Empties the table except for some certificates, which keep their numbers.
  mutating func empty(keeping kept: [CertificateNode]) {
    nodes.removeAll()
    keyNumbers.removeAll()
    for node in kept {
      nodes[node.observed] = node
      keyNumbers[ByteKey(node.certificate.subjectPublicKeyInfoDER)] = node.keyNumber
    }
  }

  /// Decodes a certificate, unless it is already in the table.
  mutating func observe(_ der: Bytes) -> ObservedCertificate { observed.certificate(der.span) }

  /// The result of verifying a certificate's signature with the key of another; nil if it was not tried yet.
  func known(_ certificate: CertificateNode, by issuer: CertificateNode) -> SignatureVerification? {
    signatures[CertificateTable.pair(certificate, issuer)]
  }

  /// Verifies a certificate's signature with the key of another, unless the result is already in the table.
  mutating func verify(_ certificate: CertificateNode, by issuer: CertificateNode) -> SignatureVerification {
    signatures.value(for: CertificateTable.pair(certificate, issuer), cost: { _ in 0 }) {
      certificate.certificate.verifySignature(with: issuer.key)
    }
  }

  private static func pair(_ certificate: CertificateNode, _ issuer: CertificateNode) -> UInt64 {
    UInt64(certificate.number) << 32 | UInt64(issuer.keyNumber)
  }
}
