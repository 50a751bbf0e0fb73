import ByteParsing
import CertificateParsing
import InputSources
import TrustEvaluation

/// The root store of the machine that runs the program.
enum MachineRoots {
  /// The locations on Debian and Ubuntu, Fedora, SUSE, and Alpine.
  private static let bundles = [
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
  ]

  /// The files of Apple's systems: tables and keychains that contain certificates among other data.
  private static let applesTables = [
    "/System/Library/Security/Certificates.bundle/Contents/Resources/certsTable.data",
    "/System/Library/Keychains/SystemRootCertificates.keychain",
  ]

  /// The roots of the first location that has any; empty if none has.
  static func read() -> (roots: [Bytes], kind: TrustStore.SystemRoots) {
    for path in applesTables {
      guard let bytes = try? FileContents.read(path, limit: TrustAnchors.maximumLength) else { continue }
      let roots = selfIssued(in: bytes)
      if !roots.isEmpty { return (roots, .machine(isApples: true)) }
    }
    for path in bundles {
      guard let bytes = try? FileContents.read(path, limit: TrustAnchors.maximumLength),
        let blocks = try? PEMBlock.read(bytes.span)
      else { continue }
      let roots = blocks.filter { $0.label == .certificate }.map(\.der)
      if !roots.isEmpty { return (roots, .machine(isApples: false)) }
    }
    return ([], .machine(isApples: false))
  }

  /// Returns the self-issued certificates in a file of another format.
  static func selfIssued(in bytes: Bytes) -> [Bytes] {
    var found: [Bytes] = []
    var offset = 0
    // A certificate of more than 255 bytes begins with the headers of two SEQUENCEs: its own, and that of its signed part.
    while offset + 8 <= bytes.count {
      guard bytes[offset] == 0x30, bytes[offset + 1] == 0x82, bytes[offset + 4] == 0x30, bytes[offset + 5] == 0x82 else {
        offset += 1
        continue
      }
      let end = offset + 4 + Int(bytes[offset + 2]) << 8 + Int(bytes[offset + 3])
      guard end <= bytes.count else {
        offset += 1
        continue
      }
      let certificate = Certificate(parsing: bytes.span.extracting(offset..<end))
      if certificate.decodingError == nil {
        if certificate.isSelfIssued { found.append(certificate.der) }
        offset = end
      } else {
        offset += 1
      }
    }
    return found
  }
}
