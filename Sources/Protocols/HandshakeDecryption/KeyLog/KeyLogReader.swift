import ByteParsing

/// Reads a key log in the NSS format (RFC 9850): `LABEL CLIENT-RANDOM SECRET`, one secret on each line.
///
/// The log is read in pieces of any size and never held. Only secrets of handshakes and inner hellos are stored, and of secrets of
/// application data the server's first, for a session whose handshake secrets precede it. Others are counted, and their digits are not
/// decoded.
package struct KeyLogReader: Sendable {
  /// The counts of the lines read so far.
  package private(set) var counts = KeyLogCounts()

  private var lines = KeyLogLines()

  package init() {}

  /// Reads the next piece.
  package mutating func read(_ piece: Span<UInt8>, into store: inout SecretStore) {
    var lines = KeyLogLines()
    swap(&lines, &self.lines)
    lines.read(piece) { line in take(line, into: &store) }
    self.lines = lines
  }

  /// Ends the last line, which may lack its line feed.
  package mutating func finish(into store: inout SecretStore) {
    var lines = KeyLogLines()
    swap(&lines, &self.lines)
    lines.finish { line in take(line, into: &store) }
  }

  private mutating func take(_ text: Span<UInt8>?, into store: inout SecretStore) {
    guard let text else {
      counts.lines &+= 1
      counts.malformed &+= 1
      // A text of one endless line is not a key log, however it begins.
      counts.unknownLabels &+= 1
      return
    }
    guard let line = KeyLogLine(text) else { return }
    counts.lines &+= 1
    switch line.label {
    case nil: counts.unknownLabels &+= 1
    case .application: counts.application &+= 1
    case .serverApplication:
      counts.application &+= 1
      guard let (random, secret) = value(of: line, SecretStore.secretLengths.contains) else { return }
      store.addApplication(secret, random: random)
    case .other: counts.other &+= 1
    case .clientHandshake, .serverHandshake:
      guard let (random, secret) = value(of: line, SecretStore.secretLengths.contains) else { return }
      count(store.add(secret, ofClient: line.label == .clientHandshake, random: random))
    case .innerSecret:
      guard let (random, secret) = value(of: line, SecretStore.sharedSecretLengths.contains) else { return }
      count(store.add(secret, \.secret, ofOuterRandom: random))
    case .innerConfig:
      guard let (random, config) = value(of: line, (1...SecretStore.maximumConfigLength).contains) else { return }
      count(store.add(config, \.config, ofOuterRandom: random))
    }
  }

  /// The random and the secret of a line; nil, and counted, if they are malformed or the secret has an impossible length.
  private mutating func value(of line: KeyLogLine, _ isLength: (Int) -> Bool) -> (ShortBytes, Bytes)? {
    guard let value = line.value, isLength(value.secret.count) else {
      counts.malformed &+= 1
      return nil
    }
    return (value.random, value.secret)
  }

  private mutating func count(_ addition: SecretStore.Addition) {
    switch addition {
    case .taken: counts.taken &+= 1
    case .repeated: counts.repeated &+= 1
    case .conflicting: counts.conflicting &+= 1
    case .full: counts.leftOut &+= 1
    }
  }
}
