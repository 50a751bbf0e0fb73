import ATSEvidence
import AppleTrust
import CertificateTransparency
import Revocation
public import SessionReading
import SessionRecords
import Values

/// The evidence about certificates other than chains: a log list, CRLs and OCSP responses.
public struct StatusSources: Sendable {
  /// The log list that verifies SCTs.
  public enum LogList: Hashable, Sendable {
    /// Apple's own list, which the program contains.
    case apple
    /// A JSON file in the format of Apple or Google.
    case file(String)
    /// No list: SCTs are counted, not verified.
    case none
  }

  private enum Logs {
    case apple
    case list(TransparencyLogList)
    case none
  }

  private let logs: Logs
  let revocations: [RevocationSource]

  let logListRecord: RunRecord.Source?
  let revocationRecords: [RunRecord.Source]

  /// No sources: SCTs are counted, and only stapled responses provide revocation data.
  public static let none = StatusSources(.none, record: nil)

  /// Only Apple's own log list.
  public static let apple = StatusSources(.apple, record: StatusSources.appleRecord)

  private init(_ logs: Logs, record: RunRecord.Source?) {
    (self.logs, revocations, logListRecord, revocationRecords) = (logs, [], record, [])
  }

  /// Reads a log list in JSON, and files of CRLs and OCSP responses in PEM or DER. Throws if a file cannot be used.
  public init(logList: LogList = .apple, revocations files: [String] = []) throws(AuditError) {
    var unusable: [AuditError] = []
    self.init(logList: logList, revocations: files, leavingOut: &unusable)
    if let first = unusable.first { throw first }
  }

  /// Reads the files that can be used, and adds the errors of the others to `unusable`.
  package init(logList: LogList = .apple, revocations files: [String], leavingOut unusable: inout [AuditError]) {
    switch logList {
    case .apple: (logs, logListRecord) = (.apple, StatusSources.appleRecord)
    case .none: (logs, logListRecord) = (.none, nil)
    case .file(let file):
      do throws(AuditError) {
        let (list, record) = try StatusSources.list(in: file)
        (logs, logListRecord) = (.list(list), record)
      } catch {
        unusable.append(error)
        (logs, logListRecord) = (.none, nil)
      }
    }
    var sources: [RevocationSource] = []
    var records: [RunRecord.Source] = []
    for file in files {
      do throws(AuditError) {
        let (found, record) = try StatusSources.revocations(in: file)
        sources += found
        records.append(record)
      } catch {
        unusable.append(error)
      }
    }
    revocations = sources
    revocationRecords = records
  }

  private static func list(in file: String) throws(AuditError) -> (list: TransparencyLogList, record: RunRecord.Source) {
    let contents = try WholeFile(file, limit: TransparencyLogList.maximumByteCount)
    do throws(TransparencyLogListError) {
      let list = try TransparencyLogList(parsing: contents.bytes.span)
      return (list, RunRecord.Source(file: file, sha256: contents.sha256, count: list.logs.count, date: list.timestamp?.date))
    } catch {
      throw AuditError(file: file, DisplayText.escaped(error.description))
    }
  }

  private static func revocations(in file: String) throws(AuditError) -> ([RevocationSource], record: RunRecord.Source) {
    let contents = try WholeFile(file, limit: RevocationSource.maximumByteCount)
    do throws(RevocationFileError) {
      let found = try RevocationSource.read(contents.bytes.span)
      return (found, RunRecord.Source(file: file, sha256: contents.sha256, count: found.count))
    } catch {
      throw AuditError(file: file, DisplayText.escaped(error.description))
    }
  }

  private static let appleRecord = RunRecord.Source(
    file: "apple", sha256: AppleLogList.sha256, count: AppleLogList.count, date: Timestamp(day: Int(AppleLogList.date))?.date)

  var evidence: StatusEvidence {
    switch logs {
    case .apple: StatusEvidence.withAppleLogList(revocations: revocations)
    case .list(let list): StatusEvidence(logList: list, revocations: revocations)
    case .none: StatusEvidence(revocations: revocations)
    }
  }
}
