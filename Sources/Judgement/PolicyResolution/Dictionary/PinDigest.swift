package import ByteParsing

/// Decodes the digests of NSPinnedDomains, which an Info.plist contains in Base64.
package enum PinDigest {
  /// The bytes of a digest; nil if the text is not Base64.
  ///
  /// Like Foundation, this accepts only the alphabet and its padding; the unused bits of the last character may be set.
  package static func bytes(of text: String) -> Bytes? {
    Base64.decode(Bytes(text.utf8).span, allowingStrayBits: true)
  }
}
