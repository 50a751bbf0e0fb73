package import ByteParsing

/// The request line and the relevant header fields (RFC 9112 §3).
package struct RequestHead: Hashable, Sendable {
  /// The form of a target (RFC 9112 §3.2).
  package enum TargetForm: String, Hashable, Sendable {
    /// A path.
    case origin
    /// A whole URL, as sent to a proxy.
    case absolute
    /// Host and port, for CONNECT.
    case authority
    /// `*`, for OPTIONS.
    case asterisk
  }

  /// The maximum length of a method that is kept.
  package static let maximumMethodLength = 32

  /// The maximum length of a path that is kept.
  package static let maximumPathLength = 1024

  /// The method, such as `GET`.
  package var method: String

  package var targetForm: TargetForm

  /// The scheme of an absolute target, in lower case; nil for other forms.
  package var scheme: Bytes?

  /// The path without query and fragment, truncated to the limit; empty for an authority.
  package var path: Bytes

  /// The version of the request line.
  package var version: HTTPVersion

  /// The host that the request is for: the authority of an absolute target (RFC 9112 §3.2.2), or else the field `Host`; nil if that cannot
  /// be read, or if there are several with different values.
  package var authority: Authority?

  /// Whether the request is for different hosts, according to several fields `Host`.
  package var hostsDiffer = false

  /// `Content-Type`.
  package var contentType: Bytes?

  /// `Upgrade` if `Connection` confirms it, such as `websocket`; in lower case.
  package var upgrade: Bytes?

  /// Whether the client waits for an interim response before it sends the body, which it may omit after a final one (RFC 9110 §10.1.1).
  package var expectsContinue = false

  package var bodyFraming: BodyFraming

  /// Parses a head, including its empty line.
  package init(parsing head: Span<UInt8>) throws(ParseError) {
    guard head.count <= MessageHead.maximumByteCount else {
      throw ParseError(.limitReached(MessageHead.maximumByteCount), in: "head", at: 0)
    }
    var reader = HeadReader(head)
    guard let line = reader.nextLine() else { throw ParseError(.truncated(needed: 1, available: 0), in: "request-line", at: head.count) }
    try self.init(line, &reader)
  }

  /// Parses a head whose end is missing. The request line must be complete, and only complete fields count.
  package init(beginning head: Span<UInt8>) throws(ParseError) {
    var reader = HeadReader(head)
    // If the end of the line is missing, the version shows that the line is complete.
    let line = reader.nextLine() ?? reader.position..<head.count
    reader.leaveOutUnfinishedField()
    try self.init(line, &reader)
  }

  /// Parses the beginning of a request line that ends within the target or the version; nil if it is not one. A host that may be incomplete
  /// is left out.
  package init?(cutLine line: Span<UInt8>) {
    guard let begun = HTTPRecognition.begunLine(line) else { return nil }
    var whole = Bytes(copying: line.extracting(begun.method.lowerBound..<begun.target.upperBound))
    whole.append(contentsOf: " HTTP/1.1".utf8)
    guard let head = try? RequestHead(beginning: whole.span) else { return nil }
    self = head
    // A third slash or a query shows that the host of a URL is complete.
    let delimiters = begun.target.count { line[$0] == 0x2F || line[$0] == 0x3F }
    if targetForm == .absolute, !begun.isTargetComplete, delimiters < 3 { authority = nil }
  }

  private init(_ wholeLine: Range<Int>, _ reader: inout HeadReader) throws(ParseError) {
    let head = reader.bytes
    let line = reader.trimmed(wholeLine)
    guard let methodEnd = line.first(where: { isWSPOrLineEnd(head[$0]) }),
      let versionStart = line.last(where: { isWSPOrLineEnd(head[$0]) }).map({ $0 + 1 }), versionStart > methodEnd + 1
    else { throw ParseError(.truncated(needed: 8, available: 0), in: "HTTP-version", at: line.upperBound) }

    let methodRange = line.lowerBound..<methodEnd
    guard (1...Self.maximumMethodLength).contains(methodRange.count) else {
      throw ParseError(.lengthOutOfBounds(methodRange.count, allowed: 1...Self.maximumMethodLength), in: "method", at: line.lowerBound)
    }
    for index in methodRange where !isTokenCharacter(head[index]) {
      throw ParseError(.unexpectedValue(UInt64(head[index])), in: "method", at: index)
    }
    method = String(decoding: Bytes(copying: head.extracting(methodRange)), as: UTF8.self)
    version = try reader.version(versionStart..<line.upperBound)
    let targetRange = reader.trimmed(methodEnd..<versionStart)
    guard !targetRange.isEmpty else { throw ParseError(.truncated(needed: 1, available: 0), in: "request-target", at: methodEnd) }
    let target = Target(Bytes(copying: head.extracting(targetRange)), method: method)
    targetForm = target.form
    scheme = target.scheme
    path = target.path

    let fields = HeaderFields(from: &reader)
    authority = target.authority
    if authority == nil, target.form != .absolute {
      hostsDiffer = fields.hostsDiffer
      authority = hostsDiffer ? nil : fields.host.flatMap { Authority($0) }
    }
    contentType = fields.contentType
    upgrade = fields.confirmedUpgrade
    expectsContinue = fields.expectsContinue
    bodyFraming = BodyFraming(ofRequest: fields, version)
  }
}

extension RequestHead {
  /// The path that is kept of `:path`.
  static func path(of target: Bytes) -> Bytes { target.isEmpty ? [] : Target(target, method: "").path }
}

/// A parsed request target.
private struct Target {
  var form: RequestHead.TargetForm
  var scheme: Bytes?
  var authority: Authority?
  var path: Bytes = []

  init(_ text: Bytes, method: String) {
    if method == "CONNECT" {
      form = .authority
      authority = Authority(text)
      return
    }
    if text == [0x2A] {
      form = .asterisk
      path = text
      return
    }
    var rest = text[...]
    if let scheme = RedirectTarget.scheme(of: rest), rest[scheme.endIndex...].starts(with: [0x3A, 0x2F, 0x2F]) {
      form = .absolute
      self.scheme = scheme.asciiLowercase
      rest = rest[(scheme.endIndex + 3)...]
      let end = rest.firstIndex { $0 == 0x2F || $0 == 0x3F || $0 == 0x23 } ?? rest.endIndex
      authority = Authority(Bytes(rest[..<end]))
      rest = rest[end...]
    } else {
      form = .origin
    }
    path = Bytes(rest.prefix { $0 != 0x3F && $0 != 0x23 }.prefix(RequestHead.maximumPathLength))
    // An absolute target may omit the path.
    if path.isEmpty { path = [0x2F] }
  }
}

/// Whether a byte may be in a token (RFC 9110 §5.6.2).
func isTokenCharacter(_ byte: UInt8) -> Bool {
  switch byte {
  case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
  // ! # $ % & ' * + - . ^ _ ` | ~
  case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E: true
  default: false
  }
}
