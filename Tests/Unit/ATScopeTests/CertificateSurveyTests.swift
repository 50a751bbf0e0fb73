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

  @Test(arguments: [[], ["other.example"]] as [[HostPattern]])
  func `a list without chains does not say that captures have none if sessions were selected`(hosts: [HostPattern]) {
    var options = AuditOptions(paths: ["captures/tls12/ecdhe-rsa-gcm.pcap", "captures/tls13/chacha20.pcap"].map(Repository.path))
    if hosts.isEmpty { options = AuditOptions(paths: [Repository.path("captures/http/public-address.pcap")]) }
    options.hosts = hosts
    let chains = CertificateSurvey(options).run().text(width: 80)
    #expect(chains == (hosts.isEmpty ? "No server certificate was found.\n" : "No server certificate in the selected sessions.\n"))
    let missing = MissingChains(options).run().text(width: 80)
    #expect(
      missing
        == (hosts.isEmpty ? "No session that hides a certificate chain was found.\n" : "No selected session hides a certificate chain.\n"))
  }

  @Test func `the folder of captures without chains can be supplied, other folders without chains cannot`() throws {
    let scratch = try TemporaryFolder()
    let files = CertificateSurvey(AuditOptions(paths: [Repository.path("captures/http/public-address.pcap")])).run().files()
    #expect(files.map(\.name) == ["index.json"])
    _ = try scratch.write("written/index.json", try #require(files.first).contents)
    _ = try scratch.write("other/index.json", "{}")
    _ = try scratch.write("other/notes.txt", "notes")
    var chains = SuppliedChains()
    try chains.add(scratch.path + "/written")
    #expect(throws: AuditError.self) { try chains.add(scratch.path + "/other") }
  }

  @Test func `a folder of more than 10,000 files cannot be supplied, which says what to do`() throws {
    let scratch = try TemporaryFolder()
    for index in 0...10_000 { _ = try scratch.write("\(index).pem", "") }
    var chains = SuppliedChains()
    let error = #expect(throws: AuditError.self) { try chains.add(scratch.path) }
    #expect(error?.file == scratch.path && error?.reason == SuppliedChains.obstacle(toFolderOf: 10_001))
    #expect(error?.reason.hasSuffix("distribute them among several, and repeat --chain") == true)
    #expect(SuppliedChains.obstacle(toFolderOf: 10_000) == nil)
  }
}
