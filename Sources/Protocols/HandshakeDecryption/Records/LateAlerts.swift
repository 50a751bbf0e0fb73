package import ByteParsing
package import TLSParsing

/// Decrypts the alert with which a server refuses the client's certificate, or its absence, after a TLS 1.3 handshake (RFC 8446 §6.2).
///
/// Only records that contain an alert are decrypted; others are counted, since their number is part of the nonce.
package struct LateAlerts: Sendable {
  private var protection: RecordProtection
  private var recordCount = 0

  /// The maximum number of records of a server up to its alert: tickets may precede it.
  private static let maximumRecordCount = 8

  /// Whether an alert is still expected.
  package private(set) var isOpen = true

  /// Derives the keys from the server's first application traffic secret; nil if it does not have the length that the suite requires.
  package init?(secret: Bytes, suite: DecryptableSuite) {
    guard let protection = RecordProtection(secret: secret, suite: suite) else { return nil }
    self.protection = protection
  }

  /// The alert in a record, which is passed with its header; nil if it contains something else, or only closes the connection.
  package mutating func decrypt(_ record: Span<UInt8>) -> Alert? {
    guard isOpen else { return nil }
    recordCount += 1
    if recordCount == LateAlerts.maximumRecordCount { isOpen = false }
    guard protection.containsAlert(record) else {
      protection.skip()
      return nil
    }
    guard let inner = protection.decrypt(record) else {
      isOpen = false
      return nil
    }
    guard inner.type == .alert, let alert = try? Alert(parsing: inner.content.span) else { return nil }
    isOpen = false
    return alert.description == .closeNotify ? nil : alert
  }
}
