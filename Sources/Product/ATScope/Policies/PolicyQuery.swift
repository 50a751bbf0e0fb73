public import ByteParsing
public import PolicyResolution
import Reporting

/// Determines what ATS requires of loads from hosts.
public struct PolicyQuery: Sendable {
  /// The hosts or addresses.
  public var hosts: [HostIdentity]

  /// The program's settings; nil for the defaults of ATS.
  public var program: AppPolicy?

  /// The release whose policy applies.
  public var release = SystemRelease.newest

  /// Who makes the loads; nil for the app.
  public var context: LoadContext?

  /// Whether the destination is local; nil to work it out.
  public var isDirect: Bool?

  /// Whether the program is Apple's own.
  public var isAppleBundle = false

  /// Creates a query under the defaults.
  public init(hosts: [HostIdentity]) { self.hosts = hosts }

  /// The policies, in the order of the hosts.
  public func run() -> [EffectivePolicy] {
    let resolver = PolicyResolver(dictionary: program?.dictionary)
    return hosts.map { host in
      resolver.policy(
        for: PolicyRequest(
          host: host, context: context ?? .app, contextSource: context == nil ? "default" : "option",
          release: release, isDirect: isDirect, isAppleBundle: isAppleBundle, sdk: program?.sdk))
    }
  }

  /// The policies for people.
  public func text(width: Int = 80, useColor: Bool = false) -> Bytes {
    PolicyText(TextOptions(width: width, useColor: useColor), settingsFile: program?.file).rendered(run())
  }

  /// The policies as objects of the schema `atscope.policy/1`, one per line.
  public func json() -> Bytes {
    var output = Bytes()
    for policy in run() { output.appendJSONLine(policy) }
    return output
  }
}
