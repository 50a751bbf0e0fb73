import ATSEvaluation
import ByteParsing
import CertificateTransparency
import Crypto
import InputSources
import Revocation
import SessionRecords

/// What speaks for or against certificates besides chains, and where it is from: a list of logs, CRLs, OCSP responses.
public struct StatusSources: Sendable {
  let logList: TransparencyLogList?
  let revocations: [RevocationSource]

  let logListRecord: RunRecord.Source?
  let revocationRecords: [RunRecord.Source]

  /// Nothing: SCTs are counted, and only what servers staple tells of revocations.
  public static let none = StatusSources()

  private init() {
    (logList, revocations, logListRecord, revocationRecords) = (nil, [], nil, [])
  }

  /// Reads a list of logs in JSON, and files of CRLs and OCSP responses in PEM or DER.
  public init(logList file: String?, revocations files: [String]) throws(AuditError) {
    var unusable: [AuditError] = []
    self.init(logList: file, revocations: files, leavingOut: &unusable)
    if let first = unusable.first { throw first }
  }

  /// Reads the same files as far as they can be used, and tells of the others.
  public init(logList file: String?, revocations files: [String], leavingOut unusable: inout [AuditError]) {
    var list: (list: TransparencyLogList, record: RunRecord.Source)?
    if let file {
      do throws(AuditError) {
        list = try StatusSources.list(in: file)
      } catch {
        unusable.append(error)
      }
    }
    (logList, logListRecord) = (list?.list, list?.record)
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

  private static func list(
    in file: String
  ) throws(AuditError) -> (list: TransparencyLogList, record: RunRecord.Source) {
    let bytes = try contents(of: file, limit: TransparencyLogList.byteCountLimit)
    do throws(TransparencyLogListError) {
      let list = try TransparencyLogList(parsing: bytes.span)
      return (
        list,
        RunRecord.Source(
          file: file, sha256: hexadecimal(SHA256.hash(data: bytes)), count: list.logs.count)
      )
    } catch {
      throw AuditError(file: file, DisplayText.escaped(error.description))
    }
  }

  private static func revocations(
    in file: String
  ) throws(AuditError) -> ([RevocationSource], record: RunRecord.Source) {
    let bytes = try contents(of: file, limit: RevocationSource.byteCountLimit)
    do throws(RevocationFileError) {
      let found = try RevocationSource.read(bytes.span)
      return (
        found,
        RunRecord.Source(file: file, sha256: hexadecimal(SHA256.hash(data: bytes)), count: found.count)
      )
    } catch {
      throw AuditError(file: file, DisplayText.escaped(error.description))
    }
  }

  /// What judges ask.
  var evidence: StatusEvidence { StatusEvidence(logList: logList, revocations: revocations) }

  private static func contents(of file: String, limit: Int) throws(AuditError) -> Bytes {
    do throws(InputError) {
      return try FileContents.read(file, limit: limit)
    } catch {
      throw AuditError(file: file, error.explanation)
    }
  }
}
