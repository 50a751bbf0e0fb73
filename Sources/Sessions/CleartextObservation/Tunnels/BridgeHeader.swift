import ByteParsing

/// The message header of the Android Debug Bridge (`protocol.txt` of its source): command, two arguments, length, checksum, and the command
/// inverted.
struct BridgeHeader {
  static let byteCount = 24

  /// The number of bytes after the header.
  private(set) var bodyLength: Int

  /// Whether TLS may follow, because no stream is open yet.
  private(set) var leadsToTLS: Bool

  private static let maximumBodyLength = 1 << 20

  /// Commands that precede the first stream.
  private static let beginnings: [[UInt8]] = ["CNXN", "AUTH", "STLS", "SYNC"].map { Array($0.utf8) }

  /// Commands of streams.
  private static let others: [[UInt8]] = ["OPEN", "OKAY", "WRTE", "CLSE"].map { Array($0.utf8) }

  static func recognize(_ bytes: Span<UInt8>) -> Recognized<BridgeHeader> {
    func begins(_ command: [UInt8]) -> Bool {
      (0..<min(4, bytes.count)).allSatisfy { bytes[$0] == command[$0] }
    }
    let leadsToTLS = beginnings.contains(where: begins)
    guard leadsToTLS || others.contains(where: begins) else { return .no }
    // The first argument is a version or a small number, so it contains zeros; text that begins alike does not.
    if leadsToTLS, (5..<7).contains(where: { $0 < bytes.count && bytes[$0] != 0 }) { return .no }
    guard bytes.count >= byteCount else { return .needMore }
    guard (0..<4).allSatisfy({ bytes[20 + $0] == ~bytes[$0] }) else { return .no }
    let length = (0..<4).reduce(0) { $0 | Int(bytes[12 + $1]) << (8 * $1) }
    guard length <= maximumBodyLength else { return .no }
    return .yes(BridgeHeader(bodyLength: length, leadsToTLS: leadsToTLS))
  }
}
