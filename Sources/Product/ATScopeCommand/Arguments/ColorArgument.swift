import ArgumentParser

/// Whether text is coloured, as `--color` says.
enum ColorArgument: String, ExpressibleByArgument, CaseIterable {
  case auto
  case always
  case never

  /// Whether to colour what goes to standard output, or into a file.
  func isWanted(inFile: Bool) -> Bool {
    switch self {
    case .always: true
    case .never: false
    case .auto: !inFile && Terminal.wantsColor
    }
  }
}
