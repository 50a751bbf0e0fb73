import ByteParsing

/// The curve and the scheme of a ServerKeyExchange whose parts, read as those of one with a named curve and a signature that names its
/// algorithm, fill it (RFC 8422 §5.4, RFC 5246 §7.4.3). Only the suite tells whether it is one.
public struct NamedCurveScan: Hashable, Sendable {
  /// What stands where the curve does.
  public let group: NamedGroup

  /// What stands where the signature's algorithm does.
  public let scheme: SignatureScheme

  /// Looks through the body of a whole message; nil where its lengths do not fit.
  public init?(_ body: Span<UInt8>) {
    guard body.count > 8, body[0] == 3, body[3] > 0 else { return nil }
    let end = 4 + Int(body[3])
    guard end + 4 <= body.count else { return nil }
    let signatureLength = Int(body[end + 2]) << 8 | Int(body[end + 3])
    guard end + 4 + signatureLength == body.count else { return nil }
    group = NamedGroup(rawValue: UInt16(body[1]) << 8 | UInt16(body[2]))
    scheme = SignatureScheme(rawValue: UInt16(body[end]) << 8 | UInt16(body[end + 1]))
  }
}
