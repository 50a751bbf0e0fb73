public import ByteParsing
import Reporting

/// What is known of the rules, for `atscope explain`.
public enum Explanation {
  /// The explanation of a rule, or the list of rules for nil; nil where there is no such rule.
  public static func text(for rule: String?, width: Int) -> Bytes? {
    nil
  }
}
