import TLSParsing

/// The notes of findings.
package enum Remarks {
  static let widerOffer = "The client offered more than a device does, and the server refused even that."
  static let noOlderVersion =
    "QUIC requires TLS 1.3; over TCP the server may accept an older version, so the refusal does not show whether it meets ATS."
  static let fallback =
    "The client marked the offer as a retry with a lower version (TLS_FALLBACK_SCSV), which devices do not do, so the refusal does not show whether the server meets ATS."
  static func narrowerOffer(_ what: String) -> String {
    "The client did not offer everything that a device offers; missing: \(what). A device may succeed, so the refusal does not show whether the server meets ATS."
  }
  static func foreignVersion(_ version: TLSVersion) -> String {
    "The session used \(version.text), not a published version of TLS; no Apple system with ATS negotiates it."
  }
  static let olderSystem = "This system cannot negotiate TLS 1.3; capture a TLS 1.2 handshake."

  /// The text with a capital letter and a full stop.
  package static func sentence(_ text: String) -> String {
    text.prefix(1).uppercased() + String(text.dropFirst()) + "."
  }
}

/// A remark on the choice that the client's offer left the server. The raw value is a sentence.
package enum OfferRemark: String, Hashable, Sendable {
  case clientCouldNotDoBetter = "The client offered nothing better, so this does not show what the server supports."
  case clientOfferedTLS12 = "The client offered at most TLS 1.2; the server may support TLS 1.3."
  case serverChose = "The server chose this although an acceptable suite was offered."
}
