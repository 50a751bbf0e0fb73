public import InfoPlistReading
public import PolicyResolution

/// The review of ATS settings in files, from which every format of the report is made.
public struct LintReport: Sendable {
  /// One Info.plist: a file, or that of a program in a bundle.
  public struct File: Sendable {
    /// The file as it was named, followed by its path within a bundle.
    public package(set) var name: String
    /// SHA-256 of its bytes, 64 hexadecimal digits; nil where it could not be read.
    public package(set) var sha256: String?
    /// Whether it contains NSAppTransportSecurity.
    public package(set) var hasSettings: Bool
    /// What was found, in the order of the file.
    public package(set) var findings: [LintFinding]
    /// Why the file could not be read, escaped for display; nil if it was read.
    public package(set) var error: String?

    /// How many findings of a severity there are that are not accepted.
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

  /// How many findings of a severity there are that are not accepted.
  public func count(_ severity: LintRule.Severity) -> Int { files.reduce(0) { $0 + $1.count(severity) } }

  /// How many findings are accepted.
  public var accepted: Int { files.reduce(0) { $0 + $1.accepted } }
}
