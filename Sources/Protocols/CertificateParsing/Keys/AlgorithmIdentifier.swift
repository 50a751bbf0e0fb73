import ByteParsing
import SwiftASN1

/// An algorithm and its parameters (RFC 5280 §4.1.1.2).
struct AlgorithmIdentifier {
  /// The dotted OID.
  var algorithm: String

  /// The parameters, where there are any.
  var parameters: ASN1Node?

  /// Reads `AlgorithmIdentifier`.
  init(_ node: ASN1Node, _ field: StaticString) throws(ParseError) {
    var fields = try NodeFields(node, field)
    algorithm = try fields.next(field).objectIdentifier(field)
    parameters = fields.isAtEnd ? nil : try fields.next(field)
  }
}
