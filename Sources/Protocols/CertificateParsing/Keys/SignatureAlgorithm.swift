import ByteParsing

/// The signature algorithm of a certificate, OCSP response or CRL.
package struct SignatureAlgorithm: Hashable, Sendable {
  /// The name, such as `sha256WithRSAEncryption`; the dotted OID if the name is unknown; empty if it was not decoded.
  package var name = ""

  /// The dotted OID; empty if it was not decoded.
  package var objectIdentifier = ""

  /// The hash: `md5`, `sha1`, `sha256` …; a dotted OID if the parameters contain an unknown one; nil if the algorithm is unknown or has no
  /// selectable hash (Ed25519, ML-DSA).
  package var hash: String?

  /// The parameters of RSASSA-PSS; nil for other algorithms, or if they cannot be decoded.
  package var pssParameters: PSSParameters?

  package init() {}

  /// Decodes `AlgorithmIdentifier` (RFC 5280 §4.1.1.2), and the parameters where they matter.
  init(_ element: borrowing DERElement, _ field: StaticString) throws(ParseError) {
    var fields = DERReader(element.contents)
    objectIdentifier = try fields.nextObjectIdentifier(field)
    name = objectIdentifier
    if let known = SignatureAlgorithm.registry[objectIdentifier] { (name, hash) = known }
    switch objectIdentifier {
    case "1.2.840.113549.1.1.10":
      if fields.isAtEnd {
        pssParameters = PSSParameters()
      } else {
        pssParameters = try? PSSParameters(try fields.next(field), field)
      }
      hash = pssParameters?.hash
    case "1.2.840.10045.4.3":
      // ecdsa-with-Specified (ANSI X9.62): the hash is in the parameters.
      if let parameters = try fields.nextIf(field, Tag.sequence) {
        hash = try hashName(parameters, field)
      }
    default: if !fields.isAtEnd { _ = try fields.next(field) }
    }
    try fields.requireEnd(of: field)
  }
}

/// RSASSA-PSS-params (RFC 4055 §3.1), with defaults for absent fields.
package struct PSSParameters: Hashable, Sendable {
  /// The hash of the message; a dotted OID if the name is unknown.
  package var hash = "sha1"

  /// The hash of MGF1; for another mask generation function, or one without a hash, its dotted OID.
  package var maskGenerationHash = "sha1"

  /// The length of the salt in bytes.
  package var saltByteCount = 20

  /// `trailerField`; RFC 4055 allows only 1.
  package var trailerField = 1

  /// Creates the defaults: SHA-1, 20 bytes of salt.
  package init() {}

  /// Decodes the parameters; NULL means the defaults.
  init(_ element: borrowing DERElement, _ field: StaticString) throws(ParseError) {
    if element.tag == Tag.null { return }
    var fields = try element.parameterFields(field)
    if let tagged = try fields.nextIf(field, Tag.contextConstructed(0)) {
      hash = try hashName(try tagged.only(field, Tag.sequence), field)
    }
    if let tagged = try fields.nextIf(field, Tag.contextConstructed(1)) {
      var mask = DERReader(try tagged.only(field, Tag.sequence).contents)
      maskGenerationHash = try mask.nextObjectIdentifier(field)
      if maskGenerationHash == "1.2.840.113549.1.1.8", !mask.isAtEnd {
        maskGenerationHash = try hashName(try mask.next(field, Tag.sequence), field)
      }
    }
    if let tagged = try fields.nextIf(field, Tag.contextConstructed(2)) {
      saltByteCount = try tagged.only(field, Tag.integer).smallNumber(field)
    }
    if let tagged = try fields.nextIf(field, Tag.contextConstructed(3)) {
      trailerField = try tagged.only(field, Tag.integer).smallNumber(field)
    }
    try fields.requireEnd(of: field)
  }
}

/// The name of the hash function of an `AlgorithmIdentifier`; a dotted OID if the name is unknown.
func hashName(_ algorithm: borrowing DERElement, _ field: StaticString) throws(ParseError) -> String {
  var fields = DERReader(algorithm.contents)
  let identifier = try fields.nextObjectIdentifier(field)
  return hashFunctionNames[identifier] ?? identifier
}
