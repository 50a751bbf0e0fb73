package import ByteParsing
package import Values

/// The name of an address in a capture (a record of a Name Resolution Block).
package struct CaptureName: Hashable, Sendable {
  package let address: IPAddress
  package let name: String

  /// The number of packets before it in the file.
  package let precedingPackets: UInt64
}

/// Secrets in a capture (a Decryption Secrets Block), which must never appear in a report.
package struct DecryptionSecrets: Hashable, Sendable {
  /// The format of the data.
  package let type: SecretsType

  package let data: Bytes

  /// The number of packets before them in the file.
  package let precedingPackets: UInt64
}

package struct SecretsType: RawRepresentable, Hashable, Sendable {
  package var rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let tlsKeyLog = SecretsType(rawValue: 0x544C_534B)
}
