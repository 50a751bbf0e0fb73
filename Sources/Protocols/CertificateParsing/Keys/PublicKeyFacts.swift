package import ByteParsing

/// The kind and size of a public key.
public struct PublicKeyFacts: Hashable, Sendable {
  /// `rsa`, `rsa-pss`, `ec`, `ecDH`, `ed25519`, `ed448`, `dsa`, …; the dotted OID if the name is unknown; empty if it was not decoded.
  public package(set) var algorithm = ""

  /// The dotted OID of the algorithm; empty if it was not decoded.
  package var algorithmOID = ""

  /// The size in bits of the RSA, DSA or DH modulus without leading zeros, or of the EC field; nil if unknown.
  public package(set) var bits: Int?

  /// The name of the curve (`P-256`), its OID if the name is unknown, `explicit` if its parameters are written out, `implicit` if they are
  /// inherited; nil for other key types.
  public package(set) var curve: String?

  /// The hash to which the parameters of an RSASSA-PSS key restrict it; nil without parameters and for other key types.
  package var restrictedToHash: String?

  /// The range of the bytes of `subjectPublicKey` in the certificate.
  package var keyRange = 0..<0

  /// The range of the contents of the RSA modulus in the certificate; nil for other key types.
  package var modulusRange: Range<Int>?

  /// The range of the contents of the RSA exponent in the certificate; nil for other key types.
  package var exponentRange: Range<Int>?

  /// Whether the key is an RSA key, with any allowed use.
  package var isRSA: Bool { algorithm.hasPrefix("rsa") }

  package init() {}

  /// Decodes a separate SubjectPublicKeyInfo; the ranges are offsets into it.
  package init(parsing subjectPublicKeyInfo: Span<UInt8>) throws(ParseError) {
    var outer = DERReader(subjectPublicKeyInfo)
    let element = try outer.next("SubjectPublicKeyInfo", Tag.sequence)
    try outer.requireEnd(of: "SubjectPublicKeyInfo")
    try read(element)
  }

  /// Decodes `SubjectPublicKeyInfo`. If it throws, the fields decoded so far are kept. Invalid parameters or keys do not throw, since the
  /// system decodes them only when it creates a key; `bits` or `curve` is then nil.
  mutating func read(_ element: borrowing DERElement) throws(ParseError) {
    var fields = DERReader(element.contents)
    let identifier = try fields.next("algorithm", Tag.sequence)
    let key = try fields.next("subjectPublicKey", Tag.bitString)
    var algorithmFields = DERReader(identifier.contents)
    algorithmOID = try algorithmFields.nextObjectIdentifier("algorithm")
    algorithm = PublicKeyFacts.algorithmNames[algorithmOID] ?? algorithmOID
    keyRange = try key.bitStringRange("subjectPublicKey")
    // Keys have whole bytes; otherwise SecCertificate.c rejects the certificate.
    if key.bytes[0] != 0 { throw key.unexpected("subjectPublicKey") }
    let parameters = algorithmFields.isAtEnd ? nil : try algorithmFields.next("algorithm")
    try algorithmFields.requireEnd(of: "algorithm")
    try fields.requireEnd(of: "subjectPublicKeyInfo")
    if isRSA { try? readRSA(key) }
    if let parameters { try? readParameters(parameters) }
  }

  private mutating func readParameters(_ parameters: borrowing DERElement) throws(ParseError) {
    switch algorithm {
    case "rsa-pss":
      if parameters.tag == Tag.sequence { restrictedToHash = try PSSParameters(parameters, "algorithm").hash }
    case "ec", "ecDH", "ecMQV": try readCurve(parameters)
    case "dsa", "dh":
      // Both begin with the prime p. DSA parameters may be inherited from the issuer, and are then absent.
      if parameters.tag == Tag.sequence {
        var numbers = DERReader(parameters.contents)
        bits = bitCount(ofUnsigned: try numbers.next("p", Tag.integer).bytes)
      }
    default: break
    }
  }

  /// Reads `RSAPublicKey` (RFC 8017 appendix A.1.1).
  private mutating func readRSA(_ key: borrowing DERElement) throws(ParseError) {
    var bits = key.contents
    try bits.skip(byteCount: 1, "subjectPublicKey")
    var outer = DERReader(bits)
    var fields = DERReader(try outer.next("RSAPublicKey", Tag.sequence).contents)
    let modulus = try fields.next("modulus", Tag.integer)
    // A modulus whose first bit is set, and which would therefore be negative, comes from faulty software and means the unsigned number.
    self.bits = bitCount(ofUnsigned: modulus.bytes)
    modulusRange = modulus.contentsRange
    exponentRange = try fields.next("publicExponent", Tag.integer).contentsRange
    try fields.requireEnd(of: "RSAPublicKey")
    try outer.requireEnd(of: "RSAPublicKey")
  }

