public import ByteParsing
public import Values

/// The facts of one X.509 certificate (RFC 5280), decoded leniently: anomalies are recorded, not rejected.
///
/// The properties that end in `DER` copy a part of `der`.
public struct Certificate: Hashable, Sendable {
  /// The certificate as it was sent.
  public package(set) var der: Bytes

  /// The first fault that prevented complete decoding; nil if there is none. The other fields contain what was decoded nevertheless. A
  /// single unreadable extension is listed in `malformedExtensions` instead.
  public package(set) var decodingError: String?

  /// The names of anomalies that do not prevent decoding, such as `negative-serial` and `nul-in-name`, each once.
  public package(set) var quirks: [String] = []

  /// The version, normally 1, 2 or 3: the encoded number plus one. Nil if it was not decoded.
  public package(set) var version: Int?

  /// The content bytes of the serial number in hexadecimal, as encoded.
  public package(set) var serial = ""

  /// The subject's distinguished name as text (RFC 4514, the most specific part first), such as `CN=example.com,O=Example`.
  public package(set) var subject = ""

  /// The issuer's distinguished name as text (RFC 4514).
  public package(set) var issuer = ""

  /// The subject's most specific commonName; nil if there is none.
  public package(set) var commonName: String?

  /// The subject's other commonName values, the least specific first.
  package var otherCommonNames: [String] = []

  /// The issuer's most specific commonName; nil if there is none.
  package var issuerCommonName: String?

  /// The start of validity; nil if it could not be read.
  public package(set) var notBefore: Timestamp?

  /// The end of validity, inclusive; nil if it could not be read.
  public package(set) var notAfter: Timestamp?

  /// The subject's key.
  public package(set) var publicKey = PublicKeyFacts()

  /// The algorithm of the issuer's signature.
  package var signature = SignatureAlgorithm()

  // MARK: Extensions

  /// All extensions in order, including repeated ones. If one is repeated, the facts below are from the first.
  package var extensions: [CertificateExtension] = []

  /// Dotted OIDs of known extensions whose values could not be decoded.
  public package(set) var malformedExtensions: [String] = []

  /// Whether there is a subjectAltName extension.
  package var hasSubjectAlternativeName = false

  /// The dNSName entries of subjectAltName, as encoded, including NUL and other control characters.
  public package(set) var dnsNames: [String] = []

  /// The iPAddress entries of subjectAltName that have 4 or 16 bytes.
  public package(set) var ipAddresses: [IPAddress] = []

  /// The number of entries in subjectAltName, and of dNSName entries among them. A limit may have shortened the lists above.
  package var alternativeNameCount = 0
  package var dnsNameCount = 0

  /// Whether there is a basicConstraints extension.
  package var hasBasicConstraints = false

  /// `cA` of basicConstraints; false if the extension is absent.
  public package(set) var isCA = false

  /// `pathLenConstraint` of basicConstraints; nil if it is absent, or not in the range 0 to 2³¹ − 1.
  public package(set) var pathLength: Int?

  /// keyUsage; nil if the extension is absent.
  public package(set) var keyUsage: KeyUsage?

  /// Names or dotted OIDs of the extended key usages; nil if the extension is absent.
  public package(set) var extendedKeyUsage: [String]?

  /// `keyIdentifier` of authorityKeyIdentifier; nil if it is absent.
  public package(set) var authorityKeyIdentifier: Bytes?

  /// subjectKeyIdentifier; nil if the extension is absent.
  public package(set) var subjectKeyIdentifier: Bytes?

  /// URLs of the issuer's certificate (authorityInfoAccess), as encoded.
  public package(set) var caIssuerURLs: [String] = []

  /// URLs of OCSP responders (authorityInfoAccess), as encoded.
  public package(set) var ocspURLs: [String] = []

  /// URLs of CRLs (cRLDistributionPoints), as encoded.
  public package(set) var crlURLs: [String] = []

  /// Dotted OIDs of certificatePolicies.
  public package(set) var certificatePolicies: [String] = []

  /// policyConstraints and inhibitAnyPolicy.
  package var policyLimits = PolicyLimits()

  /// The value of nameConstraints, for `NameConstraints`; nil if the extension is absent.
  package var nameConstraintsRange: Range<Int>?

  /// TLS features that the server must support (RFC 7633); 5 is a stapled OCSP response.
  package var tlsFeatures: [Int] = []

  /// The number of SCTs embedded in the certificate (RFC 6962 §3.3).
  public package(set) var embeddedSCTs = 0

  /// The embedded SignedCertificateTimestampList, in its TLS encoding; nil if there is none.
  package var sctListRange: Range<Int>?

  // MARK: Parts, as offsets into `der`

  /// The signed part: TBSCertificate with its header.
  package var tbsCertificateRange = 0..<0

  /// The subject's Name.
  package var subjectRange = 0..<0

  /// The issuer's Name.
  package var issuerRange = 0..<0

  package var subjectPublicKeyInfoRange = 0..<0

  /// The bytes of the issuer's signature.
  package var signatureValueRange = 0..<0

