import ByteParsing
public import CertificateParsing
import Crypto
import TLSParsing

/// A certificate with its digests. Each distinct certificate is decoded once, however many sessions contain it.
public final class ObservedCertificate: Sendable, Hashable {
  /// The facts of the certificate.
  public let certificate: Certificate

  /// SHA-256 of the DER, 64 hexadecimal digits.
  public let sha256: String

  /// SHA-256 of the DER of the SubjectPublicKeyInfo, 64 hexadecimal digits; nil if it could not be read.
  public let spkiSHA256: String?

  /// `spkiSHA256` in Base64, as NSPinnedDomains contains it.
  package var pin: String? { spkiSHA256.flatMap { bytes(ofHexadecimal: $0.utf8) }.map(Base64.text(of:)) }

  package init(certificate: Certificate, sha256: String, spkiSHA256: String?) {
    self.certificate = certificate
    self.sha256 = sha256
    self.spkiSHA256 = spkiSHA256
  }

  /// Decodes a certificate and computes its digests.
  package convenience init(parsing der: Span<UInt8>) {
    let certificate = Certificate(parsing: der)
    let key = certificate.subjectPublicKeyInfoDER
    self.init(
      certificate: certificate, sha256: hexadecimal(SHA256.hash(data: certificate.der)),
      spkiSHA256: key.isEmpty ? nil : hexadecimal(SHA256.hash(data: key)))
  }

  /// Returns whether both certificates have the same bytes.
  public static func == (a: ObservedCertificate, b: ObservedCertificate) -> Bool {
    a === b || a.certificate.der == b.certificate.der
  }

  /// Hashes the digest.
  public func hash(into hasher: inout Hasher) { hasher.combine(sha256) }
}

/// The certificates of one Certificate message, as sent, leaf first. Sessions share equal chains.
public final class CertificateChain: Sendable, Hashable {
  /// The certificates in the order sent.
  public let certificates: [ObservedCertificate]

  /// Whether the whole message was captured and read; if not, the last certificates may be missing.
  public let isComplete: Bool

  /// Whether reading stopped at the limit on certificates.
  package var isBeyondLimit: Bool {
    !isComplete && certificates.count == CertificateMessage.maximumCertificateCount
  }

  package init(_ certificates: [ObservedCertificate], isComplete: Bool) {
    self.certificates = certificates
    self.isComplete = isComplete
  }

  /// Returns whether both chains have the same certificates in the same order.
  public static func == (a: CertificateChain, b: CertificateChain) -> Bool {
    a === b || (a.certificates == b.certificates && a.isComplete == b.isComplete)
  }

  /// Hashes the certificates.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(certificates)
    hasher.combine(isComplete)
  }
}
