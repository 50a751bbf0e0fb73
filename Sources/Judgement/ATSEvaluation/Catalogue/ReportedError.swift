/// An error code that a device reports, and the rules whose failure can cause it (policy text D.20).
package struct ReportedError: Hashable, Sendable {
  /// The error domain, such as `NSURLErrorDomain`.
  package var domain: String

  /// The error code, such as -1200.
  package var code: Int

  package var meaning: String

  /// The ids of the rules whose failure can cause the error, in the order of reports; empty if no rule can.
  package var rules: [String]

  private init(_ domain: Domain, _ code: Int, _ meaning: String) {
    self.domain = domain.rawValue
    self.code = code
    self.meaning = meaning
    rules = RuleTable.all.map { type(of: $0) }.filter {
      $0.explanation.errors[domain]?.contains(code) == true
    }
    .map { $0.id }
  }

  enum Domain: String {
    case url = "NSURLErrorDomain"
    case network = "kCFErrorDomainCFNetwork"
    case stream = "kCFStreamErrorDomainSSL"
    case status = "NSOSStatusErrorDomain"
  }

  /// Every error code that has a description.
  package static let all: [ReportedError] = [
    ReportedError(.url, -1022, "ATS blocked cleartext HTTP; nothing was sent"),
    ReportedError(.network, -1022, "the same, from the layer below"),
    ReportedError(.url, -1200, "no secure connection: TLS failed or, under ATS, trust was rejected"),
    ReportedError(
      .url, -1202, "the certificate was rejected by default trust evaluation, not by ATS (the TN2232 family)"),
    ReportedError(.url, -1201, "the certificate has expired, on older systems"),
    ReportedError(.url, -1203, "the chain is not trusted, usually because of its root"),
    ReportedError(.url, -1204, "the certificate is not yet valid, on older systems"),
    ReportedError(.url, -1205, "the server rejected the client's certificate; not ATS"),
    ReportedError(.url, -1206, "the server requires a client certificate; not ATS"),
    ReportedError(.url, -999, "the app or the system canceled the load; not ATS"),
    ReportedError(.url, -1001, "no response in time; not ATS"),
    ReportedError(.url, -1003, "DNS found no such host; not ATS"),
    ReportedError(
      .url, -1004, "no connection to the host: it is not listening, or the network refuses it; not ATS"),
    ReportedError(.url, -1005, "the connection was lost, possibly during the handshake"),
    ReportedError(.stream, -9801, "no cipher suite or version in common"),
    ReportedError(.stream, -9802, "the TLS library aborted, usually because of trust under ATS"),
    ReportedError(.stream, -9806, "the connection was lost during the handshake"),
    ReportedError(.stream, -9807, "the chain is not valid"),
    ReportedError(.stream, -9808, "the certificate has an invalid format or usage"),
    ReportedError(.stream, -9812, "the chain ends at an unknown root"),
    ReportedError(.stream, -9813, "no root certificate was found"),
    ReportedError(.stream, -9814, "the certificate has expired"),
    ReportedError(.stream, -9815, "the certificate is not yet valid"),
    ReportedError(.stream, -9816, "the server closed the connection without notice"),
    ReportedError(.stream, -9824, "the server sent handshake_failure"),
    ReportedError(.stream, -9825, "the server rejected the client's certificate as bad; not ATS"),
    ReportedError(.stream, -9826, "the server does not support the client's kind of certificate; not ATS"),
    ReportedError(.stream, -9827, "the server considers the client's certificate revoked; not ATS"),
    ReportedError(.stream, -9828, "the server considers the client's certificate expired; not ATS"),
    ReportedError(.stream, -9829, "the server rejected the client's certificate for another reason; not ATS"),
    ReportedError(.stream, -9836, "the server sent protocol_version"),
    ReportedError(.stream, -9837, "the server sent insufficient_security"),
    ReportedError(.stream, -9843, "the certificate is for another host"),
    ReportedError(.stream, -9844, "the server aborted the handshake"),
    ReportedError(.stream, -9863, "the server requires a client certificate; not ATS"),
    ReportedError(.stream, -9880, "ATS rejected the connection"),
    ReportedError(.stream, -9881, "ATS rejected the TLS version"),
    ReportedError(.stream, -9882, "ATS rejected the cipher suite"),
    ReportedError(.stream, -9883, "ATS rejected a key size"),
    ReportedError(.stream, -9884, "ATS rejected the hash of the leaf's signature"),
    ReportedError(.stream, -9885, "ATS rejected the hash of another certificate's signature"),
    ReportedError(.stream, -9886, "ATS rejected the trust, or a pin does not match"),
    ReportedError(.status, -9886, "a pin does not match"),
    ReportedError(.status, -67843, "not trusted"),
    ReportedError(.status, -25318, "no chain could be built"),
    ReportedError(.status, -67602, "the host name does not match"),
    ReportedError(.status, -67818, "expired"),
    ReportedError(.status, -67819, "not yet valid"),
    ReportedError(.status, -67820, "revoked"),
    ReportedError(.status, -67609, "the extended key usage does not allow servers"),
    ReportedError(.status, -67735, "a key is too short"),
    ReportedError(.status, -67815, "a signature's hash is too weak"),
    ReportedError(.status, -67901, "the certificate is valid for too long"),
    ReportedError(.status, -67825, "not enough Certificate Transparency SCTs"),
    ReportedError(.status, -67604, "basicConstraints are missing or wrong"),
    ReportedError(.status, -67605, "an issuer is not a CA"),
    ReportedError(.status, -67611, "more CAs below an issuer than it allows"),
    ReportedError(.status, -67603, "an unknown critical extension"),
  ]

  /// Words that systems log instead of a code, or next to it.
  private static let phrases: [(words: String, code: Int)] = [
    ("has blocked a cleartext HTTP", -1022), ("requires the use of a secure connection", -1022),
    ("a secure connection to the server cannot be made", -1200),
    ("The certificate for this server is invalid", -1202), ("The request timed out", -1001),
    ("A server with the specified hostname could not be found", -1003),
    ("Could not connect to the server", -1004), ("The network connection was lost", -1005),
  ]

  /// The errors that a line of a log mentions, in order of appearance: by negative code or by words. If several domains share a code, only
  /// domains that the line names are returned, unless it names none.
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
