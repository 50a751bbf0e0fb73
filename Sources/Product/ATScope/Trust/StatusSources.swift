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
    if let file {
      let bytes = try StatusSources.contents(of: file, limit: TransparencyLogList.byteCountLimit)
      do throws(TransparencyLogListError) {
        let list = try TransparencyLogList(parsing: bytes.span)
        logListRecord = RunRecord.Source(
          file: file, sha256: hexadecimal(SHA256.hash(data: bytes)), count: list.logs.count)
        logList = list
      } catch {
        throw AuditError(file: file, DisplayText.escaped(error.description))
      }
    } else {
      (logList, logListRecord) = (nil, nil)
    }
    var sources: [RevocationSource] = []
    var records: [RunRecord.Source] = []
    for file in files {
      let bytes = try StatusSources.contents(of: file, limit: RevocationSource.byteCountLimit)
      do throws(RevocationFileError) {
        let found = try RevocationSource.read(bytes.span)
        records.append(
          RunRecord.Source(
            file: file, sha256: hexadecimal(SHA256.hash(data: bytes)), count: found.count))
        sources += found
      } catch {
        throw AuditError(file: file, DisplayText.escaped(error.description))
      }
    }
    revocations = sources
    revocationRecords = records
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
