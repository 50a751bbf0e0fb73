public import InfoPlistReading
public import PolicyResolution

/// The review of ATS settings in files, from which every format of the report is made.
public struct LintReport: Sendable {
  /// One Info.plist: a file, or that of a program in a bundle.
  public struct File: Sendable {
    /// The file as it was named, followed by its path within a bundle.
    public var name: String
    /// SHA-256 of its bytes, 64 hexadecimal digits; nil where it could not be read.
    public var sha256: String?
    /// Whether it holds NSAppTransportSecurity at all.
    public var hasSettings: Bool
    /// What was found, in the order of the file.
    public var findings: [LintFinding]
    /// Why the file could not be read, safe to show; nil where it was.
    public var error: String?

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

  /// The release that is taken to read the settings.
  public var release: SystemRelease

  /// The files in their order.
  public var files: [File]

  package init(release: SystemRelease, files: [File]) {
    self.release = release
    self.files = files
  }

  /// How many findings of a severity there are that are not accepted.
  public func count(_ severity: LintRule.Severity) -> Int { files.reduce(0) { $0 + $1.count(severity) } }

  /// How many findings are accepted.
  public var accepted: Int { files.reduce(0) { $0 + $1.accepted } }
}
