import ATSEvaluation
import AppleTrust
import ByteParsing
import CertificateParsing
import SessionRecords
package import TrustEvaluation

/// The trusted roots that chains are judged by.
public struct TrustAnchors: Sendable {
  /// The system's roots.
  public enum System: Hashable, Sendable {
    /// Apple's store of the release that is judged, which the program contains.
    case apple
    /// The store of this machine.
    case machine
    /// A file of certificates.
    case file(String)
    /// None.
    case none
  }

  package let store: TrustStore

  let added: [RunRecord.Source]

  /// The files of intermediates that are known to all chains.
  let intermediates: [RunRecord.Source]

  private let systemFile: String?

  /// The longest file of certificates that is read; the stores of systems have less than a megabyte.
  static let maximumLength = 64 * 1024 * 1024

  /// Apple's stores alone.
  public static let apple = TrustAnchors(.apple)

  /// No anchors: nothing is decided about trust.
  public static let none = TrustAnchors(.none)

  /// Reads anchors, in PEM or DER: the system's, and files of those that a user or administrator added. Throws if a file cannot be used.
  ///
  /// The intermediates of files may complete every chain; those that other chains showed only if `takesShownIntermediates`.
  public init(
    system: System = .apple, added files: [String] = [], intermediates: [String] = [],
    takesShownIntermediates: Bool = true
  ) throws(AuditError) {
    var roots: [Bytes] = []
    var kind = TrustStore.SystemRoots.none
    var systemFile: String?
    switch system {
    case .apple: kind = .apple
    case .machine: (roots, kind) = MachineRoots.read()
    case .file(let file):
      (roots, kind) = (try TrustAnchors.certificates(in: file).certificates, .file)
      systemFile = file
    case .none: break
    }
    let (sources, added) = try TrustAnchors.read(files)
    let (known, intermediates) = try TrustAnchors.read(intermediates)
    self.systemFile = systemFile
    self.added = sources
    self.intermediates = known
    store = TrustStore(
      systemRoots: kind, system: roots, added: added, intermediates: intermediates,
      takesShownIntermediates: takesShownIntermediates)
  }

  /// The certificates of several files, and their description for records.
  private static func read(
    _ files: [String]
  ) throws(AuditError) -> (sources: [RunRecord.Source], certificates: [Bytes]) {
    var sources: [RunRecord.Source] = []
    var all: [Bytes] = []
    for file in files {
      let (certificates, digest) = try TrustAnchors.certificates(in: file)
      sources.append(RunRecord.Source(file: file, sha256: digest, count: certificates.count))
      all += certificates
    }
    return (sources, all)
  }

  private init(_ kind: TrustStore.SystemRoots) {
    systemFile = nil
    store = TrustStore(systemRoots: kind)
    (added, intermediates) = ([], [])
  }

  /// The system's roots under a release as a record describes them; their digest is made each time.
  func roots(under assumptions: JudgingAssumptions) -> RunRecord.Roots {
    let appleStore = assumptions.isReleaseAtSession ? nil : assumptions.release.rootStore
    let kind: RunRecord.Roots.Kind =
      switch store.systemRoots {
      case .apple: .apple
      case .machine: .machine
      case .file: .file
      case .none: .none
      }
    let digests = store.systemDigests(of: appleStore)
    return RunRecord.Roots(
      kind: kind, version: kind == .apple ? appleStore.map { "\($0.version)" } : nil, count: digests.count,
      sha256: TrustStore.sha256(of: digests))
  }

  /// The system's roots under a release, for people: `Apple, iOS 18.2 (store 2024051500)`.
  func name(under assumptions: JudgingAssumptions) -> String {
    let release = assumptions.release
    switch store.systemRoots {
    case .apple where assumptions.isReleaseAtSession: return "Apple, the store of each session's time"
    case .apple: return "Apple, \(release.displayName) (store \(release.rootStore.version))"
    case .machine: return "this machine's store"
    case .file: return systemFile ?? "none"
    case .none: return "none"
    }
  }

  /// The certificates of a file, and the digest of its bytes; on request also the blocks labeled as certificates that cannot be
  /// read.
  static func certificates(
    in file: String, keepingUnreadable keepsUnreadable: Bool = false
  ) throws(AuditError) -> (certificates: [Bytes], sha256: String) {
    let contents = try WholeFile(file, limit: maximumLength)
    let blocks: [PEMBlock]
    do throws(PEMError) {
      blocks = try PEMBlock.read(contents.bytes.span)
    } catch {
      throw AuditError(file: file, "no certificates: \(error)")
    }
    var certificates: [Bytes] = []
    for block in blocks where block.label != .certificateRevocationList && block.label != .ocspResponse {
      let isKept = keepsUnreadable && block.label != nil
      let certificate = Certificate(parsing: block.der.span)
      guard isKept || !certificate.subjectPublicKeyInfoRange.isEmpty else {
        let line = block.line > 0 ? "line \(block.line): " : ""
        let limit = Certificate.maximumByteCount
        throw AuditError(
          file: file,
          block.der.count > limit
            ? "\(line)a certificate of \(block.der.count) bytes; at most \(limit) are read"
            : "\(line)not a certificate")
      }
      certificates.append(block.der)
    }
    if certificates.isEmpty { throw AuditError(file: file, "holds no certificate") }
    return (certificates, contents.sha256)
  }
}
