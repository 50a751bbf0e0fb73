package import ByteParsing

/// Decodes the digests of NSPinnedDomains, which an Info.plist contains in Base64.
package enum PinDigest {
  /// The bytes of a digest; nil if there are none, or if Xcode replaces a part of the text.
  ///
  /// Like SecBase64Decode of Apple's Security framework, this skips characters outside the alphabet, such as line breaks. The unused bits
  /// of the last character may be set.
  package static func bytes(of text: String) -> Bytes? {
    if HostKeyFault.hasBuildVariable(text) { return nil }
    let characters = Bytes(text.utf8.filter { Base64.value(of: $0) != nil || $0 == UInt8(ascii: "=") })
    let bytes = Base64.decode(characters.span, allowingStrayBits: true)
    return bytes?.isEmpty == false ? bytes : nil
  }
}
