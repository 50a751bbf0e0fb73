public import InfoPlistReading
public import PolicyResolution

/// The review of ATS settings in files, the source of all formats of the report.
public struct LintReport: Sendable {
  /// The review of one Info.plist: a file, or that of a program in a bundle.
  public struct File: Sendable {
    /// The name of the file as given, followed by its path within a bundle.
    public package(set) var name: String
    /// The SHA-256 digest of the file, 64 hexadecimal digits; nil if it could not be read.
    public package(set) var sha256: String?
    /// Whether the file contains NSAppTransportSecurity.
    public package(set) var hasSettings: Bool
    /// The findings in the order of the file.
    public package(set) var findings: [LintFinding]
    /// The reason that the file could not be read, escaped for display; nil if it was read.
    public package(set) var error: String?

    /// Returns the number of findings of a severity that are not accepted.
    func count(_ severity: LintRule.Severity) -> Int {
      findings.count { $0.rule.severity == severity && $0.accepted == nil }
    }

    var accepted: Int { findings.count { $0.accepted != nil } }

    package init(name: String, sha256: String, hasSettings: Bool, findings: [LintFinding]) {
      self.name = name
      self.sha256 = sha256
      self.hasSettings = hasSettings
      self.findings = findings
    }

    /// Creates the entry of a file that could not be read.
    package init(name: String, error: String) {
      self.name = name
      self.error = error
      hasSettings = false
      findings = []
    }
  }

  /// The release that reads the settings.
  public package(set) var release: SystemRelease

  /// The files in their order.
  public package(set) var files: [File]

  package init(release: SystemRelease, files: [File]) {
    self.release = release
    self.files = files
  }

  /// Returns the number of findings of a severity that are not accepted.
  public func count(_ severity: LintRule.Severity) -> Int { files.reduce(0) { $0 + $1.count(severity) } }

  /// The number of accepted findings.
  public var accepted: Int { files.reduce(0) { $0 + $1.accepted } }
}
