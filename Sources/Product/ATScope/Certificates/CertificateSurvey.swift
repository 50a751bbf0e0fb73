public import ByteParsing
import CommandReports
import Crypto
import Reporting
import SessionModel
import SessionReading

/// Collects the distinct certificate chains that servers send in captures.
public struct CertificateSurvey: Sendable {
  private let options: AuditOptions

  /// The maximum number of distinct chains; each takes the memory of its certificates.
  package static let maximumChains = 65_536

  /// Creates a survey of the sessions that the options choose.
  public init(_ options: AuditOptions) { self.options = options }

  /// Reads the inputs.
  public func run() -> Chains {
    var sink = Sink(options)
    let outcome = Audit.read(options, into: &sink)
    return Chains(
      outcome: outcome, sessionsBeyondLimit: sink.sessionsBeyondLimit, chains: sink.chains,
      report: CertificatesReport(sink.chains, names: sink.names, selectsSessions: options.selectsSessions))
  }

  /// The chains with the digests of their keys, and matching pins.
  public struct Chains: Report {
    /// A file of a chain, or the index of all chains.
    public struct File: Hashable, Sendable {
      /// The file name, which consists of a digest and `.pem`, or is `index.json`.
      public let name: String
      /// The chain as PEM, the leaf first, or the index.
      public let contents: Bytes
    }

    /// The outcome of reading the inputs.
    public let outcome: RunOutcome

    /// The number of sessions with further chains after the first 65,536; these chains are omitted.
    public let sessionsBeyondLimit: Int

    /// The chains in the order of the first sessions with them.
    fileprivate let chains: [SeenChain]

    /// The number of distinct chains.
    public var chainCount: Int { chains.count }

    /// The number of chains that are truncated in the captures, for which there are no files.
    package var truncatedChainCount: Int { chains.count { !$0.chain.isComplete } }

    fileprivate let report: CertificatesReport

    /// The report in a format; JSON is an object of the schema `atscope.certificates/1`.
    public func rendered(_ format: TextOrJSON, width: Int, useColor: Bool) -> Bytes {
      switch format {
      case .text: report.text(TextOptions(width: width, useColor: useColor))
      case .json: report.json()
      }
    }

    /// The matching pins as a property list; nil if a host name cannot be written in one.
    public func propertyList() -> Bytes? { report.propertyList() }

    /// Returns the complete chains as PEM files, and the index of all chains.
    public func files() -> [File] {
      chains.filter(\.chain.isComplete).map { File(name: $0.identifier + ".pem", contents: Chains.pem($0)) }
        + [File(name: "index.json", contents: report.json(namingFiles: true))]
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
  }

  private struct Sink: SessionSink, ~Copyable {
    private(set) var chains: [SeenChain] = []
    private(set) var names: Set<String> = []
    private(set) var sessionsBeyondLimit = 0
    private var indices: [CertificateChain: Int] = [:]
    private let choice: SessionChoice

    init(_ options: AuditOptions) { choice = SessionChoice(options) }

    mutating func take(_ session: ObservedSession) {
      guard let chain = session.sharedTLS?.chain, !chain.certificates.isEmpty, choice.takes(session) else { return }
      let index: Int
      if let known = indices[chain] {
        index = known
      } else {
        guard chains.count < CertificateSurvey.maximumChains else {
          sessionsBeyondLimit += 1
          return
        }
        index = chains.count
        indices[chain] = index
        chains.append(SeenChain(identifier: Self.identifier(of: chain), chain: chain, file: session.file, firstFrame: session.firstFrame))
      }
      let isNamed = session.serverName != nil && session.serverNameSource != .address
      let host = isNamed ? session.serverName : nil
      chains[index].note(host: host ?? session.hostAddress.description)
      if let host, Self.isEntryName(host), names.count < CertificateSurvey.maximumChains {
        names.insert(host)
      }
    }

    /// Returns the digest of a chain. A complete chain and one truncated after the same certificates are different chains.
    private static func identifier(of chain: CertificateChain) -> String {
      var hash = SHA256()
      for observed in chain.certificates { hash.update(data: observed.certificate.der) }
      if !chain.isComplete { hash.update(data: Bytes("truncated".utf8)) }
      return hexadecimal(hash.finalize())
    }

    /// Whether an entry of NSPinnedDomains could have this name: letters, digits, hyphens, underscores and dots.
    private static func isEntryName(_ host: String) -> Bool {
      host.utf8.count <= 253
        && host.utf8.allSatisfy { byte in
          isLowercaseAlphanumeric(byte) || [0x2D, 0x2E, 0x5F].contains(byte)
        }
    }
  }
}
