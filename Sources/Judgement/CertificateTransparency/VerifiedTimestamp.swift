package import ByteParsing
package import Values

/// How an SCT came to the client (RFC 6962 §3.3).
package enum TimestampSource: String, Hashable, Sendable, CaseIterable {
  case certificate

  case tls

  /// In the stapled OCSP response.
  case ocsp
}

/// An SCT, and what came of looking into it. The time at which it is judged does not matter to any of this.
package struct VerifiedTimestamp: Hashable, Sendable {
  /// What an SCT is worth, as far as a time does not matter.
  package enum Result: Hashable, Sendable {
    /// The log is in the list and signed it.
    case valid

    /// The log is not in the list.
    case unknownLog

    /// It counts for nothing.
    case invalid(Fault)

    /// It cannot be verified: the issuer's certificate is not at hand, or the log's key or signature is of a kind
    /// that nothing here can do.
    case notVerifiable
  }

  /// Why an SCT counts for nothing.
  package enum Fault: String, Hashable, Sendable, CaseIterable {
    /// The signature does not verify.
    case signature

    /// The certificate expires outside the log's temporal shard.
    case shard

    /// The SCT is later than the time at which the log was frozen.
    case frozen

    /// The list knows the log and does not trust it.
    case notTrusted
  }

  package var source: TimestampSource
  package var logID: Bytes
  /// When the log saw the certificate.
  package var time: Timestamp
  package var result: Result

  package init(source: TimestampSource, logID: Bytes, time: Timestamp, result: Result) {
    self.source = source
    self.logID = logID
    self.time = time
    self.result = result
  }
}
