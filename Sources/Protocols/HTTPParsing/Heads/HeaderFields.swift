import ByteParsing

/// The relevant header fields of one head.
struct HeaderFields {
  var host: Bytes?
  /// Whether further Host fields have other values, so that none counts.
  var hostsDiffer = false
  var contentLengths: [Bytes] = []
  var transferEncodings: [Bytes] = []
  var connections: [Bytes] = []
  var expectations: [Bytes] = []
  var upgrade: Bytes?
  var contentType: Bytes?
  var location: Bytes?

  /// The maximum length of a field value; longer ones are truncated, which affects no relevant one.
  private static let maximumValueLength = 8192

  private enum Field: String, CaseIterable {
    case host
    case contentLength = "content-length"
    case transferEncoding = "transfer-encoding"
    case connection
    case expect
    case upgrade
    case contentType = "content-type"
    case location
  }

  private static let names: [(name: Bytes, field: Field)] = Field.allCases.map {
    (Bytes($0.rawValue.utf8), $0)
  }

  /// Collects the fields up to the empty line.
  init(from reader: inout HeadReader) {
    while let (name, value) = reader.nextField() {
      guard let field = Self.names.first(where: { reader.matches(name, $0.name) })?.field else { continue }
      let text = reader.text(value, atMost: Self.maximumValueLength)
      switch field {
      case .host:
        if let host, host.asciiLowercase != text.asciiLowercase { hostsDiffer = true }
        host = host ?? text
      // The first of these counts.
      case .upgrade: upgrade = upgrade ?? text
      case .contentType: contentType = contentType ?? text
      case .location: location = location ?? text
      // These are lists, which may span several fields.
      case .contentLength: contentLengths.append(text)
      case .transferEncoding: transferEncodings.append(text)
      case .connection: connections.append(text)
      case .expect: expectations.append(text)
      }
    }
  }

  /// The first protocol in `Upgrade`, in lower case, if `Connection` confirms the field; otherwise nil.
  var confirmedUpgrade: Bytes? {
    guard let upgrade, Self.items(of: connections).contains(Bytes("upgrade".utf8)) else { return nil }
    return Self.items(of: [upgrade]).first
  }

  /// Whether `Expect` requires an interim response before the body (RFC 9110 §10.1.1).
  var expectsContinue: Bool { Self.items(of: expectations).contains(Bytes("100-continue".utf8)) }

  /// The items of comma-separated lists, in lower case and without parameters after a semicolon.
  static func items(of lists: [Bytes]) -> [Bytes] {
    lists.flatMap { list in
      list.split(separator: 0x2C, omittingEmptySubsequences: true).compactMap { item in
        let word = item.prefix { $0 != 0x3B }.trimmed
        return word.isEmpty ? nil : word.asciiLowercase
      }
    }
  }

  /// The length that `Content-Length` announces.
  enum AnnouncedLength {
    case absent
    case bytes(Int64)
    /// Not a number, or several different ones.
    case invalid
  }

  var announcedLength: AnnouncedLength {
    var length: Int64?
    for list in contentLengths {
      // A list of equal lengths counts as one length (RFC 9112 §6.3).
      for item in list.split(separator: 0x2C, omittingEmptySubsequences: false) {
        guard let value = Self.decimal(item.trimmed), length == nil || length == value else { return .invalid }
        length = value
      }
    }
    if contentLengths.isEmpty { return .absent }
    return length.map { .bytes($0) } ?? .invalid
  }

  /// A number that consists only of decimal digits.
  static func decimal(_ digits: some Sequence<UInt8>) -> Int64? {
    var value: Int64?
    for digit in digits {
      guard isDigit(digit) else { return nil }
      let (product, tooLarge) = (value ?? 0).multipliedReportingOverflow(by: 10)
      let (sum, overflow) = product.addingReportingOverflow(Int64(digit - 0x30))
      guard !tooLarge, !overflow else { return nil }
      value = sum
    }
    return value
  }
}
