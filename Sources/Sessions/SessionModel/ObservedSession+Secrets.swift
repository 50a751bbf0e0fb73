import HandshakeDecryption

extension ObservedSession {
  /// Whether secrets would open the handshake: those of a suite that is not opened here would be requested in vain.
  public var isOpenedBySecrets: Bool {
    tls?.serverHello?.cipherSuite.map { SealedSuite($0) != nil } ?? true
  }
}
