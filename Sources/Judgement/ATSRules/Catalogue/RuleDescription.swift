import PolicyResolution

/// The description of a rule for users: its own explanation, and the errors that devices report for it.
@dynamicMemberLookup
package struct RuleDescription: Sendable {
  let kind: any Rule.Type

  /// The rule's id, such as `ATS-PFS`.
  package var id: String { kind.id }
  package var title: String { kind.title }
  package var section: String { kind.section }
  package var isAdvisory: Bool { kind.isAdvisory }
  package var weight: Int { kind.weight }
  package var errors: [ReportedError] { ReportedError.all.filter { $0.rules.contains(kind.id) } }

  /// The documents that state the rule, one per line.
  package var sources: [String] { kind.explanation.sources.map(\.rawValue) }

  package subscript<Value>(dynamicMember member: KeyPath<RuleExplanation, Value>) -> Value {
    kind.explanation[keyPath: member]
  }
}
