package import ByteParsing

extension HTTPVersion {
  /// HTTP/2 (RFC 9113).
  package static let http2 = HTTPVersion(major: 2, minor: 0)
}

extension RequestHead {
  /// Creates a head from the fields of a request (RFC 9113 §8.3.1); nil for trailers.
  ///
  /// `isComplete` means that no field is missing.
  package init?(_ fields: [DecodedField], isComplete: Bool = true) throws(ParseError) {
    let pseudo = Pseudo(fields)
    guard let method = pseudo.method else {
      guard pseudo.path != nil || pseudo.authority != nil, isComplete else { return nil }
      throw ParseError(.truncated(needed: 1, available: 0), in: ":method", at: 0)
    }
    guard (1...RequestHead.maximumMethodLength).contains(method.count), method.allSatisfy(isTokenCharacter)
    else { throw ParseError(.lengthOutOfBounds(method.count, allowed: 1...RequestHead.maximumMethodLength), in: ":method", at: 0) }
    self.method = String(decoding: method, as: UTF8.self)
    version = .http2
    let isTunnel = self.method == "CONNECT" && pseudo.protocolName == nil
    targetForm = isTunnel ? .authority : pseudo.path == [0x2A] ? .asterisk : .origin
    scheme = pseudo.scheme?.prefix(32).asciiLowercase
    path = isTunnel ? [] : RequestHead.path(of: pseudo.path ?? [])
    hostsDiffer = pseudo.authority == nil && pseudo.hostsDiffer
    authority = hostsDiffer ? nil : (pseudo.authority ?? pseudo.host).flatMap { Authority($0) }
    contentType = pseudo.contentType
    upgrade = pseudo.protocolName?.asciiLowercase
    bodyFraming = .none
  }
}

extension ResponseHead {
  /// Creates a head from the fields of a response (RFC 9113 §8.3.2); nil if they contain no status, as trailers do.
  package init?(_ fields: [DecodedField]) {
    let pseudo = Pseudo(fields)
    guard let status = pseudo.status, status.count == 3, let value = HeaderFields.decimal(status),
      value >= 100
    else { return nil }
    self.init(
      version: .http2, status: UInt16(value), contentType: pseudo.contentType,
      location: pseudo.location.map { RedirectTarget($0) })
  }
}

/// The relevant fields; of a repeated one the first counts.
private struct Pseudo {
  var method, scheme, authority, path, protocolName, status, host, contentType, location: Bytes?
  var hostsDiffer = false

  init(_ fields: [DecodedField]) {
    for field in fields {
      switch String(decoding: field.name, as: UTF8.self) {
      case ":method": method = method ?? field.value
      case ":scheme": scheme = scheme ?? field.value
      case ":authority": authority = authority ?? field.value
      case ":path": path = path ?? field.value
      case ":protocol": protocolName = protocolName ?? field.value
      case ":status": status = status ?? field.value
      case "host":
        if let host, host.asciiLowercase != field.value.asciiLowercase { hostsDiffer = true }
        host = host ?? field.value
      case "content-type": contentType = contentType ?? field.value
      case "location": location = location ?? field.value
      default: break
      }
    }
  }
}
