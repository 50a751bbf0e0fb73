package import TLSParsing

/// The values of NSExceptionMinimumTLSVersion (policy text B.11).
package enum TLSVersionText {
  /// Every value that the system understands, with its version.
  package static let table: [(text: String, version: TLSVersion)] = [
    ("TLSv1.0", .tls10), ("TLSv1.1", .tls11), ("TLSv1.2", .tls12), ("TLSv1.3", .tls13),
    ("DTLSv1.0", .dtls10), ("DTLSv1.2", .dtls12),
  ]

  /// The version of a value, which must match the table exactly; nil if the system does not understand it.
  package static func version(of text: String) -> TLSVersion? {
    table.first { $0.text.utf8.elementsEqual(text.utf8) }?.version
  }

  /// The value for a TLS version in a dictionary that this program writes; nil unless it is TLS 1.0 to 1.3.
  package static func text(of version: TLSVersion) -> String? {
    table.first { $0.version == version && !version.isDTLS }?.text
  }
}
