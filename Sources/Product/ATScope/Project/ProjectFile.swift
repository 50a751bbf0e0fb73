import ATSRules
import InfoPlistReading
import JSONReading
public import PolicyResolution
public import SessionReading
import SessionRecords
package import Values

/// The options for all runs of a project: the file `.atscope.json`.
///
///     {"infoPlist": "App/Info.plist", "os": "ios18", "baseline": "baseline.json",
///      "accepted": [{"host": "*.example.com", "rule": "ATS-CT", "reason": "internal CA", "expires": "2027-01-31"}]}
public struct ProjectFile: Sendable {
  /// A finding that the project accepts until a date.
  package struct Accepted: Hashable, Sendable {
    /// The pattern of the hosts.
    package let host: HostPattern
    /// The identifier of the rule in upper case, or for `diff` the subject of a change: `VERDICT`, `OUTCOME`, `TRUST` or `ISSUERS`.
    package let rule: String
    /// The reason for accepting the finding.
    package let reason: String
    /// The start, in UTC, of the last day on which the finding is accepted.
    package let expires: Timestamp
  }

  /// The path as given.
  package let file: String
  /// The SHA-256 digest of the file, 64 hexadecimal digits.
  package let sha256: String
  package private(set) var infoPlists: [AssignedFile] = []
  /// The release by which sessions are judged; nil if the file names none.
  public private(set) var release: SystemRelease?
  /// Whether the file has `at-session` instead of a release: each session is judged by the release of its time.
  public private(set) var isReleaseAtSession = false
  /// The baseline of comparisons; nil if the file names none.
  public private(set) var baseline: String?
  /// The accepted findings.
  package private(set) var accepted: [Accepted] = []

  /// The unknown key or value, in a clause, if that is the error.
  private var problem: String?

  /// The name of the release at the time of each session.
  package static let atSession = "at-session"

  /// The maximum size of the file in bytes.
  private static let maximumLength = 1 << 20

  /// Reads a project file; paths in it are relative to its folder.
  public init(reading file: String) throws(AuditError) { try self.init(reading: file, isFound: false) }

  /// Reads a project file. With `isFound`, for a file that the user did not name, only a regular file is read.
  package init(reading file: String, isFound: Bool) throws(AuditError) {
    self.file = file
    let contents = try WholeFile(file, limit: ProjectFile.maximumLength, isRegular: isFound)
    let bytes = contents.bytes
    sha256 = contents.sha256
    var reader = JSONReader(bytes.span, line: 1)
    do throws(JSONError) {
      try read(&reader)
      guard reader.readEnd() else { throw reader.error(.unexpectedByte(try reader.peek()), in: "") }
    } catch {
      // The reader treats the whole file as one line.
      let before = bytes.prefix(error.offset)
      var located = error
      located.line = 1 + before.count(where: { $0 == 0x0A })
      located.offset = error.offset - (before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0)
      let reason = problem.map { "line \(located.line): \($0)" } ?? located.description
      throw AuditError(file: file, "not a usable project file: \(DisplayText.escaped(reason))")
    }
  }

  private mutating func read(_ reader: inout JSONReader) throws(JSONError) {
    try reader.readObject { (key, reader) throws(JSONError) in
      switch key {
      case "infoPlist": infoPlists = try texts(&reader).map(plist)
      case "os":
        let text = try reader.readString()
        isReleaseAtSession = text == ProjectFile.atSession
        do throws(UnknownReleaseError) {
          release = isReleaseAtSession ? nil : try SystemRelease(named: text)
        } catch {
          throw refusal("\(error)", reader)
        }
      case "baseline": baseline = path(try reader.readString())
      case "accepted":
        try reader.readArray { (reader) throws(JSONError) in accepted.append(try readAccepted(&reader)) }
      // A misspelled key would otherwise disable a gate silently.
      default: throw refusal(unknownKey: key, ["infoPlist", "os", "baseline", "accepted"], reader)
      }
    }
  }

