/// The id of a rule, such as `ATS-TLS-VERSION`.
public struct RuleID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The id as in records.
  public let rawValue: String

  /// Creates an id from its text in a record.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The id as in records.
  public var description: String { rawValue }

  /// The title of the rule, such as `TLS version`; nil if this version has no such rule.
  public var title: String? { RuleCatalogue.rule(withID: rawValue)?.title }

  /// Whether the rule gives advice and never decides a verdict.
  public var isAdvisory: Bool { RuleCatalogue.isAdvisory(rawValue) }
}

extension RuleID: CaseIterable {
  /// The rules of this version, in the order of reports.
  public static let allCases = RuleCatalogue.all.map { RuleID(rawValue: $0.id) }
}
