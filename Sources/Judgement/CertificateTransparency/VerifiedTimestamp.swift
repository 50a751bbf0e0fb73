package import ByteParsing
package import Values

/// The means by which an SCT was delivered to the client (RFC 6962 §3.3).
package enum TimestampSource: String, Hashable, Sendable, CaseIterable {
  case certificate

  case tls

  /// In the stapled OCSP response.
  case ocsp
}

/// An SCT and its validity, which does not depend on the time of the judgement.
package struct VerifiedTimestamp: Hashable, Sendable {
  /// The validity of an SCT, regardless of the time.
  package enum Validity: Hashable, Sendable {
    /// The log is in the list and signed the SCT.
    case valid

    /// The log is not in the list.
    case unknownLog

    /// The SCT does not count.
    case invalid(Fault)

    /// The SCT cannot be verified: the issuer's certificate is missing, or the type of the log's key or signature is unsupported.
    case notVerifiable
  }

  /// Why an SCT does not count.
  package enum Fault: String, Hashable, Sendable, CaseIterable {
    /// The signature is invalid.
    case signature

    /// The certificate expires outside the log's temporal shard.
    case shard

    /// The SCT is later than the time at which the log was frozen.
    case frozen

    /// The list contains the log but does not trust it.
    case notTrusted
  }

  package var source: TimestampSource
  package var logID: Bytes
  /// The time at which the log recorded the certificate.
  package var time: Timestamp
  package var validity: Validity

  package init(source: TimestampSource, logID: Bytes, time: Timestamp, validity: Validity) {
    self.source = source
    self.logID = logID
    self.time = time
    self.validity = validity
  }
}
