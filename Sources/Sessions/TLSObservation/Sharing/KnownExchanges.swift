import ByteParsing
import SessionModel
import TLSParsing

/// What the server's share in a key exchange was found to be, where it is a point on a named curve, signed by a scheme: with the same
/// answer, curve and scheme, and lengths that fill the message, another one is read in the same way and to the same end.
struct KnownExchanges {
  private struct Entry {
    let answer: ServerAnswer
    let scan: NamedCurveScan
    let facts: ServerKeyExchangeFacts
  }

  /// Servers choose among few curves and schemes.
  private var entries = ContiguousArray<Entry?>(repeating: nil, count: 32)

  /// What an exchange after an answer was found to be; nil where no such one was read before.
  func facts(_ body: Span<UInt8>, after answer: ServerAnswer) -> ServerKeyExchangeFacts? {
    guard let scan = NamedCurveScan(body), let known = entries[place(answer, scan)],
      known.answer === answer, known.scan == scan
    else { return nil }
    return known.facts
  }

  /// Remembers what a whole message was found to be by parsing it.
  mutating func remember(
    _ facts: ServerKeyExchangeFacts, _ exchange: ServerKeyExchange, of body: Span<UInt8>,
    after answer: ServerAnswer
  ) {
    // Before TLS 1.2 the suite implies the scheme, and the signature begins where it would stand.
    guard let scan = NamedCurveScan(body), exchange.group == scan.group,
      exchange.signature == .scheme(scan.scheme)
    else { return }
    entries[place(answer, scan)] = Entry(answer: answer, scan: scan, facts: facts)
  }

  private func place(_ answer: ServerAnswer, _ scan: NamedCurveScan) -> Int {
    let identity = UInt(bitPattern: ObjectIdentifier(answer)) >> 4
    let mixed = identity ^ UInt(scan.group.rawValue) ^ UInt(scan.scheme.rawValue >> 4)
    return Int(truncatingIfNeeded: mixed) & (entries.count - 1)
  }
}
