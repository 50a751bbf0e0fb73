package import ByteParsing

/// The certificates that one side sends (RFC 5246 §7.4.2, RFC 8446 §4.4.2), as ranges of the message's body.
///
/// Reading never fails as a whole: what was read up to a fault is kept.
package struct CertificateMessage: Hashable, Sendable {
  /// How the message is laid out.
  package enum Form: Hashable, Sendable {
    /// Up to TLS 1.2: a list of certificates.
    case tls12
    /// A raw public key alone, up to TLS 1.2 (RFC 7250 §3): one entry, a SubjectPublicKeyInfo.
    case rawPublicKey
    /// TLS 1.3: a context, and extensions with each certificate.
    case tls13
  }

  /// One certificate and what came with it.
  package struct Entry: Hashable, Sendable {
    /// Where the DER bytes of the certificate are.
    package var certificate: Range<Int>

    /// Where the OCSP response is that came with it (TLS 1.3, `status_request`).
    package var ocspResponse: Range<Int>?

    /// Where the SignedCertificateTimestampList is, length prefix included (TLS 1.3).
    package var sctList: Range<Int>?

    /// Where the DelegatedCredential is that signs in place of the certificate's key (RFC 9345 §4).
    package var delegatedCredential: Range<Int>?
  }

  /// More certificates than any chain; what lies after is not read.
  package static let maximumCertificateCount = 256

  /// `certificate_request_context`; empty before TLS 1.3 and from a server.
  package var context: Range<Int> = 0..<0

  /// The certificates that are whole, leaf first.
  package var entries: [Entry] = []

  /// Whether the list was there and well formed to its end.
  package var isComplete: Bool { fault == nil }

  /// What ended the reading of a list that is not complete.
  package var fault: ParseError?

  /// Parses the body of a handshake message of type `certificate`, or what is there of it.
  package init(parsing body: Span<UInt8>, form: Form) {
    var reader = ByteReader(body)
    do throws(ParseError) {
      try read(from: &reader, form)
      try reader.requireEnd(of: "Certificate")
    } catch {
      fault = error
    }
  }

  private mutating func read(from reader: inout ByteReader, _ form: Form) throws(ParseError) {
    if form == .rawPublicKey {
      let key = try reader.readVector("ASN.1_subjectPublicKeyInfo", 1...0xFF_FFFF)
      entries.append(Entry(certificate: key.offset..<(key.offset + key.remaining)))
      return
    }
    if form == .tls13 {
      let context = try reader.readVector("certificate_request_context", 0...255)
      self.context = context.offset..<(context.offset + context.remaining)
    }
    var isCut = false
    var list = try reader.readVector("certificate_list", 0...0xFF_FFFF, isCut: &isCut)
    while list.remaining > 0 {
      guard entries.count < Self.maximumCertificateCount else {
        throw ParseError(
          .limitReached(Self.maximumCertificateCount), in: "certificate_list", at: list.offset)
      }
      let certificate = try list.readVector("cert_data", 1...0xFF_FFFF)
      var entry = Entry(certificate: certificate.offset..<(certificate.offset + certificate.remaining))
      if form == .tls13 {
        do throws(ParseError) {
          var extensions = try list.readVector("extensions", 0...0xFFFF)
          try entry.readExtensions(from: &extensions)
        } catch {
          // The certificate itself is whole.
          entries.append(entry)
          throw error
        }
      }
      entries.append(entry)
    }
    if isCut {
      throw ParseError(.truncated(needed: 1, available: 0), in: "certificate_list", at: list.offset)
    }
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
        ocspResponse = response.offset..<(response.offset + response.remaining)
      case .signedCertificateTimestamp where sctList == nil:
        sctList = body.offset..<(body.offset + body.remaining)
      case .delegatedCredential where delegatedCredential == nil:
        delegatedCredential = body.offset..<(body.offset + body.remaining)
      default:
        continue
      }
    }
  }
}