  package init(der: Bytes) { self.der = der }
}

extension Certificate {
  /// The algorithm of the issuer's signature, such as `sha256WithRSAEncryption`; its dotted OID if the name is unknown.
  public package(set) var signatureAlgorithm: String {
    get { signature.name }
    set { signature.name = newValue }
  }

  /// The hash of the signature: `md5`, `sha1`, `sha256` …; for RSASSA-PSS from its parameters. Nil if the algorithm is unknown or has none.
  public var signatureHash: String? { signature.hash }

  /// Whether the certificate was decoded, or merely exceeds the size limit.
  var isReadable: Bool { decodingError == nil || has(.beyondLimits) }

  /// Whether subject and issuer are the same name, byte for byte. This does not imply that its own key verifies the signature.
  package var isSelfIssued: Bool {
    let (subject, issuer) = (subjectRange.clamped(to: der.indices), issuerRange.clamped(to: der.indices))
    return !subject.isEmpty && isEqual(der.span.extracting(subject), der.span.extracting(issuer))
  }

  /// Whether the server must staple an OCSP response.
  public var requiresStapledOCSP: Bool { tlsFeatures.contains(5) }

  /// The DER of the subject's Name.
  package var subjectDER: Bytes { bytes(subjectRange) }

  /// The DER of the issuer's Name.
  package var issuerDER: Bytes { bytes(issuerRange) }

  /// The DER of SubjectPublicKeyInfo.
  package var subjectPublicKeyInfoDER: Bytes { bytes(subjectPublicKeyInfoRange) }

  /// The DER of TBSCertificate, which the signature covers.
  package var tbsCertificateDER: Bytes { bytes(tbsCertificateRange) }

  /// The issuer's signature.
  package var signatureValue: Bytes { bytes(signatureValueRange) }

  /// The value of nameConstraints; nil if the extension is absent.
  package var nameConstraintsDER: Bytes? { nameConstraintsRange.map(bytes) }

  /// The embedded SignedCertificateTimestampList in its TLS encoding; nil if there is none.
  package var sctList: Bytes? { sctListRange.map(bytes) }

  /// The value of the first extension with this identifier; nil if there is none.
  package func extensionValue(_ objectIdentifier: String) -> Bytes? {
    extensions.first { $0.objectIdentifier == objectIdentifier }.map { bytes($0.valueRange) }
  }

  /// Returns a copy of a range of `der`.
  package func bytes(_ range: Range<Int>) -> Bytes {
    Bytes(der[range.clamped(to: der.indices)])
  }
}

extension Certificate {
  /// An anomaly of a certificate that does not prevent decoding.
  package enum Quirk: String, Hashable, Sendable, CaseIterable {
    /// Bytes follow the certificate.
    case trailingBytes = "trailing-bytes"

    /// The certificate's length exceeds the available bytes.
    case lengthBeyondEnd = "length-beyond-end"

    /// A length or a BOOLEAN has an encoding that BER allows and DER does not.
    case notDER = "not-der"

    /// The version is not 1, 2 or 3.
    case unknownVersion = "unknown-version"

    /// There are extensions although the version is not 3.
    case extensionsInOldVersion = "extensions-in-old-version"

    /// The serial number is negative.
    case negativeSerial = "negative-serial"

    /// The serial number is zero.
    case zeroSerial = "zero-serial"

    /// The serial number has unnecessary leading bytes.
    case paddedSerial = "padded-serial"

    /// The serial number has no bytes, or more than the 20 that RFC 5280 §4.1.2.2 allows.
    case invalidSerialLength = "odd-serial-length"

    /// A time is not in the format of RFC 5280 §4.1.2.5.
    case invalidTimeFormat = "odd-time"

    /// A validity date has a fraction of a second, no zone, or another format that Apple's systems do not read.
    case unknownTime = "unknown-time"

    /// The signed part and the outer part name different signature algorithms.
    case signatureAlgorithmMismatch = "signature-algorithm-mismatch"

    /// An extension occurs more than once.
    case duplicateExtension = "duplicate-extension"

    /// An iPAddress of subjectAltName has neither 4 nor 16 bytes.
    case invalidAddressLength = "odd-address-length"

    /// A dNSName or commonName contains a NUL byte.
    case nulInName = "nul-in-name"

    /// A dNSName of subjectAltName is not UTF-8.
    case invalidTextInName = "odd-name-text"

    /// A text exceeded the length limit and was shortened.
    case shortenedText = "shortened-text"

    /// A list exceeded the limit on entries and was shortened.
    case shortenedList = "shortened-list"

    /// A size or count exceeded a limit of decoding; `decodingError` describes it.
    case beyondLimits = "beyond-limits"
  }

  /// Returns whether the certificate has an anomaly.
  package func has(_ quirk: Quirk) -> Bool { quirks.contains(quirk.rawValue) }

  /// Records an anomaly, once.
  mutating func note(_ quirk: Quirk) {
    if !has(quirk) { quirks.append(quirk.rawValue) }
  }
}
