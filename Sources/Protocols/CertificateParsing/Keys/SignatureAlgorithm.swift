import ByteParsing
import SwiftASN1

/// The algorithm that a certificate, OCSP response or CRL is signed with.
public struct SignatureAlgorithm: Hashable, Sendable {
  /// The name, such as `sha256WithRSAEncryption`; the dotted OID where no name is known; empty where it was not read.
  public var name = ""

  /// The dotted OID; empty where it was not read.
  public var objectIdentifier = ""

  /// The hash: `md5`, `sha1`, `sha256` …; a dotted OID where the parameters name an unknown one; nil where the
  /// algorithm is not known or has no hash of its own choice (Ed25519, ML-DSA).
  public var hash: String?

  /// The parameters of RSASSA-PSS; nil for other algorithms, or where they cannot be read.
  public var pssParameters: PSSParameters?

  /// Creates an algorithm of which nothing is known.
  public init() {}

  /// Reads the algorithm and, for those that have any, the parameters.
  init(_ node: ASN1Node, _ field: StaticString) throws(ParseError) {
    let identifier = try AlgorithmIdentifier(node, field)
    objectIdentifier = identifier.algorithm
    name = identifier.algorithm
    if let known = SignatureAlgorithm.registry[identifier.algorithm] { (name, hash) = known }
    switch identifier.algorithm {
    case "1.2.840.113549.1.1.10":
      pssParameters = try? PSSParameters(identifier.parameters, field)
      hash = pssParameters?.hash
    case "1.2.840.10045.4.3":
      // ecdsa-with-Specified (ANSI X9.62): the hash is in the parameters.
      if let parameters = identifier.parameters, let inner = try? AlgorithmIdentifier(parameters, field) {
        hash = hashFunctionNames[inner.algorithm] ?? inner.algorithm
      }
    default: break
    }
  }
}

/// RSASSA-PSS-params (RFC 4055 §3.1), with the defaults where they are absent.
public struct PSSParameters: Hashable, Sendable {
  /// The hash of the message; a dotted OID where no name is known.
  public var hash = "sha1"

  /// The hash of MGF1; the dotted OID of the mask generation function where it is another one.
  public var maskGenerationHash = "sha1"

  /// Bytes of salt.
  public var saltByteCount = 20

  /// `trailerField`; 1 is the only one that RFC 4055 allows.
  public var trailerField = 1

  /// The defaults: SHA-1, 20 bytes of salt.
  public init() {}

  /// Reads the parameters; absent or NULL ones have the defaults.
  init(_ node: ASN1Node?, _ field: StaticString) throws(ParseError) {
    guard let node, node.identifier != .null else { return }
    var fields = try NodeFields(node, field)
    if let tagged = try fields.nextIf(Tag.contextConstructed(0), field) {
      let algorithm = try AlgorithmIdentifier(try PSSParameters.inner(tagged, field), field).algorithm
      hash = hashFunctionNames[algorithm] ?? algorithm
    }
    if let tagged = try fields.nextIf(Tag.contextConstructed(1), field) {
      let mask = try AlgorithmIdentifier(try PSSParameters.inner(tagged, field), field)
      maskGenerationHash = mask.algorithm
      if mask.algorithm == "1.2.840.113549.1.1.8", let parameters = mask.parameters {
        let algorithm = try AlgorithmIdentifier(parameters, field).algorithm
        maskGenerationHash = hashFunctionNames[algorithm] ?? algorithm
      }
    }
    if let tagged = try fields.nextIf(Tag.contextConstructed(2), field) {
      saltByteCount = try PSSParameters.number(tagged, field)
    }
    if let tagged = try fields.nextIf(Tag.contextConstructed(3), field) {
      trailerField = try PSSParameters.number(tagged, field)
    }
  }

  private static func inner(_ node: ASN1Node, _ field: StaticString) throws(ParseError) -> ASN1Node {
    var fields = try NodeFields(node, field)
    return try fields.next(field)
  }

  private static func number(_ node: ASN1Node, _ field: StaticString) throws(ParseError) -> Int {
    let contents = try inner(node, field).primitive(field, Tag.integer)
    guard let value = smallNumber(contents) else {
      throw ParseError(.unexpectedValue(UInt64(contents.first ?? 0)), in: field, at: node.offset)
    }
    return value
  }
}
