public import ByteParsing
public import Values

/// The facts of one X.509 certificate (RFC 5280), read leniently: what is odd is kept, not refused.
///
/// Ranges are offsets into `der`; the properties that end in `DER` copy what they name.
public struct Certificate: Hashable, Sendable {
  /// The certificate as it was sent.
  public package(set) var der: Bytes

  /// The first thing that kept the certificate from being decoded in full; the other fields hold what was read all
  /// the same. A single extension that cannot be read is told in `malformedExtensions` instead.
  public package(set) var decodingError: String?

  /// What is odd about the certificate without keeping it from being read: raw values of `Quirk`, each once.
  public package(set) var quirks: [String] = []

  /// 1, 2 or 3; other numbers as they stand, plus one; nil where it was not read.
  public package(set) var version: Int?

  /// The serial number's content bytes in hexadecimal, as they stand.
  public package(set) var serial = ""

  /// Distinguished name as text (RFC 4514 form, the most specific part first), such as `CN=example.com,O=Example`.
  public package(set) var subject = ""

  /// The issuer's name in the same form.
  public package(set) var issuer = ""

  /// The subject's most specific commonName, where there is one.
  public package(set) var commonName: String?

  /// Start of validity; nil where it could not be read.
  public package(set) var notBefore: Timestamp?

  /// End of validity, inclusive; nil where it could not be read.
  public package(set) var notAfter: Timestamp?

  /// The subject's key.
  package var publicKey = PublicKeyFacts()

  /// The algorithm of the issuer's signature.
  package var signature = SignatureAlgorithm()

  // MARK: Extensions

  /// All extensions in their order, repeated ones included. Of a repeated one, the first gives the facts below.
  package var extensions: [CertificateExtension] = []

  /// Dotted OIDs of known extensions whose values cannot be read.
  public package(set) var malformedExtensions: [String] = []

  /// Whether there is a subjectAltName extension.
  public package(set) var hasSubjectAlternativeName = false

  /// dNSName entries of subjectAltName, as they stand, NUL and other control characters included.
  public package(set) var dnsNames: [String] = []

  /// iPAddress entries of subjectAltName, those of 4 or 16 bytes.
  public package(set) var ipAddresses: [IPAddress] = []

  /// Entries of subjectAltName, and those that are a dNSName; more than the lists above keep, where a limit cut those.
  package var alternativeNameCount = 0
  package var dnsNameCount = 0

  /// Whether there is a basicConstraints extension.
  public package(set) var hasBasicConstraints = false

  /// `cA` of basicConstraints; false where the extension is absent.
  public package(set) var isCA = false

  /// `pathLenConstraint` of basicConstraints; nil where it is absent, or not a number of 0 to 2³¹ − 1.
  public package(set) var pathLength: Int?

  /// keyUsage; nil where the extension is absent.
  package var keyUsage: KeyUsage?

  /// Names or dotted OIDs of the extended key usages; nil where the extension is absent.
  public package(set) var extendedKeyUsage: [String]?

  /// `keyIdentifier` of authorityKeyIdentifier; nil where it is absent.
  public package(set) var authorityKeyIdentifier: Bytes?

  /// subjectKeyIdentifier; nil where the extension is absent.
  public package(set) var subjectKeyIdentifier: Bytes?

  /// Where the issuer's certificate can be fetched (authorityInfoAccess), as it stands.
  public package(set) var caIssuerURLs: [String] = []

  /// Where OCSP responders are (authorityInfoAccess), as it stands.
  public package(set) var ocspURLs: [String] = []

  /// Where CRLs are (cRLDistributionPoints), as it stands.
  public package(set) var crlURLs: [String] = []

  /// Dotted OIDs of certificatePolicies.
  public package(set) var certificatePolicies: [String] = []

  /// policyConstraints and inhibitAnyPolicy.
  package var policyLimits = PolicyLimits()

  /// The value of nameConstraints; nil where the extension is absent. `NameConstraints` reads it.
  public package(set) var nameConstraintsRange: Range<Int>?

  /// TLS features that the server must show (RFC 7633); 5 is a stapled OCSP response.
  public package(set) var tlsFeatures: [Int] = []

  /// The number of SCTs embedded in the certificate (RFC 6962 §3.3).
  public package(set) var embeddedSCTs = 0

  /// The SignedCertificateTimestampList embedded in the certificate, in its TLS encoding; nil where there is none.
  public package(set) var sctListRange: Range<Int>?

  // MARK: Parts

  /// What the signature covers: TBSCertificate with its header.
  public package(set) var tbsCertificateRange = 0..<0

  /// The subject's Name.
  public package(set) var subjectRange = 0..<0

  /// The issuer's Name.
  public package(set) var issuerRange = 0..<0

  /// SubjectPublicKeyInfo.
  public package(set) var subjectPublicKeyInfoRange = 0..<0

  /// The bytes of the issuer's signature.
  public package(set) var signatureValueRange = 0..<0

