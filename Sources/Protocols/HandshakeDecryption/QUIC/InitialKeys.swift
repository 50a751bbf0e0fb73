import ByteParsing
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

  /// The keys for each set of constants that the version may have, the likeliest first; none for a version whose constants are unknown.
  package static func candidates(version: QUICVersion, connectionID: ConnectionID) -> [InitialKeys] {
    version.protections.compactMap { constants in
      let secrets = InitialKeys.secrets(constants, connectionID)
      guard let client = PacketProtection(secret: secrets.client, suite: .aes128GCM, constants: constants),
        let server = PacketProtection(secret: secrets.server, suite: .aes128GCM, constants: constants)
      else { return nil }
      return InitialKeys(version: version, connectionID: connectionID, client: client, server: server)
    }
  }

  static func secrets(_ constants: VersionConstants, _ connectionID: ConnectionID) -> (client: Bytes, server: Bytes) {
    let hash = HashKind.sha256
    let initial = hash.extract(connectionID.bytes.bytes, salt: constants.salt)
    return (hash.expand(initial, label: "client in", 32), hash.expand(initial, label: "server in", 32))
  }
}
