import InputSources
import CommandReports
import SessionModel
public import SessionReading
import SessionRecords

extension SuppliedChains {
  /// The maximum number of files read from a folder; `certificates -o` writes one for each chain.
  private static let maximumFiles = 10_000

  /// Adds the certificates of a PEM or DER file, the leaf first, with any text around PEM blocks; or those of all `.pem` files in a folder.
  /// If several different chains fit a session by host and time, a rule is decided only if its outcome is the same with each of them.
  ///
  /// Without a host, the chain is for the hosts in its leaf; but a file in a folder with a name `HOST_PORT.pem`, as the script of
  /// `certificates --missing` writes it, is for that host and port.
  public mutating func add(_ file: String, for host: String? = nil) throws(AuditError) {
    var chains = self
    try chains.addAll(file, host)
    self = chains
  }

  private mutating func addAll(_ file: String, _ host: String?) throws(AuditError) {
    begin(file)
    guard let folder = NamedFolder(file) else {
      add(try read(file, host: host), host: host, file: file)
      return
    }
    let names: [String]
    do throws(InputError) {
      names = try folder.names(in: "")
    } catch {
      throw AuditError(file: file, error.explanation)
    }
    let chains = names.filter { $0.hasSuffix(".pem") }
    guard !chains.isEmpty else { throw AuditError(file: file, "no chains (.pem) in the folder") }
    let argument = (host.map { $0 + "=" } ?? "") + file
    for name in chains.prefix(SuppliedChains.maximumFiles) {
      let path = file + "/" + name
      let host = host ?? CollectedChainName(fileName: name)?.endpoint
      // The files of `certificates -o` contain certificates as servers sent them, even undecodable ones.
      add(try read(path, host: host, keepingUnreadable: true, argument: argument), host: host, file: path)
    }
  }

  private mutating func read(
    _ file: String, host: String?, keepingUnreadable keepsUnreadable: Bool = false, argument: String? = nil
  ) throws(AuditError) -> CertificateChain {
    let (certificates, digest) = try TrustAnchors.certificates(in: file, keepingUnreadable: keepsUnreadable)
    guard certificates.count <= ChainQuery.maximumCertificates else {
      throw AuditError(file: file, "too many certificates for a chain (\(certificates.count))")
    }
    records.append(RunRecord.Source(file: file, sha256: digest, count: certificates.count, appliesTo: host, argument: argument))
    return CertificateChain(certificates.map { ObservedCertificate(parsing: $0.span) }, isComplete: true)
  }
}
