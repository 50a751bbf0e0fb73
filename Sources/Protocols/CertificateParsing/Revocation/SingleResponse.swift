package import ByteParsing
package import Values

/// The part of an OCSP response about one certificate (RFC 6960 §4.2.1).
package struct SingleResponse: Hashable, Sendable {
  /// The certificate that it is about.
  package var certificateID: CertificateID

  /// Its status: good, revoked or unknown.
  package var status: Status

  /// The time at which the status was known to be correct.
  package var thisUpdate: Timestamp?

  /// The time at which newer information will be available; nil if absent.
  package var nextUpdate: Timestamp?

  package var extensions: [CertificateExtension] = []

  /// The SignedCertificateTimestampList in the extension of RFC 6962 §3.3, in its TLS encoding; nil if there is none.
  package var sctList: Bytes?

  /// `CertStatus`.
  package enum Status: Hashable, Sendable {
    /// Not revoked, as far as the responder knows.
    case good

    /// Revoked at this time, for this reason (RFC 5280 §5.3.1; nil if absent).
    case revoked(at: Timestamp?, reason: Int?)

    /// The responder does not know the certificate.
    case unknown
  }

  /// `CertID`: the issuer and serial number of a certificate.
  package struct CertificateID: Hashable, Sendable {
    /// The hash algorithm of the next two, such as `sha1`; a dotted OID if the name is unknown.
    package var hash: String

    /// The hash of the issuer's Name.
    package var issuerNameHash: Bytes

    /// The hash of the issuer's public key, without tag, length and unused bits.
    package var issuerKeyHash: Bytes

    /// The content bytes of the serial number in hexadecimal, as in `Certificate.serial`.
    package var serial: String
  }

  /// Reads `SingleResponse`.
  init(_ element: borrowing DERElement) throws(ParseError) {
    var fields = DERReader(element.contents)
    certificateID = try CertificateID(try fields.next("certID", Tag.sequence))
    status = try Status(try fields.next("certStatus"))
    thisUpdate = try fields.nextGeneralizedTime("thisUpdate")
    if let tagged = try fields.nextIf("nextUpdate", Tag.contextConstructed(0)) {
      var inner = DERReader(tagged.contents)
      nextUpdate = try inner.nextGeneralizedTime("nextUpdate")
      try inner.requireEnd(of: "nextUpdate")
    }
    if let tagged = try fields.nextIf("singleExtensions", Tag.contextConstructed(1)) {
      var reader = ExtensionReader(try tagged.only("singleExtensions", Tag.sequence).contents)
      while !reader.isAtEnd {
        let next = try reader.next()
        try ExtensionReader.requireRoom(extensions.count)
        extensions.append(next.facts)
        if next.facts.objectIdentifier == "1.3.6.1.4.1.11129.2.4.5", sctList == nil {
          let list = try next.value.only("SignedCertificateTimestampList", Tag.octetString)
          sctList = Bytes(copying: list.bytes.extracting(first: 1 << 17))
        }
      }
    }
    try fields.requireEnd(of: "SingleResponse")
  }
}

extension SingleResponse.Status {
  /// Reads `CHOICE { good [0] NULL, revoked [1] RevokedInfo, unknown [2] NULL }`.
  init(_ element: borrowing DERElement) throws(ParseError) {
    switch element.tag {
    case Tag.context(0):
      self = .good
      try DERReader(element.contents).requireEnd(of: "good")
    case Tag.contextConstructed(1):
      var fields = DERReader(element.contents)
      let time = try fields.nextGeneralizedTime("revocationTime")
      var reason: Int?
      if let tagged = try fields.nextIf("revocationReason", Tag.contextConstructed(0)) {
        reason = try tagged.only("revocationReason", Tag.enumerated).smallNumber("revocationReason")
      }
      try fields.requireEnd(of: "RevokedInfo")
      self = .revoked(at: time, reason: reason)
    case Tag.context(2):
      self = .unknown
      try DERReader(element.contents).requireEnd(of: "unknown")
    default: throw element.unexpected("certStatus")
    }
  }
}

extension SingleResponse.CertificateID {
  init(_ element: borrowing DERElement) throws(ParseError) {
    var fields = DERReader(element.contents)
    var algorithm = DERReader(try fields.next("hashAlgorithm", Tag.sequence).contents)
    let identifier = try algorithm.nextObjectIdentifier("hashAlgorithm")
    if !algorithm.isAtEnd { _ = try algorithm.next("hashAlgorithm") }
    try algorithm.requireEnd(of: "hashAlgorithm")
    hash = hashFunctionNames[identifier] ?? identifier
    // The longest hash in use has 64 bytes, the longest allowed serial number 20.
    let name = try fields.next("issuerNameHash", Tag.octetString)
    issuerNameHash = Bytes(copying: name.bytes.extracting(first: 1024))
    let key = try fields.next("issuerKeyHash", Tag.octetString)
    issuerKeyHash = Bytes(copying: key.bytes.extracting(first: 1024))
    let number = try fields.next("serialNumber", Tag.integer)
    serial = hexadecimal(Bytes(copying: number.bytes.extracting(first: 1024)))
    try fields.requireEnd(of: "CertID")
  }
}
