import ByteParsing
import CertificateParsing
import CertificateSignatures
import Revocation

extension FuzzTarget {
  /// Any certificate, OCSP response and CRL give a status. The first byte is the certificate's length in units of 16 bytes.
  static let revocation = FuzzTarget("Revocation") { bytes in
    guard bytes.count > 1 else { return }
    let split = min(bytes.count, 1 + Int(bytes[0]) * 16)
    let certificate = Certificate(parsing: bytes.extracting(1..<max(1, split)))
    let rest = Bytes(copying: bytes.extracting(droppingFirst: max(1, split)))
    _ = certificate.verifyOwnSignature()
    var sources: [RevocationSource] = []
    if let list = try? CertificateRevocationList(parsing: rest.span) { sources.append(.list(list)) }
    let checker = RevocationChecker(sources)
    _ = checker.status(of: certificate, issuer: certificate, stapled: rest) { _ in true }
  }
}
