import ByteParsing
public import CertificateParsing
import Crypto
import TLSParsing

/// A certificate with its digests. Each distinct certificate is decoded once, however many sessions show it.
public final class ObservedCertificate: Sendable, Hashable {
  /// The facts of the certificate.
  public let certificate: Certificate

  /// SHA-256 of the DER, 64 hexadecimal digits.
  public let sha256: String

  /// SHA-256 of the SubjectPublicKeyInfo's DER; nil where that could not be read.
  public let spkiSHA256: String?

  /// Wraps a certificate and its digests.
  package init(certificate: Certificate, sha256: String, spkiSHA256: String?) {
    self.certificate = certificate
    self.sha256 = sha256
    self.spkiSHA256 = spkiSHA256
  }

  /// Reads a certificate and makes its digests.
  package convenience init(parsing der: Span<UInt8>) {
    let certificate = Certificate(parsing: der)
    let key = certificate.subjectPublicKeyInfoDER
    self.init(
      certificate: certificate, sha256: hexadecimal(SHA256.hash(data: certificate.der)),
      spkiSHA256: key.isEmpty ? nil : hexadecimal(SHA256.hash(data: key)))
  }

  /// Certificates are equal when their bytes are.
  public static func == (a: ObservedCertificate, b: ObservedCertificate) -> Bool {
    a === b || a.certificate.der == b.certificate.der
  }

  /// Hashes the digest.
  public func hash(into hasher: inout Hasher) { hasher.combine(sha256) }
}

/// The certificates of one Certificate message, as sent: the leaf first. Many sessions share one.
public final class CertificateChain: Sendable, Hashable {
  /// The certificates in the order sent.
  public let certificates: [ObservedCertificate]

  /// Whether the whole message was seen; if not, the last certificates may be missing.
  public let isComplete: Bool

  /// Whether there are more certificates than are read.
  package var isBeyondLimit: Bool {
    !isComplete && certificates.count == CertificateMessage.maximumCertificateCount
  }

  /// Wraps the certificates of a message.
  package init(_ certificates: [ObservedCertificate], isComplete: Bool) {
    self.certificates = certificates
    self.isComplete = isComplete
  }

  /// Chains are equal when they show the same certificates in the same order.
  public static func == (a: CertificateChain, b: CertificateChain) -> Bool {
    a === b || (a.certificates == b.certificates && a.isComplete == b.isComplete)
  }

  /// Hashes the certificates.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(certificates)
    hasher.combine(isComplete)
  }
}
