extension BinaryInteger {
  /// The number with its noun, such as `1 packet` or `2 packets`; the plural adds an s by default.
  package func counted(_ singular: String, _ plural: String? = nil) -> String {
    "\(self) \(form(of: singular, plural))"
  }

  /// The form of a noun after this number; `plural` is the singular with an s unless given.
  package func form(of singular: String, _ plural: String? = nil) -> String {
    self == 1 ? singular : plural ?? singular + "s"
  }
}
