public import ByteParsing
import InfoPlistReading
import Reporting

/// The explanations of `atscope explain`.
public enum Explanation {
  /// The explanation of a rule, finding, key, error code or log line, or the list of all for nil; nil if the query is not known.
  public static func text(for query: String?, width: Int = 80, useColor: Bool = false) -> Bytes? {
    ExplainText(TextOptions(width: width, useColor: useColor)).rendered(query)
  }

  /// The names of all rules, findings of lint and keys.
  public static var names: [String] { Explained.names }

  /// The nearest name to a misspelled query; nil if there is none.
  public static func suggestion(for query: String) -> String? { Explained.suggestion(for: query) }

  /// The same as an `atscope.explain/1` object.
  public static func json(for query: String?) -> Bytes? { ExplainJSON.rendered(query) }

  /// The nearest word, which differs in at most two letters; nil if there is none.
  package static func nearest(to word: String, among words: [String]) -> String? {
    let near = words.compactMap { candidate in
      NearestKey.distance(word, candidate, limit: 2).map { (candidate, $0) }
    }
    return near.min { $0.1 < $1.1 }?.0
  }
}