  /// Creates a certificate of which nothing is known but its bytes.
  package init(der: Bytes) { self.der = der }
}

extension Certificate {
  /// The algorithm of the issuer's signature, such as `sha256WithRSAEncryption`; the dotted OID where no name is known.
  public package(set) var signatureAlgorithm: String {
    get { signature.name }
    set { signature.name = newValue }
  }

  /// The dotted OID of the signature's algorithm.
  public package(set) var signatureAlgorithmOID: String {
    get { signature.objectIdentifier }
    set { signature.objectIdentifier = newValue }
  }

  /// The hash that the signature is made with: `md5`, `sha1`, `sha256` …; for RSASSA-PSS from its parameters; nil
  /// where the algorithm is not known or has none.
  public package(set) var signatureHash: String? {
    get { signature.hash }
    set { signature.hash = newValue }
  }

  /// Whether the certificate was decoded, or is just larger than what is decoded here.
  var isReadable: Bool { decodingError == nil || has(.beyondLimits) }

  /// Whether subject and issuer are the same name, byte for byte. That the signature verifies is not said.
  public var isSelfIssued: Bool {
    let (subject, issuer) = (subjectRange.clamped(to: der.indices), issuerRange.clamped(to: der.indices))
    return !subject.isEmpty && isEqual(der.span.extracting(subject), der.span.extracting(issuer))
  }

  /// Whether the server must staple an OCSP response.
  public var requiresStapledOCSP: Bool { tlsFeatures.contains(5) }

  /// The DER of the subject's Name.
  public var subjectDER: Bytes { bytes(subjectRange) }

  /// The DER of the issuer's Name.
  public var issuerDER: Bytes { bytes(issuerRange) }

  /// The DER of SubjectPublicKeyInfo.
  public var subjectPublicKeyInfoDER: Bytes { bytes(subjectPublicKeyInfoRange) }

  /// The DER of TBSCertificate, which the signature covers.
  public var tbsCertificateDER: Bytes { bytes(tbsCertificateRange) }

  /// The issuer's signature.
  public var signatureValue: Bytes { bytes(signatureValueRange) }

  /// The value of nameConstraints; nil where the extension is absent.
  public var nameConstraintsDER: Bytes? { nameConstraintsRange.map(bytes) }

  /// The embedded SignedCertificateTimestampList in its TLS encoding; nil where there is none.
  public var sctList: Bytes? { sctListRange.map(bytes) }

  /// A copy of a part of `der`.
  public func bytes(_ range: Range<Int>) -> Bytes {
    Bytes(der[range.clamped(to: der.indices)])
  }
}

extension Certificate {
  /// Something odd about a certificate that does not keep it from being read.
  public enum Quirk: String, Hashable, Sendable, CaseIterable {
    /// Bytes follow the certificate.
    case trailingBytes = "trailing-bytes"

    /// The certificate's own length goes beyond the bytes that are there.
    case lengthBeyondEnd = "length-beyond-end"

    /// A length or a BOOLEAN is encoded in a way that BER allows and DER does not.
    case notDER = "not-der"

    /// The version is none of 1 to 3.
    case unknownVersion = "unknown-version"

    /// There are extensions though the version is not 3.
    case extensionsInOldVersion = "extensions-in-old-version"

    /// The serial number is negative.
    case negativeSerial = "negative-serial"

    /// The serial number is zero.
    case zeroSerial = "zero-serial"

    /// The serial number has more bytes than its value takes.
    case paddedSerial = "padded-serial"

    /// The serial number has no bytes, or more than the 20 of RFC 5280 §4.1.2.2.
    case oddSerialLength = "odd-serial-length"

    /// A time is not in the form of RFC 5280 §4.1.2.5.
    case oddTime = "odd-time"

    /// A validity date has a fraction of a second, no zone, or another form that Apple's systems do not read.
    case unknownTime = "unknown-time"

    /// The algorithm inside what is signed is not the one outside.
    case signatureAlgorithmMismatch = "signature-algorithm-mismatch"

    /// An extension is there more than once.
    case duplicateExtension = "duplicate-extension"

    /// An iPAddress of subjectAltName has neither 4 nor 16 bytes.
    case oddAddressLength = "odd-address-length"

    /// A dNSName or commonName holds a NUL byte.
    case nulInName = "nul-in-name"

    /// A text was too long to be kept whole.
    case shortenedText = "shortened-text"

    /// A list had more entries than are kept.
    case shortenedList = "shortened-list"

    /// Something was too long or too many to be decoded here; `decodingError` says what.
    case beyondLimits = "beyond-limits"
  }

  /// Whether this is odd about the certificate.
  public func has(_ quirk: Quirk) -> Bool { quirks.contains(quirk.rawValue) }

  /// Notes something odd, once.
  mutating func note(_ quirk: Quirk) {
    if !has(quirk) { quirks.append(quirk.rawValue) }
  }
}
