extension BinaryInteger {
  /// This number of things, such as `1 packet` or `2 packets`; `plural` is the singular with an s unless given.
  package func counted(_ singular: String, _ plural: String? = nil) -> String {
    "\(self) \(form(of: singular, plural))"
  }

  /// The form of a noun after this number; `plural` is the singular with an s unless given.
  package func form(of singular: String, _ plural: String? = nil) -> String {
    self == 1 ? singular : plural ?? singular + "s"
  }
}
