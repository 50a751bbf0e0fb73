import ByteParsing
import SwiftASN1

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
        var inner = DERReader(parameters.contents)
        let algorithm = try inner.nextObjectIdentifier(field)
        hash = hashFunctionNames[algorithm] ?? algorithm
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
    let base = element.encoded.offset
    var fields = try NodeFields(try element.node(field), base: base, field)
    if let node = try fields.nextTagged(0, field) {
      var algorithm = try NodeFields(node, base: base, field)
      hash = try PSSParameters.hashName(in: &algorithm, base: base, field)
    }
    if let node = try fields.nextTagged(1, field) {
      var mask = try NodeFields(node, base: base, field)
      maskGenerationHash = try mask.next(field, .objectIdentifier).objectIdentifier(field, base: base)
      if maskGenerationHash == "1.2.840.113549.1.1.8", let parameters = mask.nextIfAny() {
        var algorithm = try NodeFields(parameters, base: base, field)
        maskGenerationHash = try PSSParameters.hashName(in: &algorithm, base: base, field)
      }
    }
    if let node = try fields.nextTagged(2, field) {
      saltByteCount = try PSSParameters.number(node, base: base, field)
    }
    if let node = try fields.nextTagged(3, field) {
      trailerField = try PSSParameters.number(node, base: base, field)
    }
    try fields.requireEnd(of: field)
  }

  private static func hashName(in algorithm: inout NodeFields, base: Int, _ field: StaticString) throws(ParseError) -> String {
    let identifier = try algorithm.next(field, .objectIdentifier).objectIdentifier(field, base: base)
    return hashFunctionNames[identifier] ?? identifier
  }

  private static func number(_ node: ASN1Node, base: Int, _ field: StaticString) throws(ParseError) -> Int {
    let contents = try node.primitive(field, .integer, base: base)
    guard let value = smallNumber(contents.span) else { throw node.unexpected(field, base: base) }
    return value
  }
}
