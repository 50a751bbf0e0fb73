import PolicyResolution

/// What there is to know of a rule, for people: what its own file says of it, and the errors that a device reports for it.
@dynamicMemberLookup
package struct RuleDescription: Sendable {
  /// The name, such as `ATS-PFS`.
  package let id: String
  package let title: String
  package let section: String
  package let isAdvisory: Bool
  package let weight: Int
  package let errors: [ReportedError]

  private let explanation: RuleExplanation

  /// The documents that state it, one a line.
  package var sources: [String] { explanation.sources.map(\.rawValue) }

  init(_ kind: any Rule.Type) {
    id = kind.id
    title = kind.title
    section = kind.section
    isAdvisory = kind.isAdvisory
    weight = kind.weight
    errors = ReportedError.all.filter { $0.rules.contains(kind.id) }
    explanation = kind.explanation
  }

  package subscript<Value>(dynamicMember member: KeyPath<RuleExplanation, Value>) -> Value {
    explanation[keyPath: member]
  }
}
