package import ByteParsing
package import Values

/// The facts of an OCSP response (RFC 6960 §4.2.1). Structure only: no signature is verified here.
///
/// What Apple's parser cannot read throws here too (SecOCSPResponse.c): times and versions of other forms, and certificates
/// that cannot be decoded. What follows the response is not looked at.
///
/// Ranges are offsets into `der`.
package struct OCSPResponse: Hashable, Sendable {
  /// Longer responses are refused; those in use have up to some 10 KiB.
  package static let maximumByteCount = 1 << 20

  /// Answers kept; a stapled response has one.
  static let maximumResponseCount = 1024

  /// Certificates kept; responders send one or none.
  static let maximumCertificateCount = 16

  /// The response as it was sent.
  package var der: Bytes

  /// `responseStatus`; the other fields are empty unless it is `successful`.
  package var status = Status(rawValue: 0)

  /// `responseType` as a dotted OID; nil where there are no `responseBytes`. Only the basic type is read further.
  package var responseType: String?

  /// Who signed.
  package var responderID: ResponderID?

  /// When the response was signed; nil where there is no answer.
  package var producedAt: Timestamp?

  /// The answers, as many as are kept.
  package var responses: [SingleResponse] = []

  /// `responseExtensions`.
  package var extensions: [CertificateExtension] = []

  /// The algorithm of the responder's signature.
  package var signature = SignatureAlgorithm()

  /// What the signature covers: `tbsResponseData` with its header.
  package var responseDataRange = 0..<0

  /// The bytes of the responder's signature.
  package var signatureValueRange = 0..<0

  /// The certificates sent along, each as an element of its own, as many as are kept.
  package var certificateRanges: [Range<Int>] = []

  /// Reads a response, as a CertificateStatus message or an extension of a CertificateEntry carries it.
  package init(parsing der: Span<UInt8>) throws(ParseError) {
    self.der = Bytes(copying: der)
    guard der.count <= OCSPResponse.maximumByteCount else {
      throw ParseError(.limitReached(OCSPResponse.maximumByteCount), in: "OCSPResponse", at: 0)
    }
    var outer = DERReader(der)
    var fields = DERReader(try outer.next("OCSPResponse", Tag.sequence).contents)
    status = Status(
      rawValue: try fields.next("responseStatus", Tag.enumerated).smallNumber("responseStatus"))
    if let tagged = try fields.nextIf("responseBytes", Tag.contextConstructed(0)) {
      var bytes = DERReader(try tagged.only("responseBytes", Tag.sequence).contents)
      let type = try bytes.nextObjectIdentifier("responseType")
      responseType = type
      let response = try bytes.next("response", Tag.octetString)
      try bytes.requireEnd(of: "responseBytes")
      if type == "1.3.6.1.5.5.7.48.1.1" {
        try readBasicResponse(try response.only("BasicOCSPResponse", Tag.sequence))
      }
    }
    try fields.requireEnd(of: "OCSPResponse")
  }

  /// The responder's signature.
  package var signatureValue: Bytes { Bytes(der[signatureValueRange.clamped(to: der.indices)]) }

  /// The DER of the certificates sent along.
  package var certificates: [Bytes] {
    certificateRanges.map { Bytes(der[$0.clamped(to: der.indices)]) }
  }

  /// `BasicOCSPResponse ::= SEQUENCE { tbsResponseData, signatureAlgorithm, signature, certs [0] }`
  private mutating func readBasicResponse(_ element: borrowing DERElement) throws(ParseError) {
    var fields = DERReader(element.contents)
    let data = try fields.next("tbsResponseData", Tag.sequence)
    responseDataRange = data.range
    try readResponseData(data)
    signature = try SignatureAlgorithm(
      try fields.next("signatureAlgorithm", Tag.sequence), "signatureAlgorithm")
    signatureValueRange = try fields.next("signature", Tag.bitString).bitStringRange("signature")
    if let tagged = try fields.nextIf("certs", Tag.contextConstructed(0)) {
      var list = DERReader(try tagged.only("certs", Tag.sequence).contents)
      while !list.isAtEnd {
        let certificate = try list.next("certs", Tag.sequence)
        guard Certificate(parsing: certificate.encoded.rest).isReadable else {
          throw certificate.unexpected("certs")
        }
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
    /// The number on the wire.
    package var rawValue: Int

    /// Creates a status of any number.
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// There is an answer.
    package static let successful = Status(rawValue: 0)
  }

  /// `ResponderID` (RFC 6960 §4.2.1).
  package enum ResponderID: Hashable, Sendable {
    /// The responder's Name: its DER, and its text in the form of RFC 4514; empty where it is no Name.
    case byName(der: Bytes, text: String)

    /// SHA-1 of the responder's public key.
    case byKey(Bytes)

    /// Reads `byName [1]` or `byKey [2]`.
    init(_ element: borrowing DERElement) throws(ParseError) {
      switch element.tag {
      case Tag.contextConstructed(1):
        // What is no Name is that of no certificate.
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
