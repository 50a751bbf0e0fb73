package import ByteParsing
package import Values

/// A name that a capture gives to an address (a record of a Name Resolution Block).
package struct CaptureName: Hashable, Sendable {
  package let address: IPAddress
  package let name: String

  /// The number of packets before it in the file.
  package let precedingPackets: UInt64
}

/// Secrets that a capture carries (a Decryption Secrets Block). Never to be shown in a report.
package struct DecryptionSecrets: Hashable, Sendable {
  /// What the data hold.
  package let type: SecretsType

  package let data: Bytes

  /// The number of packets before them in the file.
  package let precedingPackets: UInt64
}

package struct SecretsType: RawRepresentable, Hashable, Sendable {
  package var rawValue: UInt32

  /// Takes any number, known or not.
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let tlsKeyLog = SecretsType(rawValue: 0x544C_534B)
}