  /// Returns an error that explains the problem in a clause.
  private mutating func refusal(_ problem: String, _ reader: borrowing JSONReader) -> JSONError {
    self.problem = problem
    return reader.error(.unknownValue)
  }

  /// Returns an error that names the `keys` that can be there.
  private mutating func refusal(unknownKey key: String, _ keys: [String], _ reader: borrowing JSONReader) -> JSONError {
    let known = keys.map { "\"\($0)\"" }.joined(separator: ", ")
    return refusal("there is no key \"\(key)\"; the keys are \(known)", reader)
  }

  /// The rules and other subjects of findings that can be accepted.
  private static let subjects =
    RuleCatalogue.all.map(\.id) + LintRule.allCases.map(\.rawValue) + ["VERDICT", "OUTCOME", "TRUST", "ISSUERS"]

  private mutating func readAccepted(_ reader: inout JSONReader) throws(JSONError) -> Accepted {
    var texts: [String: String] = [:]
    try reader.readObject { (key, reader) throws(JSONError) in
      let keys = ["host", "rule", "reason", "expires"]
      guard keys.contains(key) else { throw refusal(unknownKey: key, keys, reader) }
      texts[key] = try reader.readString()
    }
    guard let host = texts["host"] else { throw reader.error(.missingField, in: "host") }
    guard let rule = texts["rule"] else { throw reader.error(.missingField, in: "rule") }
    guard let reason = texts["reason"] else { throw reader.error(.missingField, in: "reason") }
    if reason.isEmpty { throw refusal("\"reason\" is empty; it must give the reason for accepting the finding", reader) }
    if !ProjectFile.subjects.contains(rule.uppercased()) {
      let nearest =
        ProjectFile.subjects.first { rule.contains("-") && $0.hasPrefix(rule.uppercased() + "-") }
        ?? Explanation.nearest(to: rule.uppercased(), among: ProjectFile.subjects)
      throw refusal(
        "there is no rule \"\(rule)\"; " + (nearest.map { "did you mean \($0)?" } ?? "'atscope explain' lists the rules"), reader)
    }
    guard let day = texts["expires"] else { throw reader.error(.missingField, in: "expires") }
    guard let expires = Timestamp(day: day) else { throw refusal("\"expires\" is \"\(day)\", not a day such as 2027-01-31", reader) }
    return Accepted(host: HostPattern(host), rule: rule.uppercased(), reason: reason, expires: expires)
  }

  private func texts(_ reader: inout JSONReader) throws(JSONError) -> [String] {
    if try reader.peek() == 0x22 { return [try reader.readString()] }
    var texts: [String] = []
    try reader.readArray { (reader) throws(JSONError) in texts.append(try reader.readString()) }
    return texts
  }

  private func plist(_ argument: String) -> AssignedFile {
    var assigned = AssignedFile(argument)
    assigned.file = path(assigned.file)
    return assigned
  }

  private func path(_ text: String) -> String {
    if text.hasPrefix("/") || text == "-" { return text }
    guard let slash = file.lastIndex(of: "/") else { return text }
    return file[...slash] + text
  }
}

extension ProjectFile {
  /// Returns the acceptances that are valid at a time and those that have expired, in the order of the file.
  package func accepted(at time: Timestamp) -> (valid: [Accepted], expired: [Accepted]) {
    func isExpired(_ accepted: Accepted) -> Bool { accepted.expires.seconds + 86_400 <= time.seconds }
    return (accepted.filter { !isExpired($0) }, accepted.filter(isExpired))
  }
}

extension ProjectFile.Accepted {
  /// Whether this applies to a rule's finding for a host; the pattern may include the port.
  package func covers(rule: String, host: String, port: UInt16) -> Bool {
    rule.uppercased() == self.rule && self.host.matches(host, port: port)
  }
}
