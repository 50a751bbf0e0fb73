/// Why a path is invalid, as found in one of its certificates.
package struct PathFault: Hashable, Sendable {
  /// The index of the certificate in the path; 0 is the leaf.
  package var index: Int

  /// The fault, as the rest of a sentence that begins with the certificate.
  package var text: String

  package init(at index: Int, _ text: String) {
    self.index = index
    self.text = text
  }
}
