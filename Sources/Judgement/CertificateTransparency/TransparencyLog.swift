package import ByteParsing
package import CertificateSignatures
package import Values

/// A log of certificates, as a list of logs describes it.
package struct TransparencyLog: Sendable {
  package enum State: Hashable, Sendable {
    /// The log is accepted, or about to be: `qualified` or `usable`.
    case accepted

    /// The log takes no more certificates since that time.
    case readOnly(since: Timestamp)

    /// The log is trusted no longer since that time, but for certificates of before.
    case retired(since: Timestamp)

    /// The log is not trusted since that time; what it was before is not told.
    case rejected(since: Timestamp)

    /// The log was never trusted: `pending`, or one for tests.
    case notTrusted
  }

  /// `LogID`: SHA-256 of the key, 32 bytes.
  package var identifier: Bytes

  /// The description; the identifier's first digits where the list has none.
  package var name: String

  /// Who runs the log.
  package var operatorName: String

  /// Who ran it before: until when, in the order of the list.
  package var previousOperators: [(name: String, until: Timestamp)] = []

  /// The key that the log signs with.
  package var key: VerificationKey

  package var state: State

  /// From when on certificates expire that the log takes; nil for no bound.
  package var shardStart: Timestamp?

  /// From when on certificates expire that the log takes no more; nil for no bound.
  package var shardEnd: Timestamp?

  /// Whether the log is one of the static-ct-api, not of RFC 6962.
  package var isStatic = false

  /// Creates a log without a shard.
  package init(
    identifier: Bytes, name: String, operatorName: String, key: VerificationKey, state: State
  ) {
    self.identifier = identifier
    self.name = name
    self.operatorName = operatorName
    self.key = key
    self.state = state
  }

  /// Whether a certificate that expires then belongs into the log.
  package func accepts(notAfter: Timestamp) -> Bool {
    shardStart.map { notAfter >= $0 } ?? true && shardEnd.map { notAfter < $0 } ?? true
  }

  package func operatorName(at time: Timestamp) -> String {
    let earlier = previousOperators.filter { time < $0.until }.min { $0.until < $1.until }
    return earlier?.name ?? operatorName
  }
}
