public import ByteParsing
import InfoPlistReading
import Reporting

/// What is known of rules and error codes, for `atscope explain`.
public enum Explanation {
  /// The explanation of a rule or of an error code, or the list of rules for nil; nil where there is nothing of that name.
  public static func text(for query: String?, width: Int, useColor: Bool) -> Bytes? {
    ExplainText(TextOptions(width: width, useColor: useColor)).rendered(query)
  }

  /// The name that a misspelt one was meant to be; nil where none is near.
  public static func suggestion(for query: String) -> String? { ExplainText.suggestion(for: query) }

  /// The same as an object of the form `atscope.explain/1`.
  public static func json(for query: String?) -> Bytes? { ExplainJSON.rendered(query) }

  /// The word that differs from another in one letter or two; nil where there is none.
  package static func nearest(to word: String, among words: [String]) -> String? {
    let near = words.compactMap { candidate in
      NearestKey.distance(word, candidate, limit: 2).map { (candidate, $0) }
    }
    return near.min { $0.1 < $1.1 }?.0
  }
}
