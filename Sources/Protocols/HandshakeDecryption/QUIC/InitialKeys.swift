import ByteParsing
import Crypto
package import QUICParsing

/// The keys of Initial packets, which everyone can derive from the client's first connection ID (RFC 9001 §5.2).
///
/// Deriving costs six times what opening a packet does: keep them for the connection.
package struct InitialKeys: Sendable {
  /// The version that they were derived for.
  package let version: QUICVersion

  /// The Destination Connection ID that they were derived from.
  package let connectionID: ConnectionID

  /// What the client's packets are opened with.
  package let client: PacketProtection

  /// What the server's packets are opened with.
  package let server: PacketProtection

  /// Derives the keys; nil for a version whose constants are not known. For a version that leaves the constants open,
  /// `attempt` goes through those that are possible.
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

  /// How many attempts a version has.
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
