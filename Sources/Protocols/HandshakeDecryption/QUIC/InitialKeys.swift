import ByteParsing
import Crypto
package import QUICParsing

/// The keys of Initial packets, which anyone can derive from the client's first connection ID (RFC 9001 §5.2).
///
/// Deriving them costs six times as much as decrypting a packet, so keep them for the connection.
package struct InitialKeys: Sendable {
  /// The version for which they were derived.
  package let version: QUICVersion

  /// The Destination Connection ID from which they were derived.
  package let connectionID: ConnectionID

  /// The protection of the client's packets.
  package let client: PacketProtection

  /// The protection of the server's packets.
  package let server: PacketProtection

  /// Derives the keys; nil for a version whose constants are unknown. For a version that does not determine the constants, `attempt`
  /// selects one of the possible sets.
  package init?(version: QUICVersion, connectionID: ConnectionID, attempt: Int = 0) {
    let protections = version.protections
    guard protections.indices.contains(attempt) else { return nil }
    let constants = protections[attempt]
    let secrets = InitialKeys.secrets(constants, connectionID)
    guard
      let client = PacketProtection(secret: secrets.client, suite: .aes128GCM, constants: constants),
      let server = PacketProtection(secret: secrets.server, suite: .aes128GCM, constants: constants)
    else { return nil }
    self.version = version
    self.connectionID = connectionID
    self.client = client
    self.server = server
  }

  /// The number of possible sets of constants for a version.
  package static func attemptCount(_ version: QUICVersion) -> Int { version.protections.count }

  static func secrets(
    _ constants: VersionConstants, _ connectionID: ConnectionID
  ) -> (client: Bytes, server: Bytes) {
    let initial = HKDF<SHA256>.extract(
      inputKeyMaterial: SymmetricKey(data: connectionID.bytes.bytes), salt: constants.salt)
    let derivation = KeyDerivation(Bytes(initial), suite: .aes128GCM)
    return (derivation.expand("client in", 32), derivation.expand("server in", 32))
  }
}
