import ATSEvaluation
import InputSources
import PolicyResolution
import Reporting
import SessionLinking
import SessionModel
import SessionRecords
import Values

/// Chains that hosts are assumed to have, for sessions that hide theirs.
public struct SuppliedChains: Sendable {
  /// Files of a folder that are read; `certificates -o` writes one a chain.
  private static let maximumFiles = 10_000

  /// Whether hosts have the chains that other sessions in the same inputs show.
  package private(set) var takesCaptured = false

  /// Chains by the host that they were given for, or the host and its port, in lower case, in the order in which they were given.
  private var byHost: [String: [Shared<AssumedChain>]] = [:]

  /// Chains for the hosts that their leaves list, in the order in which they were given.
  private var byNames: [Shared<AssumedChain>] = []

  private(set) var records: [RunRecord.Source] = []

  /// Creates no chains.
  public init() {}

  /// Whether there are none.
  public var isEmpty: Bool { records.isEmpty }

  /// Takes the chains that other sessions in the same inputs show.
  public mutating func addCaptured() {
    if !takesCaptured { records.append(.captured) }
    takesCaptured = true
  }

  /// Adds the certificates of a file in PEM or DER, the leaf first, with any text around PEM blocks, or those of all `.pem` files of a
  /// folder. Of several chains for a host the first one counts whose leaf is valid at the time of a session, of those in a folder the one
  /// issued last.
  ///
  /// Without a host, they are for the hosts that the leaf lists; a file of a folder that is named `HOST_PORT.pem`, as the script of
  /// `certificates --missing` names its files, is for that host and port.
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

  /// Adds the chain that a session shows in full, for others with its host and port; the first of each kind counts.
  mutating func addCaptured(_ session: borrowing ObservedSession) {
    guard let name = session.serverName, let assumed = EarlierSessions.captured(in: session) else { return }
    let key = SuppliedChains.endpoint(name, session.hostPort)
    let known = byHost[key, default: []]
    if known.contains(where: { $0.chain == assumed.chain }) || byHost.count >= SuppliedChains.maximumCaptured {
      return
    }
    byHost[key] = known + [assumed]
  }

  /// Hosts whose captured chains are kept.
  private static let maximumCaptured = 65_536

  /// When the leaf was issued; long ago where that cannot be read.
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

  /// The session with the chain that was supplied for its host; nil where it shows its own, or none was supplied.
  func complete(_ session: borrowing ObservedSession) -> ObservedSession? {
    guard !isEmpty, session.tls != nil, session.tls?.chain == nil,
      session.assumedChain?.isJudged != true, let name = session.serverName,
      let chain = chain(for: name, port: session.hostPort, at: session.start)
    else { return nil }
    var completed = copy session
    completed.assumedChain = chain
    return completed
  }

  /// A host and its port, as chains are kept by: `api.example.com:443`.
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

  /// Whether the leaf is within its dates; where there is no time, any is.
  private static func isValid(_ assumed: Shared<AssumedChain>, at time: Timestamp?) -> Bool {
    guard let time else { return true }
    guard let leaf = assumed.chain.certificates.first?.certificate, let from = leaf.notBefore,
      let to = leaf.notAfter
    else { return false }
    return from <= time && time <= to
  }
}
