extension String {
  /// The text with the letters A to Z in lower case, as URL loaders give host names to the policy.
  package var asciiLowercase: String {
    guard utf8.contains(where: { (0x41...0x5A).contains($0) }) else { return self }
    return String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
