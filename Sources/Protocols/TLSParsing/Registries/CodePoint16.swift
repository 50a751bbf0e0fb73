import ByteParsing

/// A two-byte value on the wire that may have a name.
package protocol CodePoint16 {
  init(rawValue: UInt16)
  var rawValue: UInt16 { get }
  var name: String? { get }
}

extension CodePoint16 {
  /// The name, or else the code point, such as `0x0304`.
  package var text: String { name ?? hexadecimalCode(rawValue) }
}

extension TLSVersion: CodePoint16 {}
extension CipherSuite: CodePoint16 {}
extension NamedGroup: CodePoint16 {}
extension SignatureScheme: CodePoint16 {}
extension ExtensionType: CodePoint16 {}
