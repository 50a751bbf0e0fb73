/// Limits on the memory and work of one connection, with their reasons.
enum QUICLimits {
  /// CRYPTO bytes of one side in Initial packets. Hellos with post-quantum keys have about two thousand.
  static let initialBytes = 32 * 1024

  /// CRYPTO bytes of one side in Handshake packets. They are read only with secrets, and consist mainly of certificates.
  static let handshakeBytes = 256 * 1024

  /// Packets held until their keys are known, and the bytes of those packets.
  static let heldPackets = 16
  static let heldBytes = 24 * 1024

  /// Sets of Initial keys: for the first connection ID, those after Retry or version negotiation, and the server's version.
  static let keySets = 6

  /// Packets that may fail to decrypt before no more keys are derived for the connection.
  static let failures = 32

  /// Times that held packets may fail again under new keys before no more packets are held.
  static let repeatedFailures = 64

  /// Packets after the handshake, after which the rest of a hello is no longer awaited.
  static let packetsAfterHandshake = 64

  /// Events that have not been taken yet.
  static let events = 256
}
