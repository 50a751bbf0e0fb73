public import ByteParsing
import Crypto
import Reporting
import SessionModel

/// Gathers the distinct chains that servers show in captures.
public struct CertificateSurvey: Sendable {
  /// The maximum number of distinct chains; each takes the memory of its certificates.
  public static let maximumChains = 65_536

  /// The chains in the order of the sessions that first show them.
  private var chains: [SeenChain] = []

  /// How many distinct chains there are.
  public var chainCount: Int { chains.count }

  /// How many sessions showed chains beyond the limit.
  public private(set) var sessionsBeyondLimit = 0

  /// The hosts that were loaded by a name that a settings entry can have.
  private var names: Set<String> = []

  /// Reads the inputs.
  public static func run(_ options: AuditOptions) -> (survey: CertificateSurvey, outcome: RunOutcome) {
    var sink = Sink(options)
    let outcome = Audit.read(options, into: &sink)
    return (sink.survey, outcome)
  }

  private var report: CertificatesReport { CertificatesReport(chains, names: names) }

  /// What was gathered, for people.
  public func text(width: Int = 80, useColor: Bool = false) -> Bytes {
    report.text(TextOptions(width: width, useColor: useColor))
  }

  /// The survey as an object of the schema `atscope.certificates/1`.
  public func json() -> Bytes { report.json() }

  /// The matching pins as a property list; nil if a host name cannot be written in one.
  public func propertyList() -> Bytes? { report.propertyList() }

  /// The files that hold the chains, as PEM, and their index: names that are made of digests alone.
  public func files() -> [(name: String, contents: Bytes)] {
    chains.map { ($0.identifier + ".pem", CertificateSurvey.pem($0)) }
      + [("index.json", report.json(namingFiles: true))]
  }

  private static func pem(_ seen: SeenChain) -> Bytes {
    var output = Bytes()
    for observed in seen.chain.certificates {
      output += "-----BEGIN CERTIFICATE-----\n".utf8
      var encoded = Bytes()
      Base64.append(observed.certificate.der, to: &encoded)
      // RFC 7468 §2: lines of 64 characters.
      for start in stride(from: 0, to: encoded.count, by: 64) {
        output += encoded[start..<min(start + 64, encoded.count)]
        output.append(0x0A)
      }
      output += "-----END CERTIFICATE-----\n".utf8
    }
    return output
  }

  private struct Sink: SessionSink, ~Copyable {
    var survey = CertificateSurvey()
    private var indices: [CertificateChain: Int] = [:]
    private let choice: SessionChoice

    init(_ options: AuditOptions) { choice = SessionChoice(options) }

    mutating func take(_ session: ObservedSession) {
      guard let chain = session.tls?.chain, !chain.certificates.isEmpty, choice.takes(session) else {
        return
      }
      let index: Int
      if let known = indices[chain] {
        index = known
      } else {
        guard survey.chains.count < CertificateSurvey.maximumChains else {
          survey.sessionsBeyondLimit += 1
          return
        }
        index = survey.chains.count
        indices[chain] = index
        survey.chains.append(
          SeenChain(
            identifier: Self.identifier(of: chain), chain: chain, file: session.file,
            firstFrame: session.firstFrame))
      }
      let isNamed = session.serverName != nil && session.serverNameSource != .address
      let host = isNamed ? session.serverName?.lowercased() : nil
      survey.chains[index].note(host: host ?? session.hostAddress.description)
      if let host, Self.isEntryName(host), survey.names.count < CertificateSurvey.maximumChains {
        survey.names.insert(host)
      }
    }

    /// A complete chain and one truncated after the same certificates are different chains.
    private static func identifier(of chain: CertificateChain) -> String {
      var hash = SHA256()
      for observed in chain.certificates { hash.update(data: observed.certificate.der) }
      if !chain.isComplete { hash.update(data: Bytes("truncated".utf8)) }
      return hexadecimal(hash.finalize())
    }

    /// Whether a name is one that an entry could have: letters, digits, hyphens, underscores and dots.
    private static func isEntryName(_ host: String) -> Bool {
      host.utf8.count <= 253
        && host.utf8.allSatisfy { byte in
          (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || [0x2D, 0x2E, 0x5F].contains(byte)
        }
    }
  }
}
