public import ByteParsing
import CommandReports
public import PolicyResolution
import Reporting

/// Determines the ATS requirements for loads from hosts.
public struct PolicyQuery: Job {
  /// The hosts or addresses.
  public var hosts: [HostIdentity]

  /// The program's settings; nil for the ATS defaults.
  public var program: AppPolicy?

  /// The release whose policy applies.
  public var release = SystemRelease.newest

  /// The source of the loads; nil for the app.
  public var context: LoadContext?

  /// Whether the destination is local; nil to determine it from the host.
  public var isDirect: Bool?

  /// Whether the program is an Apple bundle.
  public var isAppleBundle = false

  /// Creates a query under the defaults.
  public init(hosts: [HostIdentity]) { self.hosts = hosts }

  /// Determines the policies; no input is read.
  public func run() -> Result {
    let resolver = PolicyResolver(dictionary: program?.dictionary)
    return Result(
      policies: hosts.map { host in
        resolver.policy(
          for: PolicyRequest(
            host: host, context: context ?? .app, contextSource: context == nil ? .assumed : .option,
            release: release, isDirect: isDirect, isAppleBundle: isAppleBundle, sdk: program?.sdk))
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
