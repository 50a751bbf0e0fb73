package import ATSEvaluation
import ATSRules
package import ByteParsing
import CertificateParsing
import Reporting
package import SessionModel
package import SessionRecords
import TLSParsing
import Values

/// A CSV table with a row for each session. Column names are stable; new columns are added at the end.
package struct CSVReport: SessionReport {
  private let judges: Bool

  private static let facts = [
    "id", "host", "port", "hostSource", "file", "firstFrame", "lastFrame", "start", "end", "transport", "application", "clientAddress",
    "clientPort", "serverAddress", "serverPort", "tunnel", "version", "cipherSuite", "group", "alpn", "resumed", "outcome", "incomplete",
    "certificates", "leafSubject", "leafIssuer", "leafNotBefore", "leafNotAfter", "leafSHA256", "requests",
  ]

  private static let judgements = [
    "verdict", "relaxed", "primaryRule", "failingRules", "relaxedRules", "unknownRules", "advice", "score",
    "confidence", "grade", "predictedError", "exemption", "refusedRules",
  ]

  /// Creates a report; `judges` is whether sessions have judgements.
  package init(judges: Bool) { self.judges = judges }

  package mutating func begin(_ run: RunRecord, to output: inout Bytes) {
    CSVRow.append(CSVReport.facts + (judges ? CSVReport.judgements : []), to: &output)
  }

  package mutating func append(_ session: ObservedSession, _ judgement: Shared<Judgement>?, to output: inout Bytes) {
    var row = CSVRow()
    row.add(session.identifier)
    CSVReport.addLocation(of: session, to: &row)
    CSVReport.addHandshake(of: session, to: &row)
    if judges { CSVReport.add(judgement, isRelaxed: judgement?.isRelaxed == true, to: &row) }
    row.end(to: &output)
  }

  private static func addLocation(of session: ObservedSession, to row: inout CSVRow) {
    row.add(session.host)
    row.add(session.hostPort)
    row.add(session.serverNameSource?.rawValue)
    row.add(session.file)
    row.add(session.firstFrame)
    row.add(session.lastFrame)
    row.add(session.start?.description)
    row.add(session.end?.description)
    row.add(session.transport.rawValue)
    row.add(session.application.rawValue)
    row.add(session.client.address.description)
    row.add(session.client.port)
    row.add(session.server.address.description)
    row.add(session.server.port)
    row.add(session.tunnel.map(\.text).joined(separator: "; "))
  }

  private static func addHandshake(of session: ObservedSession, to row: inout CSVRow) {
    let serverHello = session.sharedTLS?.sharedServerHello
    row.add(serverHello?.version.map(Wording.version))
    row.add(serverHello?.cipherSuite?.text)
    row.add(session.sharedTLS?.group?.text)
    row.add(serverHello?.alpn ?? session.sharedTLS?.protectedALPN)
    row.add(session.sharedTLS?.isResumed)
    row.add(session.sharedTLS?.outcome.rawValue)
    row.add(session.evidence.incomplete?.rawValue)
    let chain = session.sharedTLS?.chain?.certificates ?? []
    row.add(session.sharedTLS == nil ? nil : chain.count)
    let leaf = chain.first
    row.add(leaf?.certificate.subject)
    row.add(leaf?.certificate.issuer)
    row.add(leaf?.certificate.notBefore?.description)
    row.add(leaf?.certificate.notAfter?.description)
    row.add(leaf?.sha256)
    row.add(session.http?.requestCount)
  }

  private static func add(_ judgement: Shared<Judgement>?, isRelaxed: Bool, to row: inout CSVRow) {
    row.add(judgement?.verdict.rawValue)
    row.add(judgement.map { $0.verdict == .pass && isRelaxed })
    row.add(judgement?.primaryRule?.rawValue)
    row.add(judgement?.failures.map(\.id) ?? [])
    row.add(judgement?.relaxed.map(\.id) ?? [])
    row.add(judgement?.undecided.map(\.id) ?? [])
    row.add(judgement?.advice.map(\.id) ?? [])
    row.add(judgement?.score)
    row.add(judgement.map(Wording.confidence))
    row.add(judgement?.grade)
    row.add(judgement?.predictedError.map(Wording.error))
    row.add(judgement?.exemption)
    row.add(judgement?.rejections.map(\.id) ?? [])
  }
}
