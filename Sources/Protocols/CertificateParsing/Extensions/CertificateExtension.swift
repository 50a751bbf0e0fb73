/// One extension of a certificate, CRL or OCSP response (RFC 5280 §4.2).
public struct CertificateExtension: Hashable, Sendable {
  /// The dotted OID.
  public var objectIdentifier: String

  /// Whether who does not know the extension must refuse what carries it.
  public var isCritical: Bool

  /// The whole extension, as offsets into the input.
  public var encodedRange: Range<Int>

  /// The contents of `extnValue`, as offsets into the input.
  public var valueRange: Range<Int>
}

/// keyUsage (RFC 5280 §4.2.1.3): bit `n` of the BIT STRING is 2ⁿ here.
public struct KeyUsage: OptionSet, Hashable, Sendable {
  /// The bits.
  public var rawValue: UInt16

  /// Creates a set of bits.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Signatures other than on certificates and CRLs.
  public static let digitalSignature = KeyUsage(rawValue: 1 << 0)

  /// `nonRepudiation`, also called `contentCommitment`.
  public static let nonRepudiation = KeyUsage(rawValue: 1 << 1)

  /// Enciphering keys, as static RSA key exchange does.
  public static let keyEncipherment = KeyUsage(rawValue: 1 << 2)

  /// Enciphering data itself.
  public static let dataEncipherment = KeyUsage(rawValue: 1 << 3)

  /// Key agreement, as static ECDH does.
  public static let keyAgreement = KeyUsage(rawValue: 1 << 4)

  /// Signatures on certificates.
  public static let keyCertSign = KeyUsage(rawValue: 1 << 5)

  /// Signatures on CRLs.
  public static let cRLSign = KeyUsage(rawValue: 1 << 6)

  /// With `keyAgreement`: only for enciphering.
  public static let encipherOnly = KeyUsage(rawValue: 1 << 7)

  /// With `keyAgreement`: only for deciphering.
  public static let decipherOnly = KeyUsage(rawValue: 1 << 8)
}

/// How many entries of which kind a subjectAltName has.
public struct AlternativeNameCounts: Hashable, Sendable {
  /// All entries.
  public var total = 0

  /// dNSName entries.
  public var dns = 0

  /// iPAddress entries of 4 or 16 bytes.
  public var ip = 0

  /// iPAddress entries of any other size.
  public var oddIP = 0

  /// rfc822Name entries.
  public var email = 0

  /// uniformResourceIdentifier entries.
  public var uri = 0

  /// directoryName, otherName and all else.
  public var other = 0

  /// Creates counts of an empty list.
  public init() {}
}

/// policyConstraints and inhibitAnyPolicy (RFC 5280 §4.2.1.11 and §4.2.1.14): how many more certificates may follow
/// before the demand takes effect; nil where it is absent.
public struct PolicyLimits: Hashable, Sendable {
  /// `requireExplicitPolicy`.
  public var requireExplicitPolicy: Int?

  /// `inhibitPolicyMapping`.
  public var inhibitPolicyMapping: Int?

  /// `inhibitAnyPolicy`.
  public var inhibitAnyPolicy: Int?

  /// Creates limits that demand nothing.
  public init() {}
}
