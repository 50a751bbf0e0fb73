import ByteParsing

/// A version of QUIC (RFC 9000 §15).
package struct QUICVersion: RawRepresentable, Hashable, Sendable {
  package var rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The version field of a Version Negotiation packet.
  package static let negotiation = QUICVersion(rawValue: 0)
  /// Version 1 (RFC 9000).
  package static let version1 = QUICVersion(rawValue: 0x0000_0001)
  /// Version 2 (RFC 9369).
  package static let version2 = QUICVersion(rawValue: 0x6B33_43CF)
  /// Drafts 1 to 7 of version 2.
  package static let version2Draft = QUICVersion(rawValue: 0x709A_50C4)

  /// The draft number of version 1, such as 29; nil if it is not a draft.
  package var draft: Int? {
    rawValue >> 8 == 0xFF_0000 ? Int(rawValue & 0xFF) : nil
  }

  /// The draft that an experiment of mvfst follows; nil for other versions.
  var experimentDraft: Int? {
    switch rawValue {
    case 0xFACE_B001: 22
    case 0xFACE_B002, 0xFACE_B00E: 27
    default: nil
    }
  }

  /// Whether this is a draft of version 2, which has other constants than version 2.
  var isDraftOfVersion2: Bool { self == .version2Draft || rawValue == 0xFF02_0000 }

  /// Whether packet types are numbered as in version 2, of which the first draft has the numbers of version 1.
  package var hasTypesOfVersion2: Bool { self == .version2 || self == .version2Draft }

  /// Whether the number is reserved for forcing version negotiation (RFC 9000 §15).
  package var isReserved: Bool { rawValue & 0x0F0F_0F0F == 0x0A0A_0A0A }

  /// Whether this is Google's QUIC from before the IETF's, with its own handshake (`Q046` and others), or with TLS in frames other than the
  /// IETF's (`T050`, `T051`).
  package var isGoogleQUIC: Bool {
    let letter = rawValue >> 24
    return letter == 0x51 && digits != nil || rawValue == 0x5430_3530 || rawValue == 0x5430_3531
  }

  /// Whether packets have the format and types of version 1 or 2.
  package var isUnderstood: Bool {
    if self == .version1 || hasTypesOfVersion2 || isReserved { return true }
    // Drafts before 23 have a different packet protection, and are no longer in use.
    if let draft { return (23...34).contains(draft) }
    return experimentDraft.map { $0 >= 23 } ?? false
  }

  /// The draft number that determines packet protection: that of the draft, or of the draft that an experiment follows.
  package var protectionDraft: Int? { draft ?? experimentDraft }

  /// The name, such as `1`, `2`, `draft-29`, `Q046`; nil for a number without one.
  package var name: String? {
    if self == .version1 { return "1" }
    if self == .version2 { return "2" }
    // The number of draft-ietf-quic-v2-00, and that of later drafts.
    if isDraftOfVersion2 { return rawValue >> 24 == 0xFF ? "2-draft-00" : "2-draft" }
    if let draft { return "draft-\(draft)" }
    if experimentDraft != nil { return "mvfst" }
    if isGoogleQUIC, let digits { return (rawValue >> 24 == 0x51 ? "Q" : "T") + digits }
    return nil
  }

  /// The number as in records, such as `0x709a50c4`.
  package var hexadecimal: String { hexadecimalCode(rawValue) }

  /// The three digits of Google's version numbers.
  private var digits: String? {
    let bytes = [16, 8, 0].map { UInt8(truncatingIfNeeded: rawValue >> $0) }
    guard bytes.allSatisfy(isDigit) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}
