package import ByteParsing
import Crypto
import InfoPlistReading
import SessionRecords

/// The review of settings as annotations of source lines, for Xcode, GitHub and GitLab.
///
/// Findings that a project file accepts are omitted. A finding without a line, as in a binary file, gets line 1 and names its key.
package struct LintAnnotations {
  private struct Annotation {
    var file: String
    var line: Int
    /// The rule; nil for a file that could not be read.
    var rule: LintRule?
    var message: String
    var path: String

    var severity: LintRule.Severity { rule?.severity ?? .error }
    var name: String { rule?.rawValue ?? "unread" }
  }

  private let annotations: [Annotation]

  package init(_ report: LintReport) {
    annotations = report.files.flatMap { file in
      let unread = file.error.map {
        Annotation(file: file.name, line: 1, message: "cannot be read: \($0)", path: "")
      }
      let findings = file.findings.filter { $0.accepted == nil }.map { finding in
        Annotation(
          file: file.name, line: finding.line ?? 1, rule: finding.rule, message: LintText.sentences(of: finding).joined(separator: ". "),
          path: finding.path.description)
      }
      return [unread].compactMap { $0 } + findings
    }
  }

  /// Returns lines that Xcode recognizes in the output of a build phase.
  package func xcode() -> Bytes { lines(LintAnnotations.xcode) }

  /// Returns workflow commands of GitHub Actions.
  package func gitHub() -> Bytes { lines(LintAnnotations.gitHub) }

  private func lines(_ line: (Annotation) -> String) -> Bytes {
    var bytes = Bytes()
    for annotation in annotations {
      bytes.appendRaw(line(annotation))
      bytes.append(0x0A)
    }
    return bytes
  }

  private static func xcode(_ annotation: Annotation) -> String {
    let word = annotation.severity.names.level
    return "\(DisplayText.escaped(annotation.file)):\(annotation.line): \(word): \(annotation.message) [\(annotation.name)]"
  }

  private static func gitHub(_ annotation: Annotation) -> String {
    let file = gitHubEscaped(DisplayText.escaped(annotation.file), inProperty: true)
    return "::\(annotation.severity.names.gitHub) file=\(file),line=\(annotation.line),title=\(annotation.name)::"
      + gitHubEscaped(annotation.message, inProperty: false)
  }

  /// Escapes text for the runner of GitHub: within properties, a colon and a comma would end the value.
  private static func gitHubEscaped(_ text: String, inProperty: Bool) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "%": escaped += "%25"
      case "\r": escaped += "%0D"
      case "\n": escaped += "%0A"
      case ":" where inProperty: escaped += "%3A"
      case "," where inProperty: escaped += "%2C"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// Returns a code quality report of GitLab, in the format of Code Climate.
  package func codeClimate() -> Bytes {
    var bytes = Bytes()
    var repetitions: [String: Int] = [:]
    bytes.appendArray { json in
      json.objects(annotations, onLines: true) { json, annotation in
        json.string("type", "issue")
        json.string("check_name", annotation.name)
        json.string("description", annotation.message)
        json.strings("categories", ["Security"])
        json.string("severity", annotation.rule?.severity.names.codeClimate ?? "blocker")
        // Lines move; the key and the rule do not. Fingerprints must be distinct, so repetitions are numbered.
        let identity = "\(annotation.file)\n\(annotation.path)\n\(annotation.name)"
        let repetition = repetitions[identity, default: 0]
        repetitions[identity] = repetition + 1
        json.string("fingerprint", hexadecimal(SHA256.hash(data: Bytes("\(identity)\n\(repetition)".utf8))))
        json.object("location") { json in
          // GitLab requires paths relative to the root of the repository, without `./`.
          let file = annotation.file.hasPrefix("./") ? String(annotation.file.dropFirst(2)) : annotation.file
          json.text("path", file)
          json.object("lines") { $0.number("begin", annotation.line) }
        }
      }
    }
    bytes.append(UInt8(ascii: "\n"))
    return bytes
  }
}
