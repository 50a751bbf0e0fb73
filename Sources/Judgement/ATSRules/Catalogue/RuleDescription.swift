import PolicyResolution

/// The description of a rule for users: its own explanation, and the errors that devices report for it.
@dynamicMemberLookup
package struct RuleDescription: Sendable {
  /// The rule's id, such as `ATS-PFS`.
  package let id: String
  package let title: String
  package let section: String
  package let isAdvisory: Bool
  package let weight: Int
  package let errors: [ReportedError]

  private let explanation: RuleExplanation

  /// The documents that state the rule, one per line.
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
