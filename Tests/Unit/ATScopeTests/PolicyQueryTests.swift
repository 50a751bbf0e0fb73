import ATScope
import ByteParsing
import PolicyResolution
import TestFiles
import Testing

@Suite struct PolicyQueryTests {
  private func text(_ query: PolicyQuery, width: Int = 80) -> String {
    query.run().text(width: width)
  }

  @Test func `the options decide the policy`() {
    func policy(_ host: String, isDirect: Bool? = nil, _ change: (inout JudgingOptions) -> Void = { _ in }) -> EffectivePolicy? {
      var options = JudgingOptions()
      change(&options)
      return PolicyQuery(hosts: [host], isDirect: isDirect, under: options).run().policies.first
    }
    #expect(policy("nas")?.requiresHTTPS == false)
    #expect(policy("nas", isDirect: false)?.requiresHTTPS == true)
    let ios9 = SystemRelease(platform: .ios, version: SystemVersion(9))
    #expect(policy("nas") { $0.assumptions.release = ios9 }?.requiresHTTPS == true)
    #expect(policy("example.com") { $0.assumptions.isAppleBundle = true }?.requiresHTTPS == false)
    let web = policy("example.com") { $0.assumptions.context = .web }
    #expect(web?.context == .web)
    #expect(web?.contextSource == .option)
    #expect(policy("example.com")?.contextSource == .assumed)
  }

  @Test func `the process decides the context unless an option does`() throws {
    func policy(_ process: String, context: LoadContext? = nil, os: String = "ios26") throws -> EffectivePolicy? {
      var options = JudgingOptions()
      options.assumptions.release = try SystemRelease(named: os)
      if let context { options.assumptions.context = context }
      return PolicyQuery(hosts: ["example.com"], process: process, under: options).run().policies.first
    }
    let web = try policy("com.apple.WebKit.Networking")
    #expect(web?.context == .web && web?.contextSource == .process)
    let option = try policy("com.apple.WebKit.Networking", context: .media)
    #expect(option?.context == .media && option?.contextSource == .option)
    #expect(try policy("My")?.contextSource == .assumed)
    #expect(try policy("mediaserverd", os: "ios18.3")?.context == .media)
    #expect(try policy("mediaserverd")?.context == .app)
  }

  @Test func `each host is a JSON object on a separate line`() {
    let lines = String(decoding: PolicyQuery(hosts: ["example.com", "::1", "nas.local"]).run().json(), as: UTF8.self).split(
      separator: "\n")
    #expect(lines.count == 3)
    #expect(lines.allSatisfy { $0.hasPrefix("{\"schema\":\"atscope.policy/1\"") && $0.hasSuffix("}") })
    #expect(lines[1].contains("\"host\":\"::1\",\"direct\":true"))
  }

  @Test func `every setting is listed with the key that decided it`() throws {
    let scratch = try TemporaryFolder()
    let settings = """
      <key>NSExceptionDomains</key><dict><key>example.com</key><dict>
      <key>NSIncludesSubdomains</key><true/>
      <key>NSExceptionMinimumTLSVersion</key><string>TLSv1.1</string></dict></dict>
      """
    let file = try scratch.write("Info.plist", infoPlist("My", settings))
    var options = JudgingOptions()
    options.programs = AppPolicies(try AppPolicy(reading: file))
    let shown = text(PolicyQuery(hosts: ["www.example.com"], under: options))
    for line in [
      "  local            no\n", "  entry            example.com\n", "  cleartext        not allowed\n",
      "  TLS version      TLS 1.1 or later\n", " entry example.com: NSExceptionMinimumTLSVersion is TLSv1.1\n",
      "  suites           the 13 ATS suites\n", "  forward secrecy  required\n",
      "entry example.com: forward secrecy by default\n",
    ] {
      #expect(shown.contains(line), "\(line)")
    }
    let heading = "example.net   iOS 26.5   ATS defaults (no Info.plist)   requests by app code\n"
    #expect(text(PolicyQuery(hosts: ["example.net"])).hasPrefix(heading))
    // A default has no entry, and a NIAP package that is not required is not named.
    #expect(!shown.contains("NIAP") && text(PolicyQuery(hosts: ["example.net"])).contains("\n                   TLS 1.2 by default\n"))
  }

  @Test func `addresses and ranges that a release ignores are named`() throws {
    let keys = ["203.0.113.7", "10.0.0.0/8", "2001:db8::1", "example.com", "a/b"]
    let scratch = try TemporaryFolder()
    let entries = keys.map { "<key>\($0)</key><dict/>" }.joined()
    let file = try scratch.write(
      "Info.plist", infoPlist("My", "<key>NSExceptionDomains</key><dict>\(entries)</dict>"))
    let program = try AppPolicy(reading: file)
    let unread = program.unread(by: try SystemRelease(named: "ios16"))
    #expect(unread.count == 3)
    for key in keys.prefix(3) { #expect(unread.contains { $0.contains("> \(key): iOS 16 does not read") }) }
    #expect(program.unread(by: try SystemRelease(named: "ios17")).isEmpty)
  }

  @Test(arguments: [40, 60, 80, 132])
  func `no line is longer than the width of the terminal`(width: Int) {
    for line in text(PolicyQuery(hosts: ["www.example.com", "203.0.113.7", "nas"]), width: width).split(separator: "\n") {
      #expect(line.utf8.count <= width, "\(line)")
    }
  }

  @Test func `control characters in host names are escaped`() {
    let shown = text(PolicyQuery(hosts: ["\u{1B}[31mx.example"]))
    #expect(shown.hasPrefix("\\x1b[31mx.example"))
  }
}
