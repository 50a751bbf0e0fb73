import InputSources
import CommandReports
import Reporting
import SessionModel
public import SessionReading
import SessionRecords

extension SuppliedChains {
  /// The maximum number of files in a folder. Every chain is compared with every session, so there are fewer than `certificates -o` can
  /// write.
  private static let maximumFiles = 10_000

  /// The reason that a folder with this number of files cannot be used, and what to do; nil if it can be used.
  package static func obstacle(toFolderOf files: Int) -> String? {
    guard files > maximumFiles else { return nil }
    return "--chain reads at most \(Wording.grouped(maximumFiles)) files of a folder; distribute them among several, and repeat --chain"
  }

  /// Adds the certificates of a PEM or DER file, the leaf first, with any text around PEM blocks; or those of all `.pem` files in a folder.
  /// If several different chains fit a session by host and time, a rule is decided only if its outcome is the same with each of them.
  ///
  /// Without a host, the chain is for the hosts in its leaf; but a file in a folder with a name `HOST_PORT.pem`, as the script of
  /// `certificates --missing` writes it, is for that host and port.
  public mutating func add(_ file: String, for host: String? = nil) throws(AuditError) {
    var chains = self
    var unusable: [AuditError] = []
    chains.add(file, for: host, leavingOut: &unusable)
    if let first = unusable.first { throw first }
    self = chains
  }

  /// Adds the files that can be used, and the errors of the others to `unusable`.
  package mutating func add(_ file: String, for host: String?, leavingOut unusable: inout [AuditError]) {
    begin(file)
    do throws(AuditError) {
      guard let folder = NamedFolder(file) else {
        return add(try read(file, host: host), host: host, file: file)
      }
      let argument = (host.map { $0 + "=" } ?? "") + file
      for name in try SuppliedChains.names(in: folder, file) {
        let path = file + "/" + name
        let host = host ?? CollectedChainName(fileName: name)?.endpoint
        do throws(AuditError) {
          // The files of `certificates -o` contain certificates as servers sent them, even undecodable ones.
          add(try read(path, host: host, keepingUnreadable: true, argument: argument), host: host, file: path)
        } catch {
          unusable.append(error)
        }
      }
    } catch {
      unusable.append(error)
    }
  }

  /// The names of the files in a folder that may contain chains; an error if there are none, except in a folder of `certificates -o`, which
  /// has an index.
  private static func names(in folder: NamedFolder, _ file: String) throws(AuditError) -> [String] {
    let names: [String]
    do throws(InputError) {
      names = try folder.names(in: "", limit: maximumFiles)
    } catch {
      if case .tooManyEntries(let limit) = error.reason, let obstacle = obstacle(toFolderOf: limit + 1) {
        throw AuditError(file: file, obstacle)
      }
      throw AuditError(error, file: file)
    }
    let chains = names.filter { $0.hasSuffix(".pem") }
    guard !chains.isEmpty || hasEmptyIndex(file) else { throw AuditError(file: file, "no chains (.pem) in the folder") }
    return chains
  }

  /// Whether `certificates -o` wrote the index of a folder, for no chains.
  private static func hasEmptyIndex(_ folder: String) -> Bool {
    // With chains it would be longer.
    let index = try? FileContents.read(folder + "/index.json", limit: 4096, isRegular: true)
    return index?.starts(with: "{\"schema\":\"atscope.certificates/".utf8) == true
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
