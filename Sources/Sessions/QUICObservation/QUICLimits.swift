/// What bounds the memory and the work of one connection, and why.
enum QUICLimits {
  /// CRYPTO bytes of one side in Initial packets. Hellos with post-quantum keys have two thousand.
  static let initialBytes = 32 * 1024

  /// CRYPTO bytes of one side in Handshake packets, which are read with secrets only: certificates.
  static let handshakeBytes = 256 * 1024

  /// Packets held until the keys to open them are known, and their bytes.
  static let heldPackets = 16
  static let heldBytes = 24 * 1024

  /// Sets of Initial keys: the first connection ID, those after Retry or version negotiation, the server's version.
  static let keySets = 6

  /// Packets that may fail to open before no more keys are derived for the connection.
  static let failures = 32

  /// Times that packets which were held may fail again under new keys before no more are held.
  static let repeatedFailures = 64

  /// Packets after the handshake after which the rest of a hello is no longer waited for.
  static let packetsAfterHandshake = 64

  /// Events that wait to be taken.
  static let events = 256
}
