package import ByteParsing

/// The certificates that one side sends (RFC 5246 §7.4.2, RFC 8446 §4.4.2), as ranges of the message's body.
///
/// Parsing never fails as a whole: entries before a fault are kept.
package struct CertificateMessage: Hashable, Sendable {
  package enum Format: Hashable, Sendable {
    /// Up to TLS 1.2: a list of certificates.
    case tls12
    /// TLS 1.3: a context, and certificates with extensions.
    case tls13
  }

  /// One certificate with its extensions.
  package struct Entry: Hashable, Sendable {
    /// The range of the certificate's DER.
    package var certificate: Range<Int>

    /// The range of the stapled OCSP response (TLS 1.3, `status_request`); nil if there is none.
    package var ocspResponse: Range<Int>?

    /// The range of the SignedCertificateTimestampList, including its length (TLS 1.3); nil if there is none.
    package var sctList: Range<Int>?

    /// The range of the DelegatedCredential, whose key signs instead of the certificate's (RFC 9345 §4); nil if there is none.
    package var delegatedCredential: Range<Int>?
  }

  /// The maximum number of certificates, more than any chain has.
  package static let maximumCertificateCount = 256

  /// The complete certificates, leaf first.
  package var entries: [Entry] = []

  /// Whether the list was complete and well-formed.
  package var isComplete: Bool { fault == nil }

  /// The fault at which parsing ended; nil if the list is complete.
  package var fault: ParseError?

  /// Parses the body of a handshake message of type `certificate`, complete or not.
  package init(parsing body: Span<UInt8>, format: Format) {
    var reader = ByteReader(body)
    do throws(ParseError) {
      try read(from: &reader, format)
      try reader.requireEnd(of: "Certificate")
    } catch {
      fault = error
    }
  }

  private mutating func read(from reader: inout ByteReader, _ format: Format) throws(ParseError) {
    if format == .tls13 { _ = try reader.readVector("certificate_request_context", 0...255) }
    var isTruncated = false
    var list = try reader.readVector("certificate_list", 0...0xFF_FFFF, isTruncated: &isTruncated)
    while list.remaining > 0 {
      guard entries.count < Self.maximumCertificateCount else {
        throw ParseError(.limitReached(Self.maximumCertificateCount), in: "certificate_list", at: list.offset)
      }
      let certificate = try list.readVector("cert_data", 1...0xFF_FFFF)
      var entry = Entry(certificate: certificate.remainingRange)
      if format == .tls13 {
        do throws(ParseError) {
          var extensions = try list.readVector("extensions", 0...0xFFFF)
          try entry.readExtensions(from: &extensions)
        } catch {
          // The certificate itself is complete.
          entries.append(entry)
          throw error
        }
      }
      entries.append(entry)
    }
    if isTruncated { throw ParseError(.truncated(needed: 1, available: 0), in: "certificate_list", at: list.offset) }
  }
}

extension CertificateMessage.Entry {
  /// Reads the extensions of a CertificateEntry (RFC 8446 §4.4.2.1).
  fileprivate mutating func readExtensions(from block: inout ByteReader) throws(ParseError) {
    while block.remaining > 0 {
      let type = ExtensionType(rawValue: try block.readUInt16("extension_type"))
      var body = try block.readVector("extension_data", 0...0xFFFF)
      switch type {
      case .statusRequest where ocspResponse == nil:
        // `ocsp`.
        guard try body.readUInt8("status_type") == 1 else { continue }
        let response = try body.readVector("OCSPResponse", 1...0xFF_FFFF)
        ocspResponse = response.remainingRange
      case .signedCertificateTimestamp where sctList == nil:
        sctList = body.remainingRange
      case .delegatedCredential where delegatedCredential == nil:
        delegatedCredential = body.remainingRange
      default:
        continue
      }
    }
  }
}
