package import ByteParsing
package import Values

/// A name that a capture gives to an address (a record of a Name Resolution Block).
package struct CaptureName: Hashable, Sendable {
  /// The address.
  package let address: IPAddress

  /// One of its names.
  package let name: String

  /// The number of packets before it in the file.
  package let precedingPackets: UInt64
}

/// Secrets that a capture carries (a Decryption Secrets Block). Never to be shown in a report.
package struct DecryptionSecrets: Hashable, Sendable {
  /// What the data hold.
  package let type: SecretsType

  /// The secrets, in the format of their type.
  package let data: Bytes

  /// The number of packets before them in the file.
  package let precedingPackets: UInt64
}

/// The form of secrets.
package struct SecretsType: RawRepresentable, Hashable, Sendable {
  /// The registered number.
  package var rawValue: UInt32

  /// Takes any number, known or not.
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The text of an NSS key log.
  package static let tlsKeyLog = SecretsType(rawValue: 0x544C_534B)
}
