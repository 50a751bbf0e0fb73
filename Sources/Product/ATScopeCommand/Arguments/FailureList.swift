import ArgumentParser
import ATSEvaluation

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

  /// The list, and `unknown` under `--strict`.
  func adding(strict: Bool) -> FailureList {
    strict ? FailureList(verdicts: verdicts.union([.unknown])) : self
  }

  /// Whether a verdict is one of them; that of a session which passes only by a key is both `pass` and `relaxed`.
  func holds(_ verdict: Verdict, isRelaxed: Bool) -> Bool {
    switch verdict {
    case .fail: verdicts.contains(.fail)
    case .unknown: verdicts.contains(.unknown)
    case .exempt: verdicts.contains(.exempt)
    case .pass: isRelaxed && verdicts.contains(.relaxed)
    }
  }

  var description: String {
    Name.allCases.filter { verdicts.contains($0) }.map(\.rawValue).joined(separator: ",")
  }

  static var allValueStrings: [String] { Name.allCases.map(\.rawValue) }

  var defaultValueDescription: String { description }
}
