import ByteParsing
import InfoPlistReading
import PolicyResolution
import PropertyLists
import SeededRandom
import Testing

@Suite struct ATSReaderTests {
  @Test func `a property list without NSAppTransportSecurity has no ATS dictionary`() throws {
    let list = try infoPlist("<key>CFBundleName</key><string>x</string>")
    #expect(list.ats == nil)
    #expect(list.ignored.isEmpty)
  }

  @Test func `an empty ATS dictionary is read as one without settings`() throws {
    #expect(try atsPlist("").ats == ATSDictionary())
  }

  @Test(
    arguments: [
      ("<true/>", true), ("<false/>", false), ("<integer>1</integer>", true), ("<real>1.0</real>", true),
      ("<integer>0</integer>", false), ("<integer>2</integer>", false), ("<integer>-1</integer>", false),
      ("<real>0.5</real>", false), ("<string>YES</string>", nil), ("<string>1</string>", nil),
      ("<array/>", nil),
      ("<dict/>", nil), ("<date>2001-01-01T00:00:01Z</date>", nil), ("<data/>", nil),
    ] as [(String, Bool?)])
  func `a number is read as a boolean, and only 1 is true`(value: String, expected: Bool?) throws {
    let list = try atsPlist("<key>NSAllowsArbitraryLoads</key>\(value)")
    #expect(list.ats?.allowsArbitraryLoads == expected)
    #expect(list.ignored.isEmpty == (expected != nil))
  }