  /// Decodes `ECParameters` (RFC 5480 §2.1.1; explicit ones: RFC 3279 §2.3.5).
  private mutating func readCurve(_ parameters: borrowing DERElement) throws(ParseError) {
    switch parameters.tag {
    case Tag.objectIdentifier:
      let identifier = try dottedObjectIdentifier(parameters.bytes, "namedCurve", at: parameters.contents.offset)
      curve = identifier
      if let known = namedCurves[identifier] { (curve, bits) = known }
    case Tag.sequence:
      curve = "explicit"
      try readExplicitField(parameters)
    case Tag.null: curve = "implicit"
    default: throw parameters.unexpected("ECParameters")
    }
  }

  /// Decodes the field size of an explicit curve.
  private mutating func readExplicitField(_ parameters: borrowing DERElement) throws(ParseError) {
    var fields = try parameters.parameterFields("ECParameters")
    _ = try fields.next("version", Tag.integer)
    var field = DERReader(try fields.next("fieldID", Tag.sequence).contents)
    switch try field.nextObjectIdentifier("fieldType") {
    case "1.2.840.10045.1.1": bits = bitCount(ofUnsigned: try field.next("prime", Tag.integer).bytes)
    case "1.2.840.10045.1.2":
      var characteristicTwo = DERReader(try field.next("characteristic-two", Tag.sequence).contents)
      bits = smallNumber(try characteristicTwo.next("m", Tag.integer).bytes)
    default: break
    }
  }

  /// Names of key algorithms by OID (RFC 3279, RFC 4055, RFC 5480, RFC 8410, NIST CSOR, RFC 9215).
  private static let algorithmNames = [
    "1.2.840.113549.1.1.1": "rsa", "2.5.8.1.1": "rsa", "1.2.840.113549.1.1.7": "rsa-oaep",
    "1.2.840.113549.1.1.10": "rsa-pss",
    "1.2.840.10045.2.1": "ec", "1.3.132.1.12": "ecDH", "1.3.132.1.13": "ecMQV",
    "1.2.840.10040.4.1": "dsa", "1.3.14.3.2.12": "dsa", "1.2.840.10046.2.1": "dh",
    "1.2.840.113549.1.3.1": "dh", "2.16.840.1.101.2.1.1.22": "kea",
    "1.3.101.110": "x25519", "1.3.101.111": "x448", "1.3.101.112": "ed25519", "1.3.101.113": "ed448",
    "2.16.840.1.101.3.4.3.17": "ml-dsa-44", "2.16.840.1.101.3.4.3.18": "ml-dsa-65",
    "2.16.840.1.101.3.4.3.19": "ml-dsa-87", "2.16.840.1.101.3.4.4.1": "ml-kem-512",
    "2.16.840.1.101.3.4.4.2": "ml-kem-768", "2.16.840.1.101.3.4.4.3": "ml-kem-1024",
    "2.16.840.1.101.3.4.3.20": "slh-dsa-sha2-128s", "2.16.840.1.101.3.4.3.21": "slh-dsa-sha2-128f",
    "2.16.840.1.101.3.4.3.22": "slh-dsa-sha2-192s", "2.16.840.1.101.3.4.3.23": "slh-dsa-sha2-192f",
    "2.16.840.1.101.3.4.3.24": "slh-dsa-sha2-256s", "2.16.840.1.101.3.4.3.25": "slh-dsa-sha2-256f",
    "2.16.840.1.101.3.4.3.26": "slh-dsa-shake-128s", "2.16.840.1.101.3.4.3.27": "slh-dsa-shake-128f",
    "2.16.840.1.101.3.4.3.28": "slh-dsa-shake-192s", "2.16.840.1.101.3.4.3.29": "slh-dsa-shake-192f",
    "2.16.840.1.101.3.4.3.30": "slh-dsa-shake-256s", "2.16.840.1.101.3.4.3.31": "slh-dsa-shake-256f",
    "1.2.643.2.2.20": "gostR3410-94", "1.2.643.2.2.19": "gostR3410-2001",
    "1.2.643.7.1.1.1.1": "gostR3410-2012-256", "1.2.643.7.1.1.1.2": "gostR3410-2012-512",
  ]
}
