import ATSEvidence
import CertificateParsing
import PolicyResolution
import SessionLinking
package import SessionModel
package import SessionRecords
import TLSParsing
import Values

/// The chains that hosts are assumed to have, for sessions with hidden chains.
public struct SuppliedChains: Sendable {
  /// Whether hosts are assumed to have the chains that other sessions in the same inputs contain.
  package private(set) var takesCaptured = false

  /// The chains by lower-case host, or host and port, for which they were supplied or observed.
  private var byHost: [String: [Shared<AssumedChain>]] = [:]

  /// The chains for the hosts in their leaves.
  private var byNames: [Shared<AssumedChain>] = []

  /// The chains that fit even at times outside their dates: those of files that were named themselves, and those that a session showed
  /// at such a time.
  private var chainsAtAnyTime: Set<CertificateChain> = []

  /// The files and folders of chains, to warn of those that fit no session.
  private(set) var arguments: [ChainArgument] = []

  package var records: [RunRecord.Source] = []

  /// Creates an empty set of chains.
  public init() {}

  /// Whether there are no chains.
  package var isEmpty: Bool { records.isEmpty }

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
    let isKnown = known.contains { $0.chain == assumed.chain }
    guard isKnown || (known.isEmpty ? byHost.count < maximumHosts : known.count < SuppliedChains.maximumChainsOfHost) else {
      sessionsBeyondLimit += 1
      return
    }
    // A server may have sent the chain in its dates too, and then have kept it for too long.
    if !SuppliedChains.isValid(assumed, at: session.start) { chainsAtAnyTime.insert(assumed.chain) }
    if !isKnown { byHost[key] = known + [assumed] }
  }

  /// The maximum number of hosts with captured chains.
  package var maximumHosts = 65_536

  /// The maximum number of captured chains of one host.
  private static let maximumChainsOfHost = 1024

  /// The number of sessions with chains that were left out, because a maximum was reached.
  package private(set) var sessionsBeyondLimit: UInt64 = 0

  /// Adds the complete chain of a host from a file; nil for the hosts in its leaf.
  package mutating func add(_ chain: CertificateChain, host: String?, file: String) {
    let assumed = Shared(AssumedChain(chain: chain, source: .supplied, file: file))
    if file == arguments.last?.path { chainsAtAnyTime.insert(chain) }
    let host = host.map(SuppliedChains.key)
    if let host { byHost[host, default: []].append(assumed) } else { byNames.append(assumed) }
    if let last = arguments.indices.last { arguments[last].add(assumed, host: host) }
  }

  /// Begins a file or a folder, whose chains are added next.
  package mutating func begin(_ path: String) { arguments.append(ChainArgument(path: path)) }

  /// Whether a chain of the host can be the one that a session hides: not if Encrypted ClientHello may hide another host, or if the server
  /// has a raw public key.
  package static func mayApply(to session: borrowing ObservedSession) -> Bool {
    guard let tls = session.sharedTLS else { return false }
    return tls.chain == nil && !tls.mayHaveHiddenHost && !session.evidence.contains(.rawPublicKey)
  }

  /// Adds the chains that fit the host and the time of a session, unless it has its own or resumes a handshake with a chain. They replace
  /// the chains that were supplied or captured in an earlier run.
  package func complete(_ session: inout ObservedSession) {
    guard !isEmpty, SuppliedChains.mayApply(to: session), session.sharedAssumedChain?.source != .earlierSession,
      let name = session.serverName
    else { return }
    let supplied = candidates(for: name, port: session.hostPort, at: session.start)
    if supplied.isEmpty { return }
    // A saved session may have the chains of an earlier run, and notes about them.
    if session.sharedAssumedChain?.isJudged == true { session.sharedAssumedChain = nil }
    session.evidence.remove(.suppliedChainsContradicted)
    session.evidence.remove(.tooManyChainsSupplied)
    let suite = session.sharedTLS?.sharedServerHello?.cipherSuite
    let candidates = supplied.filter { SuppliedChains.authenticates($0, suite) }
    guard var first = candidates.first else {
      session.evidence.add(.suppliedChainsContradicted)
      return
    }
    if candidates.count > AssumedChain.maximumCandidates {
      session.evidence.add(.tooManyChainsSupplied)
      return
    }
    if candidates.count > 1 { first.alternatives = candidates.dropFirst().map(\.value) }
    session.sharedAssumedChain = first
  }

  /// Returns a host, or a host and port, as a key of the table: in lower case, an IPv6 address in the format of RFC 5952.
  private static func key(of host: String) -> String {
    let key = IPAddress.comparable(host: host)
    return key.hasPrefix("[") && key.hasSuffix("]") ? String(key.dropFirst().dropLast()) : key
  }

  /// Returns a host and its port as a key of the table, such as `api.example.com:443`.
  package static func endpoint(_ host: String, _ port: UInt16) -> String { Endpoint.text(host, port) }

  /// The different chains that the host may have sent: those whose leaves are valid at the time or that fit at any time, or if there are
  /// none, all but captured ones that expired since. Their order depends on nothing but the chains: the most recently issued leaf first.
  private func candidates(for name: String, port: UInt16, at time: Timestamp?) -> [Shared<AssumedChain>] {
    var fitting = (byHost[name] ?? []) + (byHost[SuppliedChains.endpoint(name, port)] ?? [])
    // A chain for the names in its leaf does not contradict one that is supplied for the very host.
    if !fitting.contains(where: { $0.source == .supplied }) {
      let host = HostIdentity(name)
      fitting += byNames.lazy.filter { SuppliedChains.names($0, host) }
    }
    fitting.removeAll { hasExpired($0, at: time) }
    guard fitting.count > 1 else { return fitting }
    let valid = fitting.filter { chainsAtAnyTime.contains($0.chain) || SuppliedChains.isValid($0, at: time) }
    var known: Set<CertificateChain> = []
    return (valid.isEmpty ? fitting : valid).filter { known.insert($0.chain).inserted }
      .map { (chain: $0, rank: Rank($0.chain)) }.sorted { $0.rank < $1.rank }.map(\.chain)
  }

  /// Whether a captured chain was valid when a session showed it and its leaf expired before `time`: the server has another one by then.
  private func hasExpired(_ assumed: Shared<AssumedChain>, at time: Timestamp?) -> Bool {
    guard assumed.source == .captured, !chainsAtAnyTime.contains(assumed.chain), let time,
      let end = assumed.chain.certificates.first?.certificate.notAfter
    else { return false }
    return end < time
  }

  /// The position of a chain among those of a host.
  private struct Rank: Comparable {
    private let issued: Timestamp
    private let digests: [String]

    init(_ chain: CertificateChain) {
      issued = chain.certificates.first?.certificate.notBefore ?? Timestamp(seconds: .min)
      digests = chain.certificates.map(\.sha256)
    }

    static func < (a: Rank, b: Rank) -> Bool {
      a.issued == b.issued ? a.digests.lexicographicallyPrecedes(b.digests) : a.issued > b.issued
    }
  }

  /// Whether a chain's leaf names a host, even if devices do not read the name: ATS-CERT-HOST says so.
  static func names(_ assumed: Shared<AssumedChain>, _ host: HostIdentity) -> Bool {
    assumed.chain.certificates.first.map {
      HostMatching.matches(host, $0.certificate.dnsNames, $0.certificate.ipAddresses)
    } ?? false
  }

  /// Whether the cipher suite can be used with the key of the leaf (RFC 5246 §7.4.2, RFC 8422 §2); true if the suite does not tell.
  private static func authenticates(_ assumed: Shared<AssumedChain>, _ suite: CipherSuite?) -> Bool {
    guard let structure = suite?.structure, [.rsa, .dhe, .ecdhe].contains(structure.keyExchange),
      let key = assumed.chain.certificates.first?.certificate.publicKey.algorithm, !key.isEmpty
    else { return true }
    return switch structure.authentication {
    case .rsa: ["rsa", "rsa-pss"].contains(key)
    case .ecdsa: ["ec", "ed25519", "ed448"].contains(key)
    case .dss: key == "dsa"
    case .anonymous, .psk, .password, .other: true
    }
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
