extension BinaryInteger {
  /// The number with its noun, such as `1 packet` or `2 packets`; the plural adds an s by default.
  package func counted(_ singular: String, _ plural: String? = nil) -> String {
    "\(self) \(self == 1 ? singular : plural ?? singular + "s")"
  }
}
