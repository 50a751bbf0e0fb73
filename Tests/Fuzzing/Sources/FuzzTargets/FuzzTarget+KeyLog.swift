import ByteParsing
import HandshakeDecryption

extension FuzzTarget {
  /// Any bytes are read as a key log, possibly with malformed lines; division into pieces does not matter.
  static let keyLog = FuzzTarget("KeyLog") { log in
    var whole = SecretStore()
    var reader = KeyLogReader()
    reader.read(log, into: &whole)
    reader.finish(into: &whole)
    var inPieces = SecretStore()
    var other = KeyLogReader()
    let middle = log.count / 2
    other.read(log.extracting(0..<middle), into: &inPieces)
    other.read(log.extracting(middle..<log.count), into: &inPieces)
    other.finish(into: &inPieces)
    precondition(reader.counts == other.counts)
    precondition(whole.sessionCount == inPieces.sessionCount)
  }
}
