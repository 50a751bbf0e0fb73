/// The values of NSExceptionMinimumTLSVersion (policy text B.11).
package enum TLSVersionText {
  /// Every value that the system understands, with its code point.
  package static let table: [(text: String, version: UInt16)] = [
    ("TLSv1.0", 0x0301), ("TLSv1.1", 0x0302), ("TLSv1.2", 0x0303), ("TLSv1.3", 0x0304),
    ("DTLSv1.0", 0xFEFF), ("DTLSv1.2", 0xFEFD),
  ]

  /// The code point of a value, which must match the table exactly; nil if the system does not understand it.
  package static func version(of text: String) -> UInt16? {
    table.first { $0.text.utf8.elementsEqual(text.utf8) }?.version
  }

  /// The value for a TLS code point in a dictionary that this program writes; nil unless it is TLS 1.0 to 1.3.
  package static func text(of version: UInt16) -> String? {
    table.first { $0.version == version && version >> 8 == 0x03 }?.text
  }
}
