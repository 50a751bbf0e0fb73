import ByteParsing

/// The first word of a key log line, as far as it is relevant (RFC 9850).
enum KeyLogLabel: Hashable, Sendable {
  /// The client's handshake traffic secret.
  case clientHandshake
  /// The server's handshake traffic secret.
  case serverHandshake
  /// The server's first application traffic secret, under which it sends alerts about the client's certificate.
  case serverApplication
  /// A secret that would decrypt application data; it is dropped immediately.
  case application
  /// The shared secret that decrypts an inner hello.
  case innerSecret
  /// The configuration under which an inner hello was encrypted.
  case innerConfig
  /// A secret that is not needed.
  case other

  /// Nil for a word that is not a key log label.
  init?(_ word: Span<UInt8>) {
    guard let label = KeyLogLabel.labels[Bytes(copying: word)] ?? KeyLogLabel.updated(word) else { return nil }
    self = label
  }

  private static let labels: [Bytes: KeyLogLabel] = {
    var labels: [Bytes: KeyLogLabel] = [:]
    func add(_ label: KeyLogLabel, _ words: [String]) {
      for word in words { labels[Bytes(word.utf8)] = label }
    }
    // Older programs used separate labels for QUIC.
    add(.clientHandshake, ["CLIENT_HANDSHAKE_TRAFFIC_SECRET", "QUIC_CLIENT_HANDSHAKE_TRAFFIC_SECRET"])
    add(.serverHandshake, ["SERVER_HANDSHAKE_TRAFFIC_SECRET", "QUIC_SERVER_HANDSHAKE_TRAFFIC_SECRET"])
    add(.serverApplication, ["SERVER_TRAFFIC_SECRET_0"])
    add(
      .application,
      [
        "CLIENT_EARLY_TRAFFIC_SECRET", "QUIC_CLIENT_EARLY_TRAFFIC_SECRET", "QUIC_CLIENT_TRAFFIC_SECRET_0",
        "QUIC_SERVER_TRAFFIC_SECRET_0", "CLIENT_RANDOM", "RSA", "PMS_CLIENT_RANDOM",
      ])
    add(.other, ["EXPORTER_SECRET", "EARLY_EXPORTER_SECRET", "EARLY_EXPORTER_MASTER_SECRET", "QUIC_EXPORTER_SECRET"])
    add(.innerSecret, ["ECH_SECRET"])
    add(.innerConfig, ["ECH_CONFIG"])
    return labels
  }()

  /// `CLIENT_TRAFFIC_SECRET_N` and `SERVER_TRAFFIC_SECRET_N`, whose number increases with each key update.
  private static func updated(_ word: Span<UInt8>) -> KeyLogLabel? {
    let ends = Bytes("_TRAFFIC_SECRET_".utf8)
    let sideLength = 6
    guard word.count > sideLength + ends.count else { return nil }
    let side = Bytes(copying: word.extracting(0..<sideLength))
    guard side == Bytes("CLIENT".utf8) || side == Bytes("SERVER".utf8),
      Bytes(copying: word.extracting(sideLength..<(sideLength + ends.count))) == ends
    else { return nil }
    for index in (sideLength + ends.count)..<word.count where !isDigit(word[index]) {
      return nil
    }
    return .application
  }
}
