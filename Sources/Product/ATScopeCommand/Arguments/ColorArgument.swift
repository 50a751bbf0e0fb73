import ArgumentParser

/// The value of `--color`.
enum ColorArgument: String, ExpressibleByArgument, CaseIterable {
  case auto
  case always
  case never

  /// Whether to color text on standard output, or in a file.
  func isWanted(inFile: Bool) -> Bool {
    switch self {
    case .always: true
    case .never: false
    case .auto: !inFile && Terminal.wantsColor
    }
  }
}
