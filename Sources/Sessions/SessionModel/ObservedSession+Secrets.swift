import HandshakeDecryption

extension ObservedSession {
  /// Whether secrets would decrypt the handshake; false if its cipher suite is unsupported.
  package var isOpenedBySecrets: Bool {
    sharedTLS?.sharedServerHello?.cipherSuite.map { DecryptableSuite($0) != nil } ?? true
  }
}
