package import ByteParsing

/// The digests of NSPinnedDomains, which an Info.plist holds in Base64.
package enum PinDigest {
  /// The bytes of a digest; nil if the text is no Base64.
  ///
  /// As Foundation reads it: nothing but the alphabet and its padding, while the last character may have bits to spare.
  package static func bytes(of text: String) -> Bytes? {
    Base64.decode(Bytes(text.utf8).span, allowingStrayBits: true)
  }
}
