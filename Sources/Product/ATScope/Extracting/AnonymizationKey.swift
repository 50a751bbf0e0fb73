package import ByteParsing
package import Crypto

/// The secret from which pseudonyms of addresses are derived. With it, the address of a pseudonym can be found by trying all addresses.
public struct AnonymizationKey: Sendable {
  package let key: SymmetricKey

  private init(_ key: SymmetricKey) { self.key = key }

  package init(secret: Bytes) { key = SymmetricKey(data: SHA256.hash(data: secret)) }

  /// A new 128-bit key from the system's random number generator: its pseudonyms cannot be reproduced.
  public static func random() -> AnonymizationKey { AnonymizationKey(SymmetricKey(size: .bits128)) }

  /// Derives the key from the bytes of a file, for the same pseudonyms over several runs.
  ///
  /// Throws where the file cannot be read, or has less than 16 or more than 65,536 bytes.
  public init(contentsOf path: String) throws(AuditError) {
    let contents = try WholeFile(path, limit: AnonymizationKey.byteCounts.upperBound).bytes
    guard AnonymizationKey.byteCounts.contains(contents.count) else {
      throw AuditError(
        file: path, "an anonymization key has at least 16 bytes; this file has \(contents.count)")
    }
    self.init(secret: contents)
  }

  private static let byteCounts = 16...65_536
}
