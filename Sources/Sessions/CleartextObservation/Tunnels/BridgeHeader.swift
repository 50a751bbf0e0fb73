import ByteParsing

/// The header of a message of the Android Debug Bridge (`protocol.txt` of its source): command, two arguments, length, checksum, and
/// the command inverted.
struct BridgeHeader {
  static let byteCount = 24

  /// Bytes that follow.
  private(set) var bodyLength: Int

  /// Whether TLS may come later: nothing is opened yet.
  private(set) var leadsToTLS: Bool

  private static let maximumBodyLength = 1 << 20

  /// What is said before anything is opened.
  private static let beginnings: [[UInt8]] = ["CNXN", "AUTH", "STLS", "SYNC"].map { Array($0.utf8) }

  /// What is said when something is, or was.
  private static let others: [[UInt8]] = ["OPEN", "OKAY", "WRTE", "CLSE"].map { Array($0.utf8) }

  static func recognize(_ bytes: Span<UInt8>) -> Recognized<BridgeHeader> {
    func begins(_ command: [UInt8]) -> Bool {
      (0..<min(4, bytes.count)).allSatisfy { bytes[$0] == command[$0] }
    }
    let leadsToTLS = beginnings.contains(where: begins)
    guard leadsToTLS || others.contains(where: begins) else { return .no }
    // The first argument is a version there, or small: words of text that begin alike have no zeros.
    if leadsToTLS, (5..<7).contains(where: { $0 < bytes.count && bytes[$0] != 0 }) { return .no }
    guard bytes.count >= byteCount else { return .needMore }
    guard (0..<4).allSatisfy({ bytes[20 + $0] == ~bytes[$0] }) else { return .no }
    let length = (0..<4).reduce(0) { $0 | Int(bytes[12 + $1]) << (8 * $1) }
    guard length <= maximumBodyLength else { return .no }
    return .yes(BridgeHeader(bodyLength: length, leadsToTLS: leadsToTLS))
  }
}
