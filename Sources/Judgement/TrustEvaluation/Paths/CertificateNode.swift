import ByteParsing
import CertificateParsing
import CertificateSignatures
import SessionModel

/// A certificate as the search for paths sees it: its names in comparable form and its key, read once.
final class CertificateNode {
  /// The certificate with its digests.
  let observed: ObservedCertificate

  /// A number that no other certificate of the same table has.
  let number: UInt32

  /// The subject.
  let subject: NormalizedName

  /// The issuer.
  let issuer: NormalizedName

  /// A number that certificates with the same key share, and no others.
  let keyNumber: UInt32

  /// The subject's key; read when a signature is first to be verified with it.
  private(set) lazy var key = VerificationKey(of: certificate)

  /// The facts of the certificate.
  var certificate: Certificate { observed.certificate }

  init(_ observed: ObservedCertificate, number: UInt32, keyNumber: UInt32) {
    self.observed = observed
    self.number = number
    self.keyNumber = keyNumber
    let certificate = observed.certificate
    subject = NormalizedName(certificate.subjectDER)
    issuer = certificate.isSelfIssued ? subject : NormalizedName(certificate.issuerDER)
  }

  /// Whether the certificate names itself as its issuer.
  var isSelfIssued: Bool { subject == issuer }

  /// Whether it names the issuer's key by an identifier, and the issuer says that its key has this one.
  func identifiers(fit other: CertificateNode) -> Agreement {
    guard let wanted = certificate.authorityKeyIdentifier, let has = other.certificate.subjectKeyIdentifier
    else { return .unknown }
    return wanted == has ? .agree : .disagree
  }

  /// Whether key identifiers are the same.
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

  private var nodes: [CertificateNode] = []
  private var places = HashedPlaces()
  /// The first certificate with each key.
  private var keys: [CertificateNode] = []
  private var placesOfKeys = HashedPlaces()
  private var signatures: [(pair: UInt64, verification: SignatureVerification)] = []
  private var placesOfSignatures = HashedPlaces()
  private let seed = UInt64.random(in: .min ... .max)
  private var observed = CertificateCache()
  // Never used twice, also not after a table was emptied: nodes may outlive it.
  private var nextNumber: UInt32 = 0

  /// The form of a certificate that the search uses.
  mutating func node(_ observed: ObservedCertificate) -> CertificateNode {
    let hash = observed.hashValue
    if let known = places.first(of: hash, where: { nodes[$0].observed == observed }) { return nodes[known] }
    let key = observed.certificate.subjectPublicKeyInfoDER
    let hashOfKey = Int(truncatingIfNeeded: seededHash(of: key.span, seed: seed))
    let known = placesOfKeys.first(of: hashOfKey) { keys[$0].certificate.subjectPublicKeyInfoDER == key }
    nextNumber &+= 1
    let node = CertificateNode(
      observed, number: nextNumber, keyNumber: known.map { keys[$0].keyNumber } ?? nextNumber)
    if known == nil {
      keys.append(node)
      placesOfKeys.append(hashOfKey)
    }
    nodes.append(node)
    places.append(hash)
    return node
  }

  /// Whether it is time to empty the table.
  var isFull: Bool { nodes.count >= CertificateTable.maximumCount }

  /// Empties the table but for some certificates, which keep their numbers.
  mutating func empty(keeping kept: [CertificateNode]) {
    nodes = kept
    keys = kept
    places.removeAll()
    placesOfKeys.removeAll()
    for node in kept {
      places.append(node.observed.hashValue)
      let key = node.certificate.subjectPublicKeyInfoDER
      placesOfKeys.append(Int(truncatingIfNeeded: seededHash(of: key.span, seed: seed)))
    }
  }

  /// Decodes a certificate, or finds it decoded.
  mutating func observe(_ der: Bytes) -> ObservedCertificate { observed.certificate(der.span) }

  /// What came of verifying a certificate's signature with the key of another; nil where it was not tried yet.
  func known(_ certificate: CertificateNode, by issuer: CertificateNode) -> SignatureVerification? {
    known(CertificateTable.pair(certificate, issuer))
  }

  private func known(_ pair: UInt64) -> SignatureVerification? {
    let place = placesOfSignatures.first(of: pair.hashValue) { signatures[$0].pair == pair }
    return place.map { signatures[$0].verification }
  }

  /// Verifies a certificate's signature with the key of another, or finds what came of it.
  mutating func verify(_ certificate: CertificateNode, by issuer: CertificateNode) -> SignatureVerification {
    let pair = CertificateTable.pair(certificate, issuer)
    if let known = known(pair) { return known }
    if signatures.count >= CertificateTable.maximumSignatures {
      signatures.removeAll(keepingCapacity: true)
      placesOfSignatures.removeAll()
    }
    let verification = certificate.certificate.verifySignature(with: issuer.key)
    signatures.append((pair, verification))
    placesOfSignatures.append(pair.hashValue)
    return verification
  }

  private static func pair(_ certificate: CertificateNode, _ issuer: CertificateNode) -> UInt64 {
    UInt64(certificate.number) << 32 | UInt64(issuer.keyNumber)
  }
}
