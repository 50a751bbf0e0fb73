package import ByteParsing
package import Values

/// The facts of an OCSP response (RFC 6960 §4.2.1). Only its structure is checked, not its signature.
///
/// It throws for everything that Apple's parser (SecOCSPResponse.c) cannot read: other formats of times and versions, and undecodable
/// certificates. Bytes after the response are ignored.
///
/// Ranges are offsets into `der`.
package struct OCSPResponse: Hashable, Sendable {
  /// The maximum size of a response in bytes; those in use have up to about 10 KiB.
  package static let maximumByteCount = 1 << 20

  /// The maximum number of single responses kept; a stapled response has one.
  static let maximumResponseCount = 1024

  /// The maximum number of certificates kept; responders send one or none.
  static let maximumCertificateCount = 16

  /// The response as it was sent.
  package var der: Bytes

  /// `responseStatus`; the other fields are empty unless it is `successful`.
  package var status = Status(rawValue: 0)

  /// The signer; nil if nothing was decoded.
  package var responderID: ResponderID?

  /// The time of signing; nil without a basic response.
  package var producedAt: Timestamp?

  /// The single responses, up to the limit.
  package var responses: [SingleResponse] = []

  package var extensions: [CertificateExtension] = []

  /// The algorithm of the responder's signature.
  package var signature = SignatureAlgorithm()

  /// The signed part: `tbsResponseData` with its header.
  package var responseDataRange = 0..<0

  /// The bytes of the responder's signature.
  package var signatureValueRange = 0..<0

  /// The ranges of the certificates in the response, up to the limit.
  package var certificateRanges: [Range<Int>] = []

  /// Decodes a response, as in a CertificateStatus message or an extension of a CertificateEntry.
  package init(parsing der: Span<UInt8>) throws(ParseError) {
    self.der = Bytes(copying: der)
    guard der.count <= OCSPResponse.maximumByteCount else {
      throw ParseError(.limitReached(OCSPResponse.maximumByteCount), in: "OCSPResponse", at: 0)
    }
    var outer = DERReader(der)
    var fields = DERReader(try outer.next("OCSPResponse", Tag.sequence).contents)
    status = Status(rawValue: try fields.next("responseStatus", Tag.enumerated).smallNumber("responseStatus"))
    if let tagged = try fields.nextIf("responseBytes", Tag.contextConstructed(0)) {
      var bytes = DERReader(try tagged.only("responseBytes", Tag.sequence).contents)
      let type = try bytes.nextObjectIdentifier("responseType")
      let response = try bytes.next("response", Tag.octetString)
      try bytes.requireEnd(of: "responseBytes")
      // Only the basic type is decoded further.
      if type == "1.3.6.1.5.5.7.48.1.1" {
        try readBasicResponse(try response.only("BasicOCSPResponse", Tag.sequence))
      }
    }
    try fields.requireEnd(of: "OCSPResponse")
  }

  /// The DER of the certificates in the response.
  package var certificates: [Bytes] {
    certificateRanges.map { Bytes(der[$0.clamped(to: der.indices)]) }
  }

  /// `BasicOCSPResponse ::= SEQUENCE { tbsResponseData, signatureAlgorithm, signature, certs [0] }`
  private mutating func readBasicResponse(_ element: borrowing DERElement) throws(ParseError) {
    var fields = DERReader(element.contents)
    let data = try fields.next("tbsResponseData", Tag.sequence)
    responseDataRange = data.range
    try readResponseData(data)
    signature = try SignatureAlgorithm(try fields.next("signatureAlgorithm", Tag.sequence), "signatureAlgorithm")
    signatureValueRange = try fields.next("signature", Tag.bitString).bitStringRange("signature")
    if let tagged = try fields.nextIf("certs", Tag.contextConstructed(0)) {
      var list = DERReader(try tagged.only("certs", Tag.sequence).contents)
      while !list.isAtEnd {
        let certificate = try list.next("certs", Tag.sequence)
        guard Certificate(parsing: certificate.encoded.rest).isReadable else { throw certificate.unexpected("certs") }
        if certificateRanges.count < OCSPResponse.maximumCertificateCount {
          certificateRanges.append(certificate.range)
        }
      }
    }
    try fields.requireEnd(of: "BasicOCSPResponse")
  }

  private mutating func readResponseData(_ element: borrowing DERElement) throws(ParseError) {
    var fields = DERReader(element.contents)
    if let tagged = try fields.nextIf("version", Tag.contextConstructed(0)) {
      let version = try tagged.only("version", Tag.integer)
      guard try version.smallNumber("version") == 0 else { throw version.unexpected("version") }
    }
    responderID = try ResponderID(try fields.next("responderID"))
    producedAt = try fields.nextGeneralizedTime("producedAt")
    var list = DERReader(try fields.next("responses", Tag.sequence).contents)
    while !list.isAtEnd {
      let response = try SingleResponse(try list.next("SingleResponse", Tag.sequence))
      if responses.count < OCSPResponse.maximumResponseCount { responses.append(response) }
    }
    if let tagged = try fields.nextIf("responseExtensions", Tag.contextConstructed(1)) {
      var reader = ExtensionReader(try tagged.only("responseExtensions", Tag.sequence).contents)
      extensions = try reader.readAll()
    }
    try fields.requireEnd(of: "ResponseData")
  }
}

extension OCSPResponse {
  /// `OCSPResponseStatus` (RFC 6960 §4.2.1).
  package struct Status: RawRepresentable, Hashable, Sendable {
    package var rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// The response contains a valid confirmation.
    package static let successful = Status(rawValue: 0)
  }

  /// `ResponderID` (RFC 6960 §4.2.1).
  package enum ResponderID: Hashable, Sendable {
    /// The responder's Name: its DER, and its text as in RFC 4514; the text is empty if it is not a Name.
    case byName(der: Bytes, text: String)

    /// SHA-1 of the responder's public key.
    case byKey(Bytes)

    /// Reads `byName [1]` or `byKey [2]`.
    init(_ element: borrowing DERElement) throws(ParseError) {
      switch element.tag {
      case Tag.contextConstructed(1):
        // Bytes that are not a Name match no certificate.
        self = .byName(der: Bytes(copying: element.bytes), text: (try? ResponderID.nameText(element)) ?? "")
      case Tag.contextConstructed(2):
        let hash = try element.only("byKey", Tag.octetString)
        self = .byKey(Bytes(copying: hash.bytes.extracting(first: 1024)))
      default: throw element.unexpected("responderID")
      }
    }

    private static func nameText(_ element: borrowing DERElement) throws(ParseError) -> String {
      try DistinguishedName(try element.only("byName", Tag.sequence), "byName").text
    }
  }
}
