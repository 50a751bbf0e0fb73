import ATSRules
import CommandReports
import Foundation
import Testing

@Suite struct ExplainJSONTests {
  private func object(_ query: String?) throws -> [String: Any]? {
    let json = ExplainJSON.rendered(try query.map { try #require(Explained($0)) })
    return try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any]
  }

  @Test func `without a query the object contains all rules, errors, grades and assumptions`() throws {
    let all = try #require(try object(nil))
    #expect((all["rules"] as? [Any])?.count == RuleCatalogue.all.count)
    #expect((all["errors"] as? [Any])?.count ?? 0 > 40)
    #expect((all["assumptions"] as? [[String: Any]])?.compactMap { $0["number"] as? Int } == Array(1...23))
    #expect((all["grades"] as? [Any])?.isEmpty == false)
  }

  @Test func `a query for a rule or an error code returns only that`() throws {
    let rule = try #require(try object("ats-pfs"))
    #expect((rule["rules"] as? [[String: Any]])?.first?["id"] as? String == "ATS-PFS")
    #expect((rule["errors"] as? [Any])?.isEmpty == true)
    for code in ["-9802", "9802", "\u{2212}9802"] {
      let error = try #require(try object(code))
      #expect((error["errors"] as? [[String: Any]])?.first?["code"] as? Int == -9802)
      #expect((error["rules"] as? [Any])?.isEmpty == true)
    }
    #expect(Explained("ATS-NOTHING") == nil)
    #expect(Explained("-3") == nil)
  }
}
