/// An error code that a device reports, and the rules whose failure can cause it (policy text D.20).
package struct ReportedError: Hashable, Sendable {
  /// The error domain, such as `NSURLErrorDomain`.
  package var domain: String

  /// The error code, such as -1200.
  package var code: Int

  /// The name of the code in Apple's headers.
  package var name: String

  package var meaning: String

  /// The ids of the rules whose failure can cause the error, in the order of reports; empty if no rule can.
  package var rules: [String]

  private init(_ domain: Domain, _ code: Int, _ name: String, _ meaning: String) {
    self.domain = domain.rawValue
    self.code = code
    self.name = name
    self.meaning = meaning
    rules = RuleTable.all.map { type(of: $0) }.filter {
      $0.explanation.errors[domain]?.contains(code) == true
    }
    .map { $0.id }
  }

  package enum Domain: String {
    case url = "NSURLErrorDomain"
    case network = "kCFErrorDomainCFNetwork"
    case stream = "kCFStreamErrorDomainSSL"
    case status = "NSOSStatusErrorDomain"
  }

  /// Every error code that has a description.
  package static let all: [ReportedError] = [
    ReportedError(
      .url, -1022, "NSURLErrorAppTransportSecurityRequiresSecureConnection",
      "ATS blocked cleartext HTTP; nothing was sent"),
    ReportedError(
      .network, -1022, "kCFURLErrorAppTransportSecurityRequiresSecureConnection",
      "the same, from the layer below"),
    ReportedError(
      .url, -1200, "NSURLErrorSecureConnectionFailed",
      "no secure connection: the TLS handshake failed, or ATS rejected the certificate"),
    ReportedError(
      .url, -1202, "NSURLErrorServerCertificateUntrusted",
      "the system does not trust the certificate, whether or not ATS is on (TN2232); under ATS some systems report it instead of -1200"),
    ReportedError(
      .url, -1201, "NSURLErrorServerCertificateHasBadDate",
      "the certificate has expired, on older systems"),
    ReportedError(
      .url, -1203, "NSURLErrorServerCertificateHasUnknownRoot",
      "the chain is not trusted, usually because of its root"),
    ReportedError(
      .url, -1204, "NSURLErrorServerCertificateNotYetValid",
      "the certificate is not yet valid, on older systems"),
    ReportedError(
      .url, -1205, "NSURLErrorClientCertificateRejected",
      "the server rejected the client's certificate; not ATS"),
    ReportedError(
      .url, -1206, "NSURLErrorClientCertificateRequired",
      "the server requires a client certificate; not ATS"),
    ReportedError(.url, -999, "NSURLErrorCancelled", "the app or the system canceled the load; not ATS"),
    ReportedError(.url, -1001, "NSURLErrorTimedOut", "no response in time; not ATS"),
    ReportedError(.url, -1003, "NSURLErrorCannotFindHost", "DNS found no such host; not ATS"),
    ReportedError(
      .url, -1004, "NSURLErrorCannotConnectToHost",
      "no connection to the host: it is not listening, or the network refuses it; not ATS"),
    ReportedError(
      .url, -1005, "NSURLErrorNetworkConnectionLost",
      "the connection was lost, possibly during the handshake"),
    ReportedError(.url, -1009, "NSURLErrorNotConnectedToInternet", "the device had no network; not ATS"),
    ReportedError(.stream, -9801, "errSSLNegotiation", "no cipher suite or version in common"),
    ReportedError(
      .stream, -9802, "errSSLFatalAlert",
      "the system aborted the handshake, usually because ATS does not trust the certificate"),
    ReportedError(.stream, -9806, "errSSLClosedAbort", "the connection was lost during the handshake"),
    ReportedError(.stream, -9807, "errSSLXCertChainInvalid", "the chain is not valid"),
    ReportedError(.stream, -9808, "errSSLBadCert", "the certificate has an invalid format or usage"),
    ReportedError(.stream, -9812, "errSSLUnknownRootCert", "the chain ends at an unknown root"),
    ReportedError(.stream, -9813, "errSSLNoRootCert", "no root certificate was found"),
    ReportedError(.stream, -9814, "errSSLCertExpired", "the certificate has expired"),
    ReportedError(.stream, -9815, "errSSLCertNotYetValid", "the certificate is not yet valid"),
    ReportedError(.stream, -9816, "errSSLClosedNoNotify", "the server closed the connection without notice"),
    ReportedError(.stream, -9824, "errSSLPeerHandshakeFail", "the server sent the TLS alert handshake_failure"),
    ReportedError(.stream, -9825, "errSSLPeerBadCert", "the server rejected the client's certificate as bad; not ATS"),
    ReportedError(.stream, -9826, "errSSLPeerUnsupportedCert", "the server does not support the client's kind of certificate; not ATS"),
    ReportedError(.stream, -9827, "errSSLPeerCertRevoked", "the server considers the client's certificate revoked; not ATS"),
    ReportedError(.stream, -9828, "errSSLPeerCertExpired", "the server considers the client's certificate expired; not ATS"),
    ReportedError(.stream, -9829, "errSSLPeerCertUnknown", "the server rejected the client's certificate for another reason; not ATS"),
    ReportedError(
      .stream, -9836, "errSSLPeerProtocolVersion",
      "the server sent the TLS alert protocol_version: it supports no TLS version that the client offered"),
    ReportedError(.stream, -9837, "errSSLPeerInsufficientSecurity", "the server sent the TLS alert insufficient_security"),
    ReportedError(.stream, -9843, "errSSLHostNameMismatch", "the certificate is for another host"),
    ReportedError(.stream, -9844, "errSSLConnectionRefused", "the server aborted the handshake"),
    ReportedError(.stream, -9863, "errSSLCertificateRequired", "the server requires a client certificate; not ATS"),
    ReportedError(.stream, -9880, "errSSLATSViolation", "ATS rejected the connection"),
    ReportedError(.stream, -9881, "errSSLATSMinimumVersionViolation", "ATS rejected the TLS version"),
    ReportedError(.stream, -9882, "errSSLATSCiphersuiteViolation", "ATS rejected the cipher suite"),
    ReportedError(.stream, -9883, "errSSLATSMinimumKeySizeViolation", "ATS rejected a key size"),
    ReportedError(
      .stream, -9884, "errSSLATSLeafCertificateHashAlgorithmViolation", "ATS rejected the hash of the server certificate's signature"),
    ReportedError(.stream, -9885, "errSSLATSCertificateHashAlgorithmViolation", "ATS rejected the hash of another certificate's signature"),
    ReportedError(.stream, -9886, "errSSLATSCertificateTrustViolation", "ATS rejected the trust, or a pin does not match"),
    ReportedError(.status, -9886, "errSSLATSCertificateTrustViolation", "a pin does not match"),
    ReportedError(.status, -67843, "errSecNotTrusted", "not trusted"),
    ReportedError(.status, -25318, "errSecCreateChainFailed", "no chain could be built"),
    ReportedError(.status, -67602, "errSecHostNameMismatch", "the host name does not match"),
    ReportedError(.status, -67818, "errSecCertificateExpired", "expired"),
    ReportedError(.status, -67819, "errSecCertificateNotValidYet", "not yet valid"),
    ReportedError(.status, -67820, "errSecCertificateRevoked", "revoked"),
    ReportedError(.status, -67609, "errSecInvalidExtendedKeyUsage", "the extended key usage does not allow servers"),
    ReportedError(.status, -67735, "errSecUnsupportedKeySize", "a key is too short"),
    ReportedError(.status, -67815, "errSecInvalidDigestAlgorithm", "a signature's hash is too weak"),
    ReportedError(.status, -67901, "errSecCertificateValidityPeriodTooLong", "the certificate is valid for too long"),
    ReportedError(.status, -67825, "errSecVerifyActionFailed", "not enough Certificate Transparency SCTs"),
    ReportedError(.status, -67604, "errSecNoBasicConstraints", "basicConstraints are missing or wrong"),
    ReportedError(.status, -67605, "errSecNoBasicConstraintsCA", "an issuer is not a CA"),
    ReportedError(.status, -67611, "errSecPathLengthConstraintExceeded", "more CAs below an issuer than it allows"),
    ReportedError(.status, -67603, "errSecUnknownCriticalExtensionFlag", "an unknown critical extension"),
  ]

  /// Phrases that systems log instead of a code or next to it.
  private static let phrases: [(words: String, code: Int)] =
    [
      ("has blocked a cleartext HTTP", -1022), ("requires the use of a secure connection", -1022),
      ("a secure connection to the server cannot be made", -1200),
      ("The certificate for this server is invalid", -1202), ("The request timed out", -1001),
      ("A server with the specified hostname could not be found", -1003),
      ("Could not connect to the server", -1004), ("The network connection was lost", -1005),
      ("ATS failed system trust", -9802), ("CERTIFICATE_VERIFY_FAILED", -1202),
    ]
    + [
      ("handshake failure", -9824), ("protocol version", -9836), ("insufficient security", -9837),
      ("bad certificate", -9825), ("unsupported certificate", -9826), ("certificate revoked", -9827),
      ("certificate expired", -9828), ("certificate unknown", -9829), ("certificate required", -9863),
    ].map { ("read alert, level: fatal, description: \($0)", $1) }

  /// Returns the errors that a line of a log contains, in their order: by negative code, by name or by phrase. If several domains share a
  /// code and the line names one of these domains, only its error is returned.
  package static func mentioned(in line: String) -> [ReportedError] {
    var codes: [Int] = []
    var digits = ""
    // A number ends before the first non-digit.
    for character in line + " " {
      if character == "-" || character == "\u{2212}" {
        digits = "-"
      } else if character.isASCII, character.isNumber, !digits.isEmpty, digits.count < 8 {
        digits.append(character)
      } else {
        if let code = Int(digits), !codes.contains(code) { codes.append(code) }
        digits = ""
      }
    }
    let words = line.split { !$0.isASCII || !$0.isLetter && !$0.isNumber }
    for error in all where words.contains(Substring(error.name)) && !codes.contains(error.code) {
      codes.append(error.code)
    }
    for phrase in phrases where line.contains(phrase.words) && !codes.contains(phrase.code) {
      codes.append(phrase.code)
    }
    return codes.flatMap { code in
      let found = named(code)
      let inDomain = found.filter { line.contains($0.domain) }
      return inDomain.isEmpty ? found : inDomain
    }
  }

  /// The meanings of a code, several if domains share it. The sign is ignored.
  package static func named(_ code: Int) -> [ReportedError] {
    all.filter { $0.code == code || code > 0 && $0.code == -code }
  }
}
