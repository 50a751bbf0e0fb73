/// A file with the process or host to which it applies: `[NAME=]FILE`.
package struct AssignedFile: Hashable, Sendable {
  /// The process or host; nil for all without another file.
  package let name: String?

  package var file: String

  /// Parses an argument. The text before the first `=` is a name unless it contains a slash.
  package init(_ argument: String) {
    guard let sign = argument.firstIndex(of: "="), sign > argument.startIndex, !argument[..<sign].contains("/") else {
      (name, file) = (nil, argument)
      return
    }
    name = String(argument[..<sign])
    file = String(argument[argument.index(after: sign)...])
  }
}
