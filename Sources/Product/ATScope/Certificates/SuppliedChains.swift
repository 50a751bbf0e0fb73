import ATSEvaluation
import ByteParsing
import CertificateParsing
import InputSources
import PolicyResolution
import SessionObservation
import SessionRecords

/// Chains that the user says hosts have, for sessions that hide theirs.
public struct SuppliedChains: Sendable {
  /// Files of a folder that are read; `certificates -o` writes one a chain.
  public static let fileLimit = 10_000

  /// Chains by the host that they were given for, in lower case.
  private var byHost: [String: AssumedChain] = [:]

  /// Chains that stand for the hosts that their leaves name, in the order in which they were given.
  private var byNames: [AssumedChain] = []

  /// The files, for the record of the run.
  private(set) var records: [RunRecord.Source] = []

  /// Creates no chains.
  public init() {}

  /// Whether there are none.
  public var isEmpty: Bool { records.isEmpty }

  /// Adds what `[HOST=]FILE|DIR` names: certificates in PEM or DER, the leaf first. The first chain for a host stays.
  public mutating func add(_ argument: String) throws(AuditError) {
    let (host, file) = AppPolicies.parts(of: argument)
    guard let folder = NamedFolder(file) else {
      try add(file: file, host: host)
      return
    }
    let names: [String]
    do throws(InputError) {
      names = try folder.names(in: "")
    } catch {
      throw AuditError("\(DisplayText.escaped(file)): \(error.explanation)")
    }
    let chains = names.filter { $0.hasSuffix(".pem") }
    guard !chains.isEmpty else {
      throw AuditError("\(DisplayText.escaped(file)): no chains (.pem) in the folder")
    }
    for name in chains.prefix(SuppliedChains.fileLimit) { try add(file: file + "/" + name, host: host) }
  }

  private mutating func add(file: String, host: String?) throws(AuditError) {
    let (certificates, digest) = try TrustAnchors.certificates(in: file)
    guard certificates.count <= ChainQuery.countLimit else {
      throw AuditError("\(DisplayText.escaped(file)): \(certificates.count) certificates are no chain")
    }
    records.append(RunRecord.Source(file: file, sha256: digest, count: certificates.count, appliesTo: host))
    let chain = CertificateChain(certificates.map { ObservedCertificate(parsing: $0.span) }, isComplete: true)
    let assumed = AssumedChain(chain: chain, source: .supplied)
    if let host {
      if byHost[host.lowercased()] == nil { byHost[host.lowercased()] = assumed }
    } else {
      byNames.append(assumed)
    }
  }

  /// The session with the chain that was supplied for its host; nil where it shows its own, or none was supplied.
  func complete(_ session: borrowing ObservedSession) -> ObservedSession? {
    guard !isEmpty, session.tls != nil, session.tls?.chain == nil,
      session.assumedChain?.isJudged != true, let name = session.serverName,
      let chain = chain(for: name)
    else { return nil }
    var completed = copy session
    completed.assumedChain = chain
    return completed
  }

  private func chain(for name: String) -> AssumedChain? {
    if let chain = byHost[name.lowercased()] { return chain }
    let host = HostIdentity(name)
    return byNames.first { assumed in
      assumed.chain.certificates.first.map {
        HostMatching.matches(host, $0.certificate, readsCommonName: false)
      } ?? false
    }
  }
}
