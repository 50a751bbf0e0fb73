package import ByteParsing
package import CertificateSignatures
package import Values

/// A Certificate Transparency log, as a log list describes it.
package struct TransparencyLog: Sendable {
  package enum State: Hashable, Sendable {
    /// The log is accepted, or will be soon: `qualified` or `usable`.
    case accepted

    /// The log has accepted no more certificates since this time.
    case readOnly(since: Timestamp)

    /// The log has not been trusted since this time, except for earlier certificates.
    case retired(since: Timestamp)

    /// The log has not been trusted since this time; the list does not say what it was before.
    case rejected(since: Timestamp)

    /// The log was not trusted yet when the list was made.
    case pending

    /// The log is never trusted: a test log, or one whose state the list does not give.
    case notTrusted
  }

  /// The `LogID`: SHA-256 of the key, 32 bytes.
  package var identifier: Bytes

  /// The description, or the first digits of the identifier if the list has none.
  package var name: String

  /// The name of the log's operator.
  package var operatorName: String

  /// The earlier operators, each with the end of its time, in the order of the list.
  package var previousOperators: [(name: String, until: Timestamp)] = []

  /// The key that verifies the log's signatures.
  package var key: VerificationKey

  package var state: State

  /// The earliest expiry of certificates that the log accepts; nil if there is no bound.
  package var shardStart: Timestamp?

  /// The expiry from which the log no longer accepts certificates; nil if there is no bound.
  package var shardEnd: Timestamp?

  /// Whether the log implements the static-ct-api rather than RFC 6962.
  package var isStatic = false

  /// Creates a log without a temporal shard.
  package init(identifier: Bytes, name: String, operatorName: String, key: VerificationKey, state: State) {
    self.identifier = identifier
    self.name = name
    self.operatorName = operatorName
    self.key = key
    self.state = state
  }

  /// Whether a certificate with this expiry belongs in the log.
  package func accepts(notAfter: Timestamp) -> Bool {
    shardStart.map { notAfter >= $0 } ?? true && shardEnd.map { notAfter < $0 } ?? true
  }

  package func operatorName(at time: Timestamp) -> String {
    let earlier = previousOperators.filter { time < $0.until }.min { $0.until < $1.until }
    return earlier?.name ?? operatorName
  }
}
