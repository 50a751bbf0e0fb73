import ATSEvaluation
import CommandReports
import InputSources
import PolicyResolution
import SessionLinking
import SessionModel
import SessionRecords
import Values

/// The chains that hosts are assumed to have, for sessions with hidden chains.
public struct SuppliedChains: Sendable {
  /// The maximum number of files read from a folder; `certificates -o` writes one for each chain.
  private static let maximumFiles = 10_000

  /// Whether hosts are assumed to have the chains that other sessions in the same inputs contain.
  package private(set) var takesCaptured = false

  /// The chains by lower-case host, or host and port, for which they were supplied, in the order given.
  private var byHost: [String: [Shared<AssumedChain>]] = [:]

  /// The chains for the hosts in their leaves, in the order given.
  private var byNames: [Shared<AssumedChain>] = []

  private(set) var records: [RunRecord.Source] = []

  /// Creates an empty set of chains.
  public init() {}

  /// Whether there are no chains.
  public var isEmpty: Bool { records.isEmpty }

  /// Also assumes the chains that other sessions in the same inputs contain.
  public mutating func addCaptured() {
    if !takesCaptured { records.append(.captured) }
    takesCaptured = true
  }

  /// Adds the certificates of a PEM or DER file, the leaf first, with any text around PEM blocks; or those of all `.pem` files in a folder.
  /// Of several chains for a host, the first whose leaf is valid at the time of a session is used; of those in a folder, the most recently
  /// issued comes first.
  ///
  /// Without a host, the chain is for the hosts in its leaf; but a file in a folder with a name `HOST_PORT.pem`, as the script of
  /// `certificates --missing` writes it, is for that host and port.
  public mutating func add(_ file: String, for host: String? = nil) throws(AuditError) {
    var chains = self
    try chains.addAll(file, host)
    self = chains
  }

  private mutating func addAll(_ file: String, _ host: String?) throws(AuditError) {
    guard let folder = NamedFolder(file) else {
      add(try read(file, host: host), host: host)
      return
    }
    let names: [String]
    do throws(InputError) {
      names = try folder.names(in: "")
    } catch {
      throw AuditError(file: file, error.explanation)
    }
    let chains = names.filter { $0.hasSuffix(".pem") }
    guard !chains.isEmpty else {
      throw AuditError(file: file, "no chains (.pem) in the folder")
    }
    // The files of `certificates -o` contain certificates as servers sent them, even undecodable ones.
    var found: [(chain: CertificateChain, host: String?)] = []
    for name in chains.prefix(SuppliedChains.maximumFiles) {
      let host = host ?? CollectedChainName(fileName: name)?.endpoint
      found.append((try read(file + "/" + name, host: host, keepingUnreadable: true), host))
    }
    let ranked = found.enumerated().sorted { a, b in
      let (first, second) = (SuppliedChains.issued(a.element.chain), SuppliedChains.issued(b.element.chain))
      return first == second ? a.offset < b.offset : first > second
    }
    for found in ranked { add(found.element.chain, host: found.element.host) }
  }

  /// Adds the complete chain of a session, for other sessions with its host and port, unless an equal chain is known.
  mutating func addCaptured(_ session: borrowing ObservedSession) {
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

  /// Returns the start of the leaf's validity; the earliest time if it cannot be read.
  private static func issued(_ chain: CertificateChain) -> Timestamp {
    chain.certificates.first?.certificate.notBefore ?? Timestamp(seconds: .min)
  }

  private mutating func read(
    _ file: String, host: String?, keepingUnreadable keepsUnreadable: Bool = false
  ) throws(AuditError) -> CertificateChain {
    let (certificates, digest) = try TrustAnchors.certificates(in: file, keepingUnreadable: keepsUnreadable)
    guard certificates.count <= ChainQuery.maximumCertificates else {
      throw AuditError(file: file, "too many certificates for a chain (\(certificates.count))")
    }
    records.append(RunRecord.Source(file: file, sha256: digest, count: certificates.count, appliesTo: host))
    return CertificateChain(certificates.map { ObservedCertificate(parsing: $0.span) }, isComplete: true)
  }

  private mutating func add(_ chain: CertificateChain, host: String?) {
    let assumed = Shared(AssumedChain(chain: chain, source: .supplied))
    if let host {
      byHost[host.lowercased(), default: []].append(assumed)
    } else {
      byNames.append(assumed)
    }
  }

  /// Returns the session with the supplied chain for its host; nil if the session has its own, or none was supplied.
  func complete(_ session: borrowing ObservedSession) -> ObservedSession? {
    guard !isEmpty, session.tls != nil, session.tls?.chain == nil,
      session.assumedChain?.isJudged != true, let name = session.serverName,
      let chain = chain(for: name, port: session.hostPort, at: session.start)
    else { return nil }
    var completed = copy session
    completed.assumedChain = chain
    return completed
  }

  /// Returns a host and its port as a key of the table, such as `api.example.com:443`.
  static func endpoint(_ host: String, _ port: UInt16) -> String { "\(host.lowercased()):\(port)" }

  private func chain(for name: String, port: UInt16, at time: Timestamp?) -> Shared<AssumedChain>? {
    if let chains = byHost[name.lowercased()] ?? byHost[SuppliedChains.endpoint(name, port)] {
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
