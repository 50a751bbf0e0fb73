import ArgumentParser

/// What `--fail-on` names.
struct FailureList: ExpressibleByArgument, CustomStringConvertible {
  enum Name: String, CaseIterable {
    case fail
    case unknown
    case exempt
    case relaxed
  }

  var verdicts: Set<Name>

  static let standard = FailureList(verdicts: [.fail])

  init(verdicts: Set<Name>) { self.verdicts = verdicts }

  init?(argument: String) {
    verdicts = []
    for word in argument.split(separator: ",", omittingEmptySubsequences: false) {
      guard let name = Name(rawValue: String(word)) else { return nil }
      verdicts.insert(name)
    }
  }

  var description: String {
    Name.allCases.filter { verdicts.contains($0) }.map(\.rawValue).joined(separator: ",")
  }

  static var allValueStrings: [String] { Name.allCases.map(\.rawValue) }

  var defaultValueDescription: String { description }
}
