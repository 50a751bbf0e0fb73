import ATSEvaluation
import ATSEvidence
import AppleTrust
import ByteParsing
import CertificateParsing
public import SessionReading
import SessionRecords
package import TrustEvaluation

/// The trusted roots against which chains are judged.
public struct TrustAnchors: Sendable {
  /// The roots of the system.
  public enum System: Hashable, Sendable {
    /// Apple's store of the judged release, which the program contains.
    case apple
    /// This machine's root store.
    case machine
    /// A file of certificates.
    case file(String)
    /// No roots.
    case none
  }

  package let store: TrustStore

  let added: [RunRecord.Source]

  /// The files of intermediates that may complete any chain.
  let intermediates: [RunRecord.Source]

  private let systemFile: String?

  /// The files that could not be used.
  private let unusable: [String]

  /// The maximum size of a file of certificates in bytes; the stores of systems have less than a megabyte.
  static let maximumLength = 64 * 1024 * 1024

  /// Only Apple's stores.
  public static let apple = TrustAnchors(.apple)

  /// No anchors: trust is undecided.
  public static let none = TrustAnchors(.none)

  /// Reads anchors in PEM or DER: the system's, and files of anchors that a user or administrator added. Throws if a file cannot be used.
  ///
  /// Intermediates from files may complete any chain; those of other chains only with `takesShownIntermediates`. Without it, saved sessions
  /// are not linked to the handshakes that they resume in other captures either, so the order of inputs does not matter.
  public init(system: System = .apple, added files: [String] = [], intermediates: [String] = [], takesShownIntermediates: Bool = true)
    throws(AuditError)
  {
    var unusable: [AuditError] = []
    self.init(
      system: system, added: files, intermediates: intermediates, takesShownIntermediates: takesShownIntermediates, leavingOut: &unusable)
    if let first = unusable.first { throw first }
  }

  /// Reads the files that can be used, and adds the errors of the others to `unusable`. No chain without an anchor is then
  /// refused.
  package init(
    system: System = .apple, added files: [String] = [], intermediates: [String] = [],
    takesShownIntermediates: Bool = true, leavingOut unusable: inout [AuditError]
  ) {
    var faults: [AuditError] = []
    var roots: [Bytes] = []
    var kind = TrustStore.SystemRoots.none
    var systemFile: String?
    switch system {
    case .apple: kind = .apple
    case .machine: (roots, kind) = MachineRoots.read()
    case .file(let file):
      let (sources, certificates) = TrustAnchors.read([file], leavingOut: &faults)
      if !sources.isEmpty { (roots, kind, systemFile) = (certificates, .file, file) }
    case .none: break
    }
    let (sources, added) = TrustAnchors.read(files, leavingOut: &faults)
    let (known, completing) = TrustAnchors.read(intermediates, leavingOut: &faults)
    self.systemFile = systemFile
    self.added = sources
    self.intermediates = known
    self.unusable = faults.compactMap(\.file)
    store = TrustStore(
      systemRoots: kind, system: roots, added: added, intermediates: completing,
      takesShownIntermediates: takesShownIntermediates, isComplete: faults.isEmpty)
    unusable += faults
  }

  /// Reads the certificates of the files that can be used, with their descriptions for records.
  private static func read(
    _ files: [String], leavingOut unusable: inout [AuditError]
  ) -> (sources: [RunRecord.Source], certificates: [Bytes]) {
    var sources: [RunRecord.Source] = []
    var all: [Bytes] = []
    for file in files {
      do throws(AuditError) {
        let (certificates, digest) = try TrustAnchors.certificates(in: file)
        sources.append(RunRecord.Source(file: file, sha256: digest, count: certificates.count))
        all += certificates
      } catch {
        unusable.append(error)
      }
    }
    return (sources, all)
  }

  private init(_ kind: TrustStore.SystemRoots) {
    systemFile = nil
    store = TrustStore(systemRoots: kind)
    (added, intermediates, unusable) = ([], [], [])
  }

  /// Returns the record of the system's roots under a release; their digest is computed at each call.
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

  /// Returns the display name of the system's roots under a release, such as `Apple, iOS 18.2 (store 2024051500)`, and names the files that
  /// could not be used.
  func name(under assumptions: JudgingAssumptions) -> String {
    let name = systemName(under: assumptions)
    return unusable.isEmpty ? name : "\(name) (not used: \(unusable.joined(separator: " and ")))"
  }

  private func systemName(under assumptions: JudgingAssumptions) -> String {
    let release = assumptions.release
    switch store.systemRoots {
    case .apple where assumptions.isReleaseAtSession: return "Apple, the store of each session's time"
    case .apple: return "Apple, \(release.displayName) (store \(release.rootStore.version))"
    case .machine: return "this machine's store"
    case .file: return systemFile ?? "none"
    case .none: return "none"
    }
  }

  /// Returns the certificates of a file and the digest of the file; with `keepingUnreadable`, including the blocks that are labeled as
  /// certificates and cannot be decoded.
  static func certificates(
    in file: String, keepingUnreadable keepsUnreadable: Bool = false
  ) throws(AuditError) -> (certificates: [Bytes], sha256: String) {
    let contents = try WholeFile(file, limit: maximumLength)
    let blocks: [PEMBlock]
    do throws(PEMError) {
      blocks = try PEMBlock.read(contents.bytes.span)
    } catch {
      let reason = DisplayText.escaped(error.description)
      if case .leftOver = error.reason { throw AuditError(file: file, reason) }
      throw AuditError(file: file, "no certificates: \(reason)")
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
            ? "\(line)a certificate of \(block.der.count) bytes; at most \(limit) are read" : "\(line)not a certificate")
      }
      certificates.append(block.der)
    }
    if certificates.isEmpty { throw AuditError(file: file, "holds no certificate") }
    return (certificates, contents.sha256)
  }
}
