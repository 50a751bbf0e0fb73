import ATSEvaluation
public import ByteParsing
import Reporting
import SessionModel
public import SessionRecords
public import Values

/// Judges a chain from a file as if a session had shown it.
public enum ChainQuery {
  /// Certificates of a chain beyond this many are refused.
  public static let maximumCertificates = 256

  /// Reads the certificates of a file, PEM or DER, the leaf first, and judges the chain for a host or address as in the URL, at a time.
  public static func run(
    _ file: String, host: String, at: Timestamp, under options: AuditOptions = AuditOptions()
  ) throws(AuditError) -> ChainRecord {
    let contents = try TrustAnchors.certificates(in: file).certificates
    guard contents.count <= ChainQuery.maximumCertificates else {
      throw AuditError(
        file: file,
        "too many certificates (\(contents.count)); at most \(ChainQuery.maximumCertificates) are read")
    }
    let certificates = contents.map { ObservedCertificate(parsing: $0.span) }
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
  public static func text(_ record: ChainRecord, width: Int = 80, useColor: Bool = false) -> Bytes {
    ChainText(TextOptions(width: width, useColor: useColor)).rendered(record)
  }

  /// The record as an object of the schema `atscope.chain/1`.
  public static func json(_ record: ChainRecord) -> Bytes { Bytes.jsonDocument(record.writeMembers) }
}
