import ByteParsing
import Crypto
public import SessionReading

/// The secret from which pseudonyms of addresses are derived. Anyone who has it can find the address of a pseudonym by trying all
/// addresses.
public struct AnonymizationKey: Sendable {
  let key: SymmetricKey

  private init(_ key: SymmetricKey) { self.key = key }

  init(secret: Bytes) { key = SymmetricKey(data: SHA256.hash(data: secret)) }

  /// Returns a new 128-bit key from the system's random number generator. Its pseudonyms cannot be reproduced.
  public static func random() -> AnonymizationKey { AnonymizationKey(SymmetricKey(size: .bits128)) }

  /// Derives the key from the bytes of a file, so that several runs produce the same pseudonyms.
  ///
  /// Throws if the file cannot be read, has fewer than 16 bytes, or has more than 65,536.
  public init(contentsOf path: String) throws(AuditError) {
    let contents = try WholeFile(path, limit: AnonymizationKey.byteCounts.upperBound).bytes
    guard AnonymizationKey.byteCounts.contains(contents.count) else {
      throw AuditError(file: path, "an anonymization key has at least 16 bytes; this file has \(contents.count)")
    }
    self.init(secret: contents)
  }

  private static let byteCounts = 16...65_536
}
