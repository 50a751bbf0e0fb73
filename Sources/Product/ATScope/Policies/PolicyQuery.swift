public import ByteParsing
import CommandReports
public import PolicyResolution
import Reporting

/// Determines the ATS requirements for loads from hosts.
public struct PolicyQuery: Sendable {
  private let hosts: [HostIdentity]
  private let process: String?
  private let isDirect: Bool?
  private let options: JudgingOptions

  /// Creates a query about hosts or addresses, as in URLs, under settings of programs and assumptions; the other options have no effect.
  ///
  /// `process` is the name of the process that makes the loads, as in a capture. `isDirect` states whether the destination is local; nil
  /// to determine it from the host.
  public init(hosts: [String], process: String? = nil, isDirect: Bool? = nil, under options: JudgingOptions = JudgingOptions()) {
    self.hosts = hosts.map { HostIdentity($0) }
    self.process = process
    self.isDirect = isDirect
    self.options = options
  }

  /// Determines the policies; no input is read.
  public func run() -> Policies {
    let program = options.programs.policy(forProcess: process)
    let assumptions = options.assumptions(under: program, process: process)
    let resolver = PolicyResolver(dictionary: program?.dictionary)
    return Policies(
      policies: hosts.map { host in
        resolver.policy(
          for: PolicyRequest(
            host: host, context: assumptions.context, contextSource: assumptions.contextSource, release: assumptions.release,
            isDirect: isDirect, isAppleBundle: assumptions.isAppleBundle, sdk: assumptions.sdk))
      }, settingsFile: program?.file)
  }

  /// The ATS requirements for the hosts.
  public struct Policies: Report {
    /// The policies, in the order of the hosts.
    public let policies: [EffectivePolicy]

    fileprivate let settingsFile: String?

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
