import ByteParsing

/// The way in which the end of a body is determined (RFC 9112 §6.3).
package enum BodyFraming: Hashable, Sendable {
  /// There is no body.
  case none
  /// The body has this many bytes.
  case length(Int64)
  /// The body is sent in chunks, the last of them empty.
  case chunked
  /// The body of a response ends when the connection is closed. Also used if the head contradicts itself, so that no end is reliable.
  case untilClose

  init(ofRequest fields: HeaderFields, _ version: HTTPVersion) {
    self = Self.announced(fields, version) ?? .none
  }

  init(ofResponse fields: HeaderFields, _ version: HTTPVersion) {
    self = Self.announced(fields, version) ?? .untilClose
  }

  /// The framing that the fields announce; nil if they announce none.
  private static func announced(_ fields: HeaderFields, _ version: HTTPVersion) -> BodyFraming? {
    if !fields.transferEncodings.isEmpty {
      // HTTP/1.0 has no transfer codings, so a message with one is unreliable (RFC 9112 §6.1).
      guard version.minor >= 1 else { return .untilClose }
      let codings = HeaderFields.items(of: fields.transferEncodings)
      if codings.last == Bytes("chunked".utf8) { return .chunked }
      // The coding `identity` of earlier editions changes nothing (RFC 2616 §3.6).
      if codings != [Bytes("identity".utf8)] { return .untilClose }
    }
    return switch fields.announcedLength {
    case .absent: nil
    case .bytes(let count): .length(count)
    case .invalid: .untilClose
    }
  }
}
