import ByteParsing
import Values

/// The stable name of a session, derived from facts of the session itself.
///
/// A 64-bit hash of these words, in this order: client address (two words) and port, server address and port, seconds and nanoseconds of
/// the start (both all ones if unknown), client random and server random, and for cleartext HTTP the host in lower case. Bytes are added in
/// groups of eight, most significant first, after their count; the last word is padded with zeros. The hash begins with 0x9E3779B97F4A7C15,
/// and each word is added with `hash = (hash ^ word) * 0xFF51AFD7ED558CCD; hash ^= hash >> 32`. It is written as sixteen hexadecimal
/// digits. It need not resist attacks, since it names sessions and decides nothing.
package struct SessionIdentifier {
  package private(set) var hash: UInt64 = 0x9E37_79B9_7F4A_7C15

  package init(_ session: borrowing ObservedSession) {
    add(session.client)
    add(session.server)
    if let start = session.start {
      // Clamped as in the record, so that the name can be derived from the record again.
      let shown = min(max(start.seconds, -62_167_219_200), 253_402_300_799)
      add(UInt64(bitPattern: shown))
      add(UInt64(start.nanoseconds))
    } else {
      add(.max)
      add(.max)
    }
    add(session.sharedTLS?.clientRandom ?? ShortBytes())
    add(session.sharedTLS?.serverRandom ?? ShortBytes())
    if session.application == .http { add((session.serverName ?? "").lowercased().utf8) }
  }

  /// The hash as sixteen hexadecimal digits.
  package var text: String { SessionIdentifier.text(of: hash) }

  /// Returns a hash as sixteen hexadecimal digits.
  package static func text(of hash: UInt64) -> String {
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }

  private mutating func add(_ word: UInt64) {
    hash = (hash ^ word) &* 0xFF51_AFD7_ED55_8CCD
    hash ^= hash >> 32
  }

  private mutating func add(_ endpoint: Endpoint) {
    add(endpoint.address.high)
    add(endpoint.address.low)
    add(UInt64(endpoint.port))
  }

  private mutating func add(_ bytes: ShortBytes) {
    add(UInt64(bytes.count))
    for index in 0..<(bytes.count + 7) / 8 { add(bytes.word(index)) }
  }

  private mutating func add(_ bytes: some Collection<UInt8>) {
    add(UInt64(bytes.count))
    var word: UInt64 = 0
    for (index, byte) in bytes.enumerated() {
      word = word << 8 | UInt64(byte)
      if index & 7 == 7 {
        add(word)
        word = 0
      }
    }
    let left = bytes.count & 7
    if left > 0 { add(word << UInt64(8 * (8 - left))) }
  }
}
