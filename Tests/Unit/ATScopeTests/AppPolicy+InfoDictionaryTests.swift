import ATScope
import ByteParsing
import PolicyResolution
import TestFiles
import Testing

/// Tests that settings from a dictionary equal those of a file with the same contents.
@Suite struct AppPolicyInfoDictionaryTests {
  @Test func `a dictionary has the same settings as a file with the same contents`() throws {
    let scratch = try TemporaryFolder()
    let file = try scratch.write(
      "Info.plist",
      infoPlist(
        "MyApp",
        """
        <key>NSAllowsArbitraryLoadsInWebContent</key><true/>
        <key>NSAllowsLocalNetworking</key><integer>0</integer>
        <key>NSExceptionDomains</key><dict>
        <key>a.example</key><dict><key>NSExceptionMinimumTLSVersion</key><string>TLSv1.0</string>
        <key>NSIncludesSubdomains</key><true/></dict></dict>
        <key>NSPinnedDomains</key><dict><key>b.example</key><dict><key>NSPinnedLeafIdentities</key>
        <array><dict><key>SPKI-SHA256-BASE64</key><string>r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E=</string></dict></array>
        </dict></dict>
        """))
    let settings: [String: any Sendable] = [
      "NSAllowsArbitraryLoadsInWebContent": true, "NSAllowsLocalNetworking": 0,
      "NSExceptionDomains": [
        "a.example": ["NSExceptionMinimumTLSVersion": "TLSv1.0", "NSIncludesSubdomains": true]
          as [String: any Sendable]
      ],
      "NSPinnedDomains": [
        "b.example": [
          "NSPinnedLeafIdentities": [["SPKI-SHA256-BASE64": "r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E="]]
        ]
      ],
    ]
    let fromFile = try AppPolicy(reading: file)
    #expect(fromFile.dictionary?.exceptionDomains.isEmpty == false)
    #expect(try AppPolicy(settings: settings).dictionary == fromFile.dictionary)
    let whole = try AppPolicy(infoDictionary: [
      "CFBundleExecutable": "MyApp", "NSAppTransportSecurity": settings,
    ])
    #expect(whole.dictionary == fromFile.dictionary)
    #expect(whole.executable == "MyApp")
  }

  @Test func `values that are not property list types and excessive depth are rejected`() {
    #expect(throws: AuditError.self) { try AppPolicy(settings: ["NSAllowsArbitraryLoads": { true }]) }
    var deep: [String: Any] = [:]
    for _ in 0..<500 { deep = ["a": deep] }
    #expect(throws: AuditError.self) { try AppPolicy(settings: deep) }
  }
}
