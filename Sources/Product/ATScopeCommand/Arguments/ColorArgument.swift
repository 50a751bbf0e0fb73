import ArgumentParser

enum ColorArgument: String, ExpressibleByArgument, CaseIterable {
  case auto
  case always
  case never

  func isWanted(inFile: Bool) -> Bool {
    switch self {
    case .always: true
    case .never: false
    case .auto: !inFile && Terminal.wantsColor
    }
  }
}
