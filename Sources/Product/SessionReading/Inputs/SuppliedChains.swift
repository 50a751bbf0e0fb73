import ATSEvidence
import CertificateParsing
import PolicyResolution
import SessionLinking
package import SessionModel
package import SessionRecords
import Values

/// The chains that hosts are assumed to have, for sessions with hidden chains.
public struct SuppliedChains: Sendable {
  /// Whether hosts are assumed to have the chains that other sessions in the same inputs contain.
  package private(set) var takesCaptured = false

  /// The chains by lower-case host, or host and port, for which they were supplied, in the order given.
  private var byHost: [String: [Shared<AssumedChain>]] = [:]

  /// The chains for the hosts in their leaves, in the order given.
  private var byNames: [Shared<AssumedChain>] = []

  package var records: [RunRecord.Source] = []

  /// Creates an empty set of chains.
  public init() {}

  /// Whether there are no chains.
  public var isEmpty: Bool { records.isEmpty }

  /// Also assumes the chains that other sessions in the same inputs contain.
  public mutating func addCaptured() {
    if !takesCaptured { records.append(.captured) }
    takesCaptured = true
  }

  /// Adds the complete chain of a session, for other sessions with its host and port, unless an equal chain is known.
  package mutating func addCaptured(_ session: borrowing ObservedSession) {
    guard let name = session.serverName, let assumed = EarlierSessions.captured(in: session) else { return }
    let key = SuppliedChains.endpoint(name, session.hostPort)
    let known = byHost[key, default: []]
    if known.contains(where: { $0.chain == assumed.chain }) || byHost.count >= SuppliedChains.maximumCaptured {
      return
    }
    byHost[key] = known + [assumed]
  }

  /// The maximum number of hosts with captured chains.
  private static let maximumCaptured = 65_536

  /// Adds the complete chain of a host; nil for the hosts in its leaf.
  package mutating func add(_ chain: CertificateChain, host: String?) {
    let assumed = Shared(AssumedChain(chain: chain, source: .supplied))
    if let host {
      byHost[host.asciiLowercase, default: []].append(assumed)
    } else {
      byNames.append(assumed)
    }
  }

  /// Returns the session with the supplied chain for its host; nil if the session has its own, or none was supplied.
  package func complete(_ session: borrowing ObservedSession) -> ObservedSession? {
    guard !isEmpty, session.sharedTLS != nil, session.sharedTLS?.chain == nil,
      session.sharedAssumedChain?.isJudged != true, let name = session.serverName,
      let chain = chain(for: name, port: session.hostPort, at: session.start)
    else { return nil }
    var completed = copy session
    completed.sharedAssumedChain = chain
    return completed
  }

  /// Returns a host and its port as a key of the table, such as `api.example.com:443`.
  package static func endpoint(_ host: String, _ port: UInt16) -> String { "\(host):\(port)" }

  private func chain(for name: String, port: UInt16, at time: Timestamp?) -> Shared<AssumedChain>? {
    if let chains = byHost[name] ?? byHost[SuppliedChains.endpoint(name, port)] {
      return chains.first { SuppliedChains.isValid($0, at: time) } ?? chains.first
    }
    let host = HostIdentity(name)
    let fitting = byNames.lazy.filter { assumed in
      assumed.chain.certificates.first.map {
        HostMatching.matches(host, $0.certificate, readsCommonName: false)
      } ?? false
    }
    return fitting.first { SuppliedChains.isValid($0, at: time) } ?? fitting.first
  }

  /// Whether the leaf is within its dates; true if the time is not known.
  private static func isValid(_ assumed: Shared<AssumedChain>, at time: Timestamp?) -> Bool {
    guard let time else { return true }
    guard let leaf = assumed.chain.certificates.first?.certificate, let from = leaf.notBefore,
      let to = leaf.notAfter
    else { return false }
    return from <= time && time <= to
  }
}
