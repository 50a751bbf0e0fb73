public import ByteParsing
public import Values

/// A name that a capture gives to an address (a record of a Name Resolution Block).
public struct CaptureName: Hashable, Sendable {
  /// The address.
  public let address: IPAddress

  /// One of its names.
  public let name: String

  /// The number of packets before it in the file.
  public let precedingPackets: UInt64
}

/// Secrets that a capture carries (a Decryption Secrets Block). Never to be shown in a report.
public struct DecryptionSecrets: Hashable, Sendable {
  /// What the data hold.
  public let type: SecretsType

  /// The secrets, in the format of their type.
  public let data: Bytes

  /// The number of packets before them in the file.
  public let precedingPackets: UInt64
}

/// The form of secrets.
public struct SecretsType: RawRepresentable, Hashable, Sendable {
  /// The registered number.
  public var rawValue: UInt32

  /// Takes any number, known or not.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The text of an NSS key log.
  public static let tlsKeyLog = SecretsType(rawValue: 0x544C_534B)
}
