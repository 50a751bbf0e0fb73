/// The rules as `atscope explain` tells of them.
public enum RuleCatalogue {
  /// Every rule in the order of reports.
  public static let all: [RuleDescription] = RuleTable.all.compactMap { rule in
    let kind = type(of: rule)
    return (mandatory[kind.id] ?? advisories[kind.id]).map { RuleDescription(kind, $0) }
  }

  /// A rule by its name, in any case; nil where there is none of that name.
  public static func rule(named name: String) -> RuleDescription? {
    let upper = name.uppercased()
    return all.first { $0.id == upper }
  }

  /// From which releases on a rule holds; nil where there is none of that name. Without all else that is told of it.
  static func since(_ id: String) -> String? { (mandatory[id] ?? advisories[id])?.since }

  /// The edition of the policy text and of the table of weights that judgements follow.
  public static let policyVersion = "2"
}
