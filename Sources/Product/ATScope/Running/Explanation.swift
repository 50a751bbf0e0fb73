public import ByteParsing
import Reporting

/// What is known of rules and error codes, for `atscope explain`.
public enum Explanation {
  /// The explanation of a rule or of an error code, or the list of rules for nil; nil where there is nothing of that name.
  public static func text(for query: String?, width: Int, useColor: Bool) -> Bytes? {
    ExplainText(TextOptions(width: width, useColor: useColor)).rendered(query)
  }

  /// The same as an object of the form `atscope.explain/1`.
  public static func json(for query: String?) -> Bytes? { ExplainJSON.rendered(query) }
}
