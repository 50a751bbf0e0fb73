/// What the rules weigh, and the grades (contract section 4). `docs/scoring.md` shows the same table.
public enum ScoreTable {
  /// The weight of each rule. A change is a change of the policy version.
  public static let weights: [(rule: String, weight: Int)] = [
    ("ATS-HTTPS", 20),
    ("ATS-TLS-VERSION", 15),
    ("ATS-CIPHER", 12),
    ("ATS-PFS", 10),
    ("ATS-NIAP", 6),
    ("ATS-CERT-TRUST", 20),
    ("ATS-CERT-REVOKED", 10),
    ("ATS-CERT-DATES", 12),
    ("ATS-CERT-HOST", 12),
    ("ATS-CERT-SAN", 4),
    ("ATS-CERT-CHAIN", 6),
    ("ATS-CERT-KEY", 8),
    ("ATS-CERT-SIG", 8),
    ("ATS-CERT-EKU", 5),
    ("ATS-CERT-LIFETIME", 5),
    ("ATS-CT", 6),
    ("ATS-PIN", 6),
    ("ATS-HANDSHAKE-SIG", 10),
    ("ADV-TLS13", 3),
    ("ADV-PQ", 1),
    ("ADV-CBC", 2),
    ("ADV-CHAIN-INCOMPLETE", 3),
    ("ADV-CHAIN-ORDER", 1),
    ("ADV-CHAIN-EXTRA", 1),
    ("ADV-CHAIN-ROOT", 1),
    ("ADV-OCSP-STAPLE", 1),
    ("ADV-CT-MARGIN", 1),
    ("ADV-CT-OPERATORS", 1),
    ("ADV-EXPIRY", 2),
    ("ADV-SC081", 1),
    ("ADV-EMS", 2),
    ("ADV-RENEG", 2),
    ("ADV-COMPRESSION", 3),
    ("ADV-SKE-SHA1", 2),
    ("ADV-MTLS", 0),
    ("ADV-ECH", 0),
    ("ADV-HTTP-REDIRECT", 0),
    ("ADV-SNI-MISSING", 1),
    ("ADV-NEXT", 1),
  ]

  /// The least score of each grade, the best grade first.
  public static let grades: [(grade: String, leastScore: Int)] = [
    ("A+", 98), ("A", 90), ("B", 80), ("C", 65), ("D", 50), ("F", 0),
  ]

  /// The greatest score where a required rule fails: the weights of those that fail are taken from it.
  public static let greatestFailingScore = 49

  /// The weight of a rule; 0 for names that are none.
  public static func weight(of rule: String) -> Int { byRule[rule] ?? 0 }

  /// The weight of a rule that stands at a place of the rules' table, which is in this one's order.
  static func weight(of rule: String, at place: Int) -> Int {
    place < weights.count && weights[place].rule == rule ? weights[place].weight : weight(of: rule)
  }

  /// The grade of a score.
  public static func grade(of score: Int) -> String {
    grades.first { score >= $0.leastScore }?.grade ?? "F"
  }

  private static let byRule = Dictionary(weights.map { ($0.rule, $0.weight) }) { first, _ in first }
}
