import ATSEvidence
public import ByteParsing
import CommandReports
public import PolicyResolution
import Reporting

/// Determines the ATS requirements for loads from hosts.
public struct PolicyQuery: Job {
  private let hosts: [HostIdentity]
  private let program: AppPolicy?
  private let release: SystemRelease
  private let context: LoadContext
  private let contextSource: LoadContext.Source
  private let isDirect: Bool?
  private let isAppleBundle: Bool

  /// Creates a query about hosts or addresses, as in URLs.
  ///
  /// - Parameters:
  ///   - hosts: hosts or addresses, as in URLs
  ///   - program: the program's settings; nil for the ATS defaults
  ///   - release: the release whose policy applies
  ///   - context: what makes the loads; nil for what the process suggests, else the app
  ///   - process: the name of the process that makes the loads, as in a capture
  ///   - isDirect: whether the destination is local; nil to determine it from the host
  ///   - isAppleBundle: whether the program is an Apple bundle
  public init(
    hosts: [String], program: AppPolicy? = nil, release: SystemRelease = .newest, context: LoadContext? = nil, process: String? = nil,
    isDirect: Bool? = nil, isAppleBundle: Bool = false
  ) {
    self.hosts = hosts.map { HostIdentity($0) }
    self.program = program
    self.release = release
    let implied = process.flatMap { SystemProcess.context(of: $0, service: nil, in: release) }
    self.context = context ?? implied ?? .app
    contextSource = context != nil ? .option : implied != nil ? .process : .assumed
    self.isDirect = isDirect
    self.isAppleBundle = isAppleBundle
  }

  /// Determines the policies; no input is read.
  public func run() -> Result {
    let resolver = PolicyResolver(dictionary: program?.dictionary)
    return Result(
      policies: hosts.map { host in
        resolver.policy(
          for: PolicyRequest(
            host: host, context: context, contextSource: contextSource, release: release, isDirect: isDirect, isAppleBundle: isAppleBundle,
            sdk: program?.sdk))
      }, settingsFile: program?.file)
  }

  /// The ATS requirements for the hosts.
  public struct Result: Report {
    /// The policies, in the order of the hosts.
    public let policies: [EffectivePolicy]

    fileprivate let settingsFile: String?

    /// An outcome without faults: a query reads no inputs.
    public var outcome: RunOutcome { RunOutcome() }

    /// The report in a format; JSON is an object of the schema `atscope.policy/1` per line.
    public func rendered(_ format: TextOrJSON, width: Int, useColor: Bool) -> Bytes {
      switch format {
      case .text:
        return PolicyText(TextOptions(width: width, useColor: useColor), settingsFile: settingsFile)
          .rendered(policies)
      case .json:
        var output = Bytes()
        for policy in policies { output.appendJSONLine(policy) }
        return output
      }
    }
  }
}
