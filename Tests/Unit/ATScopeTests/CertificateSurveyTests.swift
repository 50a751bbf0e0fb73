import ATScope
import ByteParsing
import Foundation
import TestFiles
import Testing

@Suite struct CertificateSurveyTests {
  @Test func `a truncated chain is in the index, but not in a file, which would be read as a complete chain`() throws {
    let captures = ["captures/variants/packed/cut.gz", "captures/tls12/ecdhe-rsa-gcm.pcap"].map(Repository.path)
    let result = CertificateSurvey(AuditOptions(paths: captures)).run()
    #expect(result.chainCount == 2 && result.truncatedChainCount == 1)
    let files = result.files()
    #expect(files.count == 2 && files.last?.name == "index.json")
    let index = try JSONSerialization.jsonObject(with: Data(try #require(files.last).contents)) as? [String: Any]
    let chains = try #require(index?["chains"] as? [[String: Any]])
    #expect(chains.map { $0["complete"] as? Bool } == [false, true])
    #expect(chains.map { $0["file"] as? String } == [nil, files.first?.name])
  }
}
