import ByteParsing
import CertificateParsing
import Crypto

/// The data that a log signs in an SCT (RFC 6962 §3.2).
struct SignedEntry {
  /// The type and the content of the entry: `entry_type`, `signed_entry`.
  private let entry: Bytes

  /// The entry of a certificate whose SCT is not embedded; nil if the certificate is too long.
  init?(certificate: Certificate) {
    guard let body = SignedEntry.prefixed(certificate.der) else { return nil }
    entry = [0, 0] + body
  }

  /// The entry of a certificate with an embedded SCT, under its issuer's key; nil if the certificate has none.
  init?(precertificateOf certificate: Certificate, issuerKey: Bytes) {
    guard let tbs = certificate.precertificateTBSDER, let body = SignedEntry.prefixed(tbs) else { return nil }
    entry = [0, 1] + SHA256.hash(data: issuerKey) + body
  }

  /// The data that the signature of an SCT covers; nil if the SCT's extensions are too long.
  func message(for sct: SignedCertificateTimestamp) -> Bytes? {
    guard sct.extensions.count <= 0xFFFF else { return nil }
    // sct_version 0 is v1; signature_type 0 is certificate_timestamp.
    var message: Bytes = [0, 0]
    message.reserveCapacity(entry.count + sct.extensions.count + 12)
    for shift in stride(from: UInt64(56), through: 0, by: -8) {
      message.append(UInt8(truncatingIfNeeded: sct.timestampMilliseconds >> shift))
    }
    message += entry
    message.append(UInt8(sct.extensions.count >> 8))
    message.append(UInt8(sct.extensions.count & 0xFF))
    return message + sct.extensions
  }

  /// `opaque<1..2^24-1>`.
  private static func prefixed(_ bytes: Bytes) -> Bytes? {
    guard (1..<1 << 24).contains(bytes.count) else { return nil }
    let count = bytes.count
    return [UInt8(count >> 16), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)] + bytes
  }
}
