public import ByteParsing
import CommandReports
import InfoPlistReading
import Reporting
public import SessionReading
import SessionRecords

/// Explains a rule, a lint finding, an Info.plist key, an error code or a line of a log.
public struct Explanation: Sendable {
  private let query: String?

  /// Creates an explanation of a name, title, code or line, or of everything for nil.
  public init(of query: String?) { self.query = query }

  /// Finds the explanation. Throws if the query is not known; the error names similar names, if there are any.
  public func run() throws(AuditError) -> Meaning {
    guard let query else { return Meaning(explained: nil) }
    guard let explained = Explained(query) else {
      let near = Explained.suggestions(for: query)
      let suggestion =
        switch near.count {
        case 0: query.contains(" ") ? "; of a log line, its code or alert is explained: look for one in the lines before and after" : ""
        case 1: "; the nearest is '\(near[0])'"
        default: "; similar: \(near.joined(separator: ", "))"
        }
      throw AuditError("'\(DisplayText.escaped(query))' is not a known rule, finding, key, code, alert or term" + suggestion)
    }
    return Meaning(explained: explained)
  }

  /// The names of all rules, lint findings and keys.
  public static var names: [String] { Explained.names }

  /// The nearest word, which differs in at most `limit` letters; nil if there is none.
  package static func nearest(to word: String, among words: [String], limit: Int = 2) -> String? {
    let near = words.compactMap { candidate in
      NearestKey.distance(word, candidate, limit: limit).map { (candidate, $0) }
    }
    return near.min { $0.1 < $1.1 }?.0
  }

  /// What the query means; everything that can be explained if there is no query.
  public struct Meaning: Report {
    fileprivate let explained: Explained?

    /// The report in a format; JSON is an object of the schema `atscope.explain/1`.
    public func rendered(_ format: TextOrJSON, width: Int, useColor: Bool) -> Bytes {
      switch format {
      case .text: ExplainText.rendered(explained, TextOptions(width: width, useColor: useColor))
      case .json: ExplainJSON.rendered(explained)
      }
    }
  }
}
