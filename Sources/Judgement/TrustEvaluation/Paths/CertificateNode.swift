import ByteParsing
import CertificateParsing
import CertificateSignatures
import SessionModel

/// A certificate as the search for paths sees it: its names in comparable form and its key, read once.
final class CertificateNode {
  let observed: ObservedCertificate

  /// A number that no other certificate of the same table has.
  let number: UInt32

  let subject: NormalizedName
  let issuer: NormalizedName

  /// A number that certificates with the same key share, and no others.
  let keyNumber: UInt32

  /// The subject's key; read when a signature is first to be verified with it.
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

  /// Compares its authority key identifier with the subject key identifier of a possible issuer.
  func identifiers(fit other: CertificateNode) -> Agreement {
    guard let wanted = certificate.authorityKeyIdentifier, let has = other.certificate.subjectKeyIdentifier
    else { return .unknown }
    return wanted == has ? .agree : .disagree
  }

  /// How two key identifiers compare.
  enum Agreement: Int {
    case agree, unknown, disagree
  }
}

/// Certificates by their bytes, and what is known of the signatures on them: each is decoded once and verified once
/// with each key, however many chains hold it.
///
/// What is held is bounded: a full table is emptied of all but anchors and the like. That costs time and no correctness.
struct CertificateTable {
  /// Certificates that are held at most, about: what one chain adds may go beyond, and what is kept counts too.
  static let maximumCount = 40_960

  /// Verified signatures that are held at most.
  static let maximumSignatures = 65_536

  private var nodes: [ObservedCertificate: CertificateNode] = [:]
  private var keyNumbers: [ByteKey: UInt32] = [:]
  private var signatures: [UInt64: SignatureVerification] = [:]
  private var observed = CertificateCache()
  // Never used twice, also not after a table was emptied: nodes may outlive it.
  private var nextNumber: UInt32 = 0

  /// The form of a certificate that the search uses.
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

  /// Empties the table but for some certificates, which keep their numbers.
  mutating func empty(keeping kept: [CertificateNode]) {
    nodes.removeAll()
    keyNumbers.removeAll()
    for node in kept {
      nodes[node.observed] = node
      keyNumbers[ByteKey(node.certificate.subjectPublicKeyInfoDER)] = node.keyNumber
    }
  }

  /// Decodes a certificate, or finds it decoded.
  mutating func observe(_ der: Bytes) -> ObservedCertificate { observed.certificate(der.span) }

  /// What came of verifying a certificate's signature with the key of another; nil where it was not tried yet.
  func known(_ certificate: CertificateNode, by issuer: CertificateNode) -> SignatureVerification? {
    signatures[CertificateTable.pair(certificate, issuer)]
  }

  /// Verifies a certificate's signature with the key of another, or finds what came of it.
  mutating func verify(_ certificate: CertificateNode, by issuer: CertificateNode) -> SignatureVerification {
    let pair = CertificateTable.pair(certificate, issuer)
    if let known = signatures[pair] { return known }
    if signatures.count >= CertificateTable.maximumSignatures {
      signatures.removeAll(keepingCapacity: true)
    }
    let verification = certificate.certificate.verifySignature(with: issuer.key)
    signatures[pair] = verification
    return verification
  }

  private static func pair(_ certificate: CertificateNode, _ issuer: CertificateNode) -> UInt64 {
    UInt64(certificate.number) << 32 | UInt64(issuer.keyNumber)
  }
}
