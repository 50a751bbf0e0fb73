public import ByteParsing
public import Values

/// The facts of one X.509 certificate (RFC 5280), read leniently: what is odd is kept, not refused.
public struct Certificate: Hashable, Sendable {
  /// The certificate as it was sent.
  public var der: Bytes

  /// What was wrong, where the certificate cannot be decoded; the other fields then hold what was read before.
  public var decodingError: String?

  /// Distinguished name as text (RFC 4514 form, the most specific part first), such as `CN=example.com,O=Example`.
  public var subject = ""

  /// The issuer's name in the same form.
  public var issuer = ""

  /// The DER of the subject's Name.
  public var subjectDER = Bytes()

  /// The DER of the issuer's Name.
  public var issuerDER = Bytes()

  /// The serial number's content bytes in hexadecimal, as they stand.
  public var serial = ""

  /// First moment of validity; nil where it could not be read.
  public var notBefore: Timestamp?

  /// Last moment of validity, inclusive; nil where it could not be read.
  public var notAfter: Timestamp?

  /// The subject's key.
  public var publicKey = PublicKeyFacts()

  /// The DER of SubjectPublicKeyInfo.
  public var subjectPublicKeyInfoDER = Bytes()

  /// The algorithm of the issuer's signature, such as `sha256WithRSAEncryption`; the dotted OID where no name is known.
  public var signatureAlgorithm = ""

  /// The dotted OID of the signature's algorithm.
  public var signatureAlgorithmOID = ""

  /// The hash that the signature is made with: `md5`, `sha1`, `sha256` …; for RSASSA-PSS from its parameters; nil
  /// where the algorithm is not known or has none.
  public var signatureHash: String?

  /// dNSName entries of subjectAltName, as they stand.
  public var dnsNames: [String] = []

  /// iPAddress entries of subjectAltName, those of 4 or 16 bytes.
  public var ipAddresses: [IPAddress] = []

  /// Whether there is a subjectAltName extension.
  public var hasSubjectAlternativeName = false

  /// The last commonName of the subject, where there is one.
  public var commonName: String?

  /// `cA` of basicConstraints; false where the extension is absent.
  public var isCA = false

  /// Names or dotted OIDs of the extended key usages; nil where the extension is absent.
  public var extendedKeyUsage: [String]?

  /// Whether subject and issuer are the same name, byte for byte. That the signature verifies is not said.
  public var isSelfIssued = false

  /// The number of SCTs embedded in the certificate (RFC 6962 §3.3).
  public var embeddedSCTs = 0

  /// Creates a certificate of which nothing is known but its bytes.
  public init(der: Bytes) { self.der = der }
}

/// The kind and size of a public key.
public struct PublicKeyFacts: Hashable, Sendable {
  /// `rsa`, `ec`, `ed25519`, `ed448`, `dsa`, …; the dotted OID where no name is known; empty where it was not read.
  public var algorithm = ""

  /// Bits of the RSA or DSA modulus without leading zeros, or of the EC field; nil where it cannot be told.
  public var bits: Int?

  /// The name of the curve (`P-256`), or its OID; nil for other kinds.
  public var curve: String?

  /// Creates the facts of an unread key.
  public init() {}
}