  @Test func `NSAllowsArbitraryLoads is ignored beside keys that cancel it`() throws {
    let list = try atsPlist(
      """
      <key>NSAllowsArbitraryLoads</key><true/>
      <key>NSAllowsArbitraryLoadsForMedia</key><false/>
      <key>NSAllowsArbitraryLoadsInWebContent</key><true/>
      """)
    #expect(
      list.ignored.map(\.description) == [
        "line 3: NSAppTransportSecurity > NSAllowsArbitraryLoads: has no effect from iOS 10 and macOS 10.12, because "
          + "NSAllowsArbitraryLoadsInWebContent and NSAllowsArbitraryLoadsForMedia are present"
      ])
    #expect(list.ats?.allowsArbitraryLoads == true)
  }

  @Test(
    arguments: [
      ("App Transport Security Settings", "no system reads the key here"),
      ("NSAppTransportSecurity ", "no system reads the key here"),
      ("NSAppTransportSecurity~ipad", "replaces NSAppTransportSecurity on iPads, which atscope does not take into account"),
      ("NSAppTransportSecurity-iphoneos~iphone", "replaces NSAppTransportSecurity on iPhones, which atscope does not take into account"),
    ])
  func `keys that were meant as NSAppTransportSecurity, or replace it on some devices, are ignored`(key: String, reason: String) throws {
    let list = try infoPlist("<key>\(key)</key><dict><key>NSAllowsArbitraryLoads</key><true/></dict>")
    #expect(list.ats == nil)
    #expect(list.ignored.map(\.description) == ["line 2: \(key): \(reason)"])
    #expect(try infoPlist("<key>NSAppleMusicUsageDescription</key><string/>").ignored.isEmpty)
  }

  @Test func `ignored keys are kept with their reason and line`() throws {
    let list = try atsPlist(
      """
      <key>NSAllowsArbitraryLoads</key><string>YES</string>
      <key>Color</key><true/>
      <key>NSExceptionDomains</key><dict>
      <key>a.example</key><dict/>
      <key>10.0.0.0/99</key><dict/>
      <key>a.example</key><dict>
      <key>NSThirdPartyExceptionMinimumTLSVersion</key><string>TLSv1.0</string>
      <key>NSExceptionMinimumTLSVersion</key><string>2</string>
      </dict>
      </dict>
      """)
    #expect(
      list.ignored.map { "\($0.line ?? 0) \($0.path.keys.last ?? "")" } == [
        "3 NSAllowsArbitraryLoads", "4 Color", "9 NSThirdPartyExceptionMinimumTLSVersion",
        "10 NSExceptionMinimumTLSVersion", "7 10.0.0.0/99", "6 a.example",
      ])
    #expect(
      list.ignored.map(\.reason) == [
        .wrongType(found: "a string", expected: "a boolean"), .unknownKey,
        .earlyName(current: "NSExceptionMinimumTLSVersion", wasRead: true), .unknownValue("2"),
        .unusableHost(.refusedRange(.prefixTooLong)), .repeatedKey(lastCounts: true),
      ])
    #expect(
      list.ignored.first?.description
        == "line 3: NSAppTransportSecurity > NSAllowsArbitraryLoads: counts as absent, because it is a string, not "
        + "a boolean")
    let entry = list.ats?.exceptionDomains.first { $0.key == "a.example" }
    #expect(entry?.settings.minimumTLSVersion == "2")
    #expect(entry?.aliases[.thirdParty]?.minimumTLSVersion == "TLSv1.0")
  }

  @Test(arguments: [true, false])
  func `the property list determines whether the first or last duplicate key is used`(lastCounts: Bool)
    throws
  {
    var ats = PropertyListDictionary(lastCounts: lastCounts)
    for value in [true, false] { ats.append("NSAllowsArbitraryLoads", .boolean(value)) }
    let list = try InfoPropertyList(
      root: .dictionary(PropertyListDictionary([("NSAppTransportSecurity", .dictionary(ats))])))
    #expect(list.ats?.allowsArbitraryLoads == !lastCounts)
    #expect(list.ignored.map(\.reason) == [.repeatedKey(lastCounts: lastCounts)])
    let expected = "only the \(lastCounts ? "last" : "first") one counts"
    #expect(list.ignored.first?.description.hasSuffix(expected) == true)
    #expect(list.lint().contains { $0.rule == .keyDuplicate && $0.message.hasSuffix(expected) })
  }

  @Test func `the executable, bundle ID, SDK and deployment target are read`() throws {
    let list = try infoPlist(
      """
      <key>CFBundleExecutable</key><string>MyApp</string>
      <key>DTSDKName</key><string>iphoneos18.2</string><key>MinimumOSVersion</key><string>15.0</string>
      <key>LSMinimumSystemVersion</key><integer>12</integer>
      """)
    #expect(list.application.executable == "MyApp")
    #expect(list.application.sdk?.name == "ios18.2")
    #expect(list.application.deploymentTarget?.name == "ios15")
  }

  @Test(
    arguments: [
      ("macosx15.0", "<key>LSMinimumSystemVersion</key><string>13.3</string>", "macos13.3"),
      ("watchos11.0", "<key>MinimumOSVersion</key><string>9.0</string>", "watchos9"),
      (
        "macosx15.0",
        "<key>LSMinimumSystemVersion</key><string>13</string><key>MinimumOSVersion</key><string>15</string>",
        "macos13"
      ),
      ("", "<key>LSMinimumSystemVersion</key><string>10.9</string>", "macos10.9"), ("", "", nil),
    ] as [(String, String, String?)])
  func `the deployment target is read from the key of the SDK's platform`(sdk: String, keys: String, name: String?) throws {
    let list = try infoPlist("<key>DTSDKName</key><string>\(sdk)</string>\(keys)")
    #expect(list.application.deploymentTarget?.name == name)
  }

  @Test(
    arguments: [
      ("<key>DTPlatformName</key><string>watchos</string>", "watchos9"),
      ("<key>DTPlatformName</key><string>appletvsimulator</string>", "tvos9"),
      ("<key>CFBundleSupportedPlatforms</key><array><string>WatchOS</string></array>", "watchos9"),
      ("<key>CFBundleSupportedPlatforms</key><array><string>XROS</string><string>XRSimulator</string></array>", "visionos9"),
      ("<key>CFBundleSupportedPlatforms</key><array><string>iPhoneOS</string><string>WatchOS</string></array>", "ios9"),
      ("<key>DTPlatformName</key><string>unknown</string>", "ios9"),
      ("<key>DTSDKName</key><string>iphoneos18.2</string><key>DTPlatformName</key><string>watchos</string>", "ios9"),
    ])
  func `without DTSDKName, the platform of the deployment target is read from other keys`(keys: String, name: String) throws {
    let list = try infoPlist("<key>MinimumOSVersion</key><string>9.0</string>\(keys)")
    #expect(list.application.deploymentTarget?.name == name)
  }

  @Test func `a root that is not a dictionary is an error`() {
    let error = #expect(throws: PropertyListError.self) {
      try InfoPropertyList(reading: Bytes("<plist><array/></plist>".utf8))
    }
    #expect(error?.description.contains("an array") == true)
  }

  @Test func `malformed pins and a number for NSIncludesSubdomains of a pin are ignored`() throws {
    let list = try pinPlist(
      "a.example",
      """
      <key>NSIncludesSubdomains</key><integer>1</integer>
      <key>NSPinnedLeafIdentities</key><array>
      <dict><key>SPKI-SHA256-BASE64</key><string>AAEC</string></dict>
      <dict><key>SPKI-SHA256-BASE64</key><string>AAE=</string></dict>
      <dict><key>SPKI-SHA256-BASE64</key><string>AA==</string></dict>
      <dict><key>SPKI-SHA256-BASE64</key><string>AA=A</string></dict>
      <dict><key>SPKI-SHA256-BASE64</key><string>AAE</string></dict>
      <dict><key>SPKI-SHA256-BASE64</key><string>\n  A-A E\tC\n</string></dict>
      <dict><key>SPKI-SHA256-BASE64</key><string>A===</string></dict>
      <dict><key>SPKI-SHA256-BASE64</key><string>AAF=AAEC</string></dict>
      <dict><key>SPKI-SHA256-BASE64</key><string>$(LEAF_PIN)</string></dict>
      <dict><key>SPKI-SHA256-BASE64</key><string></string></dict>
      <dict><key>SPKI-SHA256-BASE64</key><data>AAEC</data></dict>
      <string>AAEC</string>
      </array>
      """)
    let pin = try #require(list.ats?.pinnedDomains.first)
    #expect(!pin.includesSubdomains)
    // Characters outside the alphabet are skipped.
    #expect(pin.leafDigests == ["AAEC", "AAE=", "AA==", "AAEC"])
    #expect(pin.caDigests == nil)
    #expect(list.ignored.count == 9)
  }

  @Test(.timeLimit(.minutes(10))) func `a file with 5,000 hosts is read and linted in time`() throws {
    var text = ""
    for index in 0..<5000 { text += "<key>h\(index).x.example</key><dict/>" }
    let list = try atsPlist(
      "<key>NSExceptionDomains</key><dict>\(text)</dict><key>NSPinnedDomains</key><dict>\(text)</dict>")
    #expect(list.ats?.exceptionDomains.count == 5000)
    #expect(list.lint() == [])
  }

  @Test func `a changed file is read and linted or rejected, and never traps`() throws {
    let text =
      "<plist><dict><key>NSAppTransportSecurity</key><dict><key>NSExceptionDomains</key><dict><key>10.0.0.0/8</key>"
      + "<dict><key>NSIncludesSubdomains</key><true/></dict><key>a.b.example</key><dict>"
      + "<key>NSExceptionMinimumTLSVersion</key><string>TLSv1.0</string></dict></dict><key>NSPinnedDomains</key><dict>"
      + "<key>b.example</key><dict><key>NSPinnedLeafIdentities</key><array><dict><key>SPKI-SHA256-BASE64</key>"
      + "<string>AAAA</string></dict></array></dict></dict></dict></dict></plist>"
    let bytes = Bytes(text.utf8)
    var random = SeededGenerator(seed: 3)
    let letters = Array("/.:*%[]<>&AZaz09 é".utf8)
    var read = 0
    for _ in 0..<TestEffort.rounds(10_000) {
      var changed = bytes
      for _ in 0...random.below(2) { changed[random.below(bytes.count)] = random.pick(letters) }
      guard let list = try? InfoPropertyList(reading: changed) else { continue }
      read += 1
      _ = list.lint()
      _ = PolicyResolver(dictionary: list.ats).policy(for: PolicyRequest(host: .name("x.b.example")))
    }
    #expect(read > TestEffort.rounds(1000))
  }
}
