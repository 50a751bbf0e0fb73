import PolicyResolution
import Testing

@Suite struct LoadContextTests {
  @Test(
    arguments: [
      ("com.apple.WebKit", LoadContext.web), ("com.apple.WebKit.Networking", .web),
      ("mediaplaybackd", .media),
      ("nsurlsessiond", .app), ("MyApp", nil), ("trustd", nil), ("", nil), ("mediaserverd", nil),
    ] as [(String, LoadContext?)])
  func `the name of a process tells who makes its loads`(process: String, context: LoadContext?) {
    #expect(LoadContext(process: process, in: .newest) == context)
  }

  @Test(
    arguments: [("ios18.3", LoadContext.media), ("ios18.4", nil), ("macos15.3", .media)]
      as [(String, LoadContext?)])
  func `before 18.4 media came from another process`(os: String, context: LoadContext?) throws {
    #expect(LoadContext(process: "mediaserverd", in: try SystemRelease(named: os)) == context)
  }
}
