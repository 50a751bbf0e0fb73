import ATSEvaluation
public import ByteParsing
import CommandReports
import PolicyResolution
import Reporting
import SessionModel
public import SessionReading
public import SessionRecords
public import Values

/// Judges a chain from a file as if a session had sent it.
public struct ChainQuery: Sendable {
  private let file: String
  private let host: String
  private let time: Timestamp
  private let options: JudgingOptions

  /// The maximum number of certificates in a chain; a longer chain is rejected.
  static let maximumCertificates = 256

  /// Creates a query about the certificates in a file, PEM or DER, the leaf first, at most 256. `host` is a host or address as in the URL,
  /// `time` the time at which the chain is judged.
  public init(_ file: String, host: String, at time: Timestamp, under options: JudgingOptions = JudgingOptions()) {
    self.file = file
    self.host = host
    self.time = time
    self.options = options
  }

  /// Reads the certificates and judges the chain. Throws if the file cannot be read, or contains no certificate or too many.
  public func run() throws(AuditError) -> JudgedChain {
    let contents = try TrustAnchors.certificates(in: file).certificates
    guard contents.count <= ChainQuery.maximumCertificates else {
      throw AuditError(file: file, "too many certificates (\(contents.count)); at most \(ChainQuery.maximumCertificates) are read")
    }
    let certificates = contents.map { ObservedCertificate(parsing: $0.span) }
    let nowhere = Endpoint(address: IPAddress(v4: 0), port: 443)
    var session = ObservedSession(
      file: file, firstFrame: 0, lastFrame: 0, start: time, end: time, transport: .tcp, application: .tls, client: nowhere, server: nowhere)
    session.serverName = host
    session.serverNameSource = .sni
    session.evidence.certificates = .complete
    var facts = TLSFacts()
    facts.chain = CertificateChain(certificates, isComplete: true)
    session.sharedTLS = Shared(facts)
    var options = options
    options.assumptions.judgedAt = time
    var judge = Judge(options)
    let judgement = judge.judge(session)
    var record = ChainRecord(host: host, at: time, certificates: certificates, judgement.value)
    var assumptions = judge.assumptions
    if assumptions.isReleaseAtSession {
      assumptions.isReleaseAtSession = false
      assumptions.release = SystemRelease.current { time >= $0 }
    }
    record.roots = options.anchors.roots(under: assumptions)
    record.rootsName = options.anchors.name(under: assumptions)
    return JudgedChain(record: record, settingsFile: options.programs.policy(forProcess: nil)?.file)
  }

  /// The chain and its judgement.
  public struct JudgedChain: Report {
    /// The chain and its judgement.
    public let record: ChainRecord

    fileprivate let settingsFile: String?

    /// The report in a format; JSON is an object of the schema `atscope.chain/1`.
    public func rendered(_ format: TextOrJSON, width: Int, useColor: Bool) -> Bytes {
      switch format {
      case .text: ChainText.rendered(record, settingsFile: settingsFile, TextOptions(width: width, useColor: useColor))
      case .json: Bytes.jsonDocument(record.writeMembers)
      }
    }
  }
}
