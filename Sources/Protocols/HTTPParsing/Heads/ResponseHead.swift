package import ByteParsing

/// The status line and the relevant header fields (RFC 9112 §4).
package struct ResponseHead: Hashable, Sendable {
  /// The version of the status line.
  package var version: HTTPVersion

  /// The status: 100 to 999.
  package var status: UInt16

  /// `Content-Type`.
  package var contentType: Bytes?

  /// `Location`.
  package var location: RedirectTarget?

  /// `Upgrade` if `Connection` confirms it, such as `websocket`; in lower case.
  package var upgrade: Bytes?

  /// The framing of the body in a response to a GET.
  private var announcedFraming: BodyFraming

  /// Creates the head of a response whose end is determined by HTTP/2 frames.
  init(version: HTTPVersion, status: UInt16, contentType: Bytes?, location: RedirectTarget?) {
    (self.version, self.status, self.contentType, self.location) = (version, status, contentType, location)
    upgrade = nil
    announcedFraming = .none
  }

  /// Parses a head, including its empty line.
  package init(parsing head: Span<UInt8>) throws(ParseError) {
    guard head.count <= MessageHead.maximumByteCount else {
      throw ParseError(.limitReached(MessageHead.maximumByteCount), in: "head", at: 0)
    }
    var reader = HeadReader(head)
    guard let wholeLine = reader.nextLine() else {
      throw ParseError(.truncated(needed: 1, available: 0), in: "status-line", at: head.count)
    }
    let line = reader.trimmed(wholeLine)
    let versionEnd = line.first { head[$0] == 0x20 } ?? line.upperBound
    version = try reader.version(line.lowerBound..<versionEnd)
    let rest = reader.trimmed(versionEnd..<line.upperBound)
    let statusEnd = rest.first { head[$0] == 0x20 } ?? rest.upperBound
    let digits = Bytes(copying: head.extracting(rest.lowerBound..<statusEnd))
    guard digits.count == 3, let status = HeaderFields.decimal(digits), status >= 100 else {
      throw ParseError(.unexpectedValue(UInt64(digits.first ?? 0)), in: "status-code", at: rest.lowerBound)
    }
    self.status = UInt16(status)

    let fields = HeaderFields(from: &reader)
    contentType = fields.contentType
    location = fields.location.map { RedirectTarget($0) }
    upgrade = fields.confirmedUpgrade
    announcedFraming = BodyFraming(ofResponse: fields, version)
  }

  /// The framing of the body in a response to a request with this method (RFC 9112 §6.3).
  ///
  /// After a successful CONNECT, or status 101, another protocol follows in place of a body.
  package func bodyFraming(answering method: String) -> BodyFraming {
    if method == "HEAD" || status < 200 || status == 204 || status == 304 { return .none }
    if method == "CONNECT", (200..<300).contains(status) { return .none }
    return announcedFraming
  }
}
