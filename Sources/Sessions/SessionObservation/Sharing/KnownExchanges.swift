import ByteParsing
import TLSParsing

/// What the server's share in a key exchange was found to be, where it is a point on a named curve, signed by a scheme: with the same
/// answer, curve and scheme, and lengths that fill the message, another one is read in the same way and to the same end.
struct KnownExchanges {
  private struct Entry {
    let answer: ServerAnswer
    let group: UInt16
    let scheme: UInt16
    let facts: ServerKeyExchangeFacts
  }

  /// Servers choose among few curves and schemes.
  private var entries = ContiguousArray<Entry?>(repeating: nil, count: 32)

  /// What an exchange after an answer was found to be; nil where no such one was read before.
  func facts(_ body: Span<UInt8>, after answer: ServerAnswer) -> ServerKeyExchangeFacts? {
    guard let (group, scheme) = KnownExchanges.curveAndScheme(body) else { return nil }
    guard let known = entries[place(answer, group, scheme)], known.answer === answer, known.group == group,
      known.scheme == scheme
    else { return nil }
    return known.facts
  }

  /// Remembers what a whole message was found to be.
  mutating func remember(
    _ facts: ServerKeyExchangeFacts, of body: Span<UInt8>, after answer: ServerAnswer
  ) {
    guard let (group, scheme) = KnownExchanges.curveAndScheme(body), facts.group?.rawValue == group,
      facts.signatureScheme?.rawValue == scheme, answer.content.version.hasSignatureSchemes
    else { return }
    entries[place(answer, group, scheme)] = Entry(answer: answer, group: group, scheme: scheme, facts: facts)
  }

  private func place(_ answer: ServerAnswer, _ group: UInt16, _ scheme: UInt16) -> Int {
    let identity = UInt(bitPattern: ObjectIdentifier(answer)) >> 4
    return Int(truncatingIfNeeded: identity ^ UInt(group) ^ UInt(scheme >> 4)) & (entries.count - 1)
  }

  /// Curve and scheme of a message that begins as one with a named curve, if its parts fill it (RFC 8422 §5.4).
  private static func curveAndScheme(_ body: Span<UInt8>) -> (UInt16, UInt16)? {
    guard body.count > 8, body[0] == 3, body[3] > 0 else { return nil }
    let end = 4 + Int(body[3])
    guard end + 4 <= body.count else { return nil }
    let signatureLength = Int(body[end + 2]) << 8 | Int(body[end + 3])
    guard end + 4 + signatureLength == body.count else { return nil }
    return (UInt16(body[1]) << 8 | UInt16(body[2]), UInt16(body[end]) << 8 | UInt16(body[end + 1]))
  }
}
