import ByteParsing

/// How the end of a body is told (RFC 9112 §6.3).
package enum BodyFraming: Hashable, Sendable {
  /// There is no body.
  case none
  /// The body has so many bytes.
  case length(Int64)
  /// The body comes in chunks, the last of them empty.
  case chunked
  /// The body ends with the connection; also where the head contradicts itself and no end can be relied on.
  case untilClose

  init(ofRequest fields: HeaderFields, _ version: HTTPVersion) {
    self = Self.announced(fields, version) ?? .none
  }

  init(ofResponse fields: HeaderFields, _ version: HTTPVersion) {
    self = Self.announced(fields, version) ?? .untilClose
  }

  /// What the fields say; `nil` if they say nothing.
  private static func announced(_ fields: HeaderFields, _ version: HTTPVersion) -> BodyFraming? {
    if !fields.transferEncodings.isEmpty {
      // HTTP/1.0 has no transfer codings; who sends one is not to be relied on (RFC 9112 §6.1).
      guard version.minor >= 1 else { return .untilClose }
      return HeaderFields.items(of: fields.transferEncodings).last == Bytes("chunked".utf8)
        ? .chunked : .untilClose
    }
    return switch fields.announcedLength {
    case .absent: nil
    case .bytes(let count): .length(count)
    case .invalid: .untilClose
    }
  }
}
