import ATSEvaluation
public import ByteParsing
import CertificateParsing
import Reporting
import SessionModel
public import SessionRecords
public import Values

/// Judges a chain from a file as if a session had shown it.
public struct ChainQuery: Sendable {
  /// The options of judging; `at` is in `assumptions`.
  public var options: AuditOptions

  /// The host or address as in the URL.
  public var host: String

  /// The time at which the chain is judged.
  public var at: Timestamp

  private let file: String
  private let certificates: [ObservedCertificate]

  /// Reads the certificates of a file, PEM or DER, the leaf first.
  public init(reading file: String, host: String, at: Timestamp, options: AuditOptions) throws(AuditError) {
    self.file = file
    self.host = host
    self.at = at
    self.options = options
    let certificates = try TrustAnchors.certificates(in: file).certificates
    guard certificates.count <= ChainQuery.countLimit else {
      throw AuditError(
        file: file,
        "too many certificates (\(certificates.count)); "
          + "at most \(ChainQuery.countLimit) are read")
    }
    self.certificates = certificates.map { ObservedCertificate(parsing: $0.span) }
  }

  /// Certificates of a chain beyond this many are refused.
  public static let countLimit = 256

  /// Judges the chain.
  public func run() -> ChainRecord {
    let nowhere = Endpoint(address: IPAddress(v4: 0), port: 443)
    var session = ObservedSession(
      file: file, firstFrame: 0, lastFrame: 0, start: at, end: at, transport: .tcp, application: .tls,
      client: nowhere, server: nowhere)
    session.serverName = host
    session.serverNameSource = .sni
    session.evidence.certificates = .complete
    var facts = TLSFacts()
    facts.chain = CertificateChain(certificates, isComplete: true)
    session.tls = Shared(facts)
    var options = options
    options.assumptions.judgedAt = at
    var judge = Judge(options)
    let judgement = judge.judge(session)
    var record = ChainRecord(host: host, at: at, certificates: certificates, judgement.value)
    record.roots = options.anchors.roots(under: judge.assumptions)
    record.rootsName = options.anchors.name(under: judge.assumptions)
    return record
  }

  /// The record for people.
  public static func text(_ record: ChainRecord, width: Int, useColor: Bool) -> Bytes {
    ChainText(TextOptions(width: width, useColor: useColor)).rendered(record)
  }

  /// The record as an object of the form `atscope.chain/1`.
  public static func json(_ record: ChainRecord) -> Bytes { Bytes.jsonDocument(record.writeMembers) }
}
