import ATScope
import ByteParsing
import PolicyResolution
import TestBytes
import TestFiles
import Testing

@Suite struct ProgramFileBundlesTests {
  private func failure(_ path: String) -> String {
    do {
      _ = try AppPolicy(reading: path)
      return "read"
    } catch {
      return error.description
    }
  }

  @Test(arguments: ["", "Contents/"])
  func `each program of a folder has its own settings`(root: String) throws {
    let scratch = try TemporaryFolder()
    _ = try scratch.write("My.app/\(root)Info.plist", infoPlist("My", allowsAll))
    _ = try scratch.write("My.app/\(root)PlugIns/Share.appex/\(root)Info.plist", infoPlist("Share"))
    _ = try scratch.write("My.app/\(root)Watch/W.app/\(root)Info.plist", infoPlist("W"))
    _ = try scratch.write(
      "My.app/\(root)Watch/W.app/\(root)PlugIns/X.appex/\(root)Info.plist", infoPlist("X"))
    _ = try scratch.write("My.app/\(root)Frameworks/F.framework/Info.plist", infoPlist("F"))
    _ = try scratch.write("My.app/\(root)PlugIns/readme.txt", "no plist")
    let policy = try AppPolicy(reading: scratch.path + "/My.app/")
    #expect(policy.executable == "My")
    #expect(policy.dictionary?.allowsArbitraryLoads == true)
    #expect(policy.file == scratch.path + "/My.app/\(root)Info.plist")
    #expect(policy.others.map(\.executable) == ["Share", "W", "X"])
    #expect(policy.others.allSatisfy { $0.dictionary == ATSDictionary() })
  }

  /// Folders of a macOS app that contain programs, such as those of Electron, Chrome and Sparkle.
  private static let folders = [
    "Frameworks/H Helper.app", "Frameworks/E.framework/Versions/A/Helpers/G.app", "Library/LaunchServices/D.app", "MacOS/M.app",
    "Resources/en.lproj/R.app", "SharedSupport/S.app", "Frameworks/U.framework/Versions/B/XPCServices/X.xpc",
    "Resources/R.app/Contents/PlugIns/Q.appex",
  ].sorted()

  @Test func `programs are found anywhere in a folder or an archive`() throws {
    let scratch = try TemporaryFolder()
    var zip = ZIPBuilder()
    zip.add("My.app/Contents/Info.plist", Bytes(infoPlist("My").utf8))
    _ = try scratch.write("My.app/Contents/Info.plist", infoPlist("My"))
    for folder in Self.folders {
      zip.add("My.app/Contents/\(folder)/Contents/Info.plist", Bytes(infoPlist(folder).utf8))
      _ = try scratch.write("My.app/Contents/\(folder)/Contents/Info.plist", infoPlist(folder))
    }
    try scratch.link("My.app/Contents/Frameworks/E.framework/Versions/Current", to: "A")
    let policies = [try AppPolicy(reading: scratch.path + "/My.app"), try AppPolicy(reading: scratch.write("My.zip", zip.bytes))]
    for policy in policies {
      #expect(policy.executable == "My")
      #expect(policy.others.map(\.executable) == Self.folders)
    }
  }

  @Test func `folders nested too deeply are rejected`() throws {
    let scratch = try TemporaryFolder()
    _ = try scratch.write("My.app/Info.plist", infoPlist("My"))
    _ = try scratch.write("My.app/" + String(repeating: "d/", count: 129) + "file", "")
    #expect(failure(scratch.path + "/My.app").hasSuffix("contains folders that are more than 128 levels deep"))
  }

  @Test func `links in a bundle are not followed`() throws {
    let scratch = try TemporaryFolder()
    _ = try scratch.write("Other.appex/Info.plist", infoPlist("Other"))
    _ = try scratch.write("My.app/Info.plist", infoPlist("My"))
    _ = try scratch.write("My.app/PlugIns/Real.appex/Info.plist", infoPlist("Real"))
    try scratch.link("My.app/PlugIns/Linked.appex", to: scratch.path + "/Other.appex")
    try scratch.link("My.app/Watch", to: scratch.path + "/My.app/PlugIns")
    #expect(try AppPolicy(reading: scratch.path + "/My.app").others.map(\.executable) == ["Real"])
  }

  @Test func `an iPhone app on a Mac is found in its wrapper`() throws {
    let scratch = try TemporaryFolder()
    _ = try scratch.write("My.app/Wrapper/In.app/Info.plist", infoPlist("In"))
    _ = try scratch.write("My.app/Wrapper/In.app/PlugIns/Share.appex/Info.plist", infoPlist("Share"))
    try scratch.link("My.app/WrappedBundle", to: "Wrapper/In.app")
    let policy = try AppPolicy(reading: scratch.path + "/My.app")
    #expect(policy.executable == "In")
    #expect(policy.others.map(\.executable) == ["Share"])
  }

  @Test(
    arguments: [
      ("<key>ArchiveVersion</key><integer>2</integer><key>Name</key><string>My</string>", "an archive of Xcode"),
      ("<key>CFBundlePackageType</key><string>FMWK</string>", "a framework"),
      ("<key>CFBundlePackageType</key><string>dSYM</string>", "debug symbols"),
      ("<key>CFBundlePackageType</key><string>APPL</string>", "read"),
    ])
  func `a file that belongs to no program is rejected`(content: String, words: String) throws {
    let scratch = try TemporaryFolder()
    let text = failure(try scratch.write("Info.plist", "<plist><dict>\(content)</dict></plist>"))
    #expect(text.contains(words), "\(text)")
  }

  @Test func `a folder without Info_plist is not a bundle`() throws {
    let scratch = try TemporaryFolder()
    _ = try scratch.write("Empty.app/readme.txt", "hello")
    #expect(
      failure(scratch.path + "/Empty.app").hasSuffix("so it is not an app bundle (.app, .appex or .ipa)"))
    _ = try scratch.write("Payload/My.app/Info.plist", infoPlist("My"))
    _ = try scratch.write("Payload/My.app/PlugIns/Share.appex/Info.plist", infoPlist("Share"))
    #expect(failure(scratch.path + "/Payload").hasSuffix("use one in it, such as \(scratch.path)/Payload/My.app"))
    _ = try scratch.write("Payload/Extra.appex/Info.plist", infoPlist("Extra"))
    #expect(failure(scratch.path + "/Payload").hasSuffix("/Payload/My.app"))
  }

  // MARK: Packed

  @Test(arguments: ["Payload/My.app/", "./Payload/My.app/", "My.app/"])
  func `each program of an archive has its own settings`(root: String) throws {
    let scratch = try TemporaryFolder()
    var zip = ZIPBuilder()
    zip.add("iTunesMetadata.plist", Bytes("no plist".utf8))
    zip.add(root + "PlugIns/Share.appex/Info.plist", Bytes(infoPlist("Share").utf8))
    zip.add(root + "Assets/Info.plist", Bytes("no plist".utf8))
    zip.add(root + "Frameworks/F.framework/Info.plist", Bytes("no plist".utf8))
    zip.add(root + "Info.plist", Bytes(infoPlist("My", allowsAll).utf8))
    let policy = try AppPolicy(reading: scratch.write("My.ipa", zip.bytes))
    #expect(policy.executable == "My")
    #expect(policy.dictionary?.allowsArbitraryLoads == true)
    #expect(
      policy.file.hasSuffix("My.ipa!\(root.hasPrefix("./") ? String(root.dropFirst(2)) : root)Info.plist"))
    #expect(policy.others.map(\.executable) == ["Share"])
  }

  @Test(arguments: [
    ("/etc/passwd", "absolute path"), ("\\\\host\\x", "absolute path"), ("C:\\x", "absolute path"),
    ("../x", "leads outside the archive"), ("Payload/My.app/../../../x", "leads outside the archive"),
    ("Payload\\..\\..\\x", "leads outside the archive"), ("Payload/My.app/Info.plist", "twice"),
    ("./Payload//My.app/./Info.plist", "twice"),
    (String(repeating: "a", count: 5000), "a member's name has 5000 bytes"),
    ("Payload/Other.app/Info.plist", "contains several apps"),
  ])
  func `an archive with unsafe, repeated or overlong member names or several apps is rejected`(name: String, words: String) throws {
    let scratch = try TemporaryFolder()
    var zip = ZIPBuilder()
    zip.add("Payload/My.app/Info.plist", Bytes(infoPlist("My").utf8))
    zip.add(name, Bytes(infoPlist("Other").utf8))
    let text = failure(try scratch.write("My.ipa", zip.bytes))
    #expect(text.contains(words), "\(text)")
  }

  @Test(arguments: ["PlugIns", "PlugIns/Share.appex"])
  func `an archive with members below a file is rejected`(folder: String) throws {
    let scratch = try TemporaryFolder()
    var zip = ZIPBuilder()
    zip.add("Payload/My.app/Info.plist", Bytes(infoPlist("My").utf8))
    zip.add("Payload/My.app/\(folder)", Bytes("../../../../tmp/evil".utf8))
    zip.add("Payload/My.app/PlugIns/Share.appex/Info.plist", Bytes(infoPlist("Share").utf8))
    #expect(failure(try scratch.write("My.ipa", zip.bytes)).contains("has members below it"))
  }

  @Test func `a member that unpacks to more than the limit for Info_plist files is rejected`() throws {
    let scratch = try TemporaryFolder()
    var zip = ZIPBuilder()
    zip.addZeros("Payload/My.app/Info.plist", copies: 80_000, crc: 0x7FE8_0E6C)
    #expect(failure(try scratch.write("My.ipa", zip.bytes)).contains("is longer than 16777216 bytes"))
  }

  @Test func `an archive whose members claim an excessive unpacked size is rejected`() throws {
    let scratch = try TemporaryFolder()
    var zip = ZIPBuilder()
    zip.add("Payload/My.app/Info.plist", Bytes(infoPlist("My").utf8))
    for number in 0..<3 {
      zip.add("Payload/My.app/\(number)", packed: [3, 0], method: 8, crc: 0, size: 0xF000_0000)
    }
    #expect(
      failure(try scratch.write("My.ipa", zip.bytes)).contains("would unpack to more than 200 times its size")
    )
  }

  @Test func `an archive truncated anywhere in its first half is an error`() throws {
    let scratch = try TemporaryFolder()
    var zip = ZIPBuilder()
    zip.add("Payload/My.app/Info.plist", Bytes(infoPlist("My").utf8))
    let whole = zip.bytes
    for count in stride(from: 4, to: whole.count / 2, by: 7) {
      let path = try scratch.write("cut-\(count).ipa", Bytes(whole.prefix(count)))
      #expect(failure(path) != "read")
    }
  }

  @Test func `flipped bits in an archive never trap`() throws {
    let scratch = try TemporaryFolder()
    var zip = ZIPBuilder()
    zip.add("Payload/My.app/Info.plist", Bytes(infoPlist("My").utf8))
    zip.addZeros("Payload/My.app/zeros", copies: 10, crc: 0)
    let whole = zip.bytes
    for index in stride(from: 0, to: whole.count, by: 3) {
      var bytes = whole
      bytes[index] ^= UInt8(1 << (index % 8))
      _ = failure(try scratch.write("flipped.ipa", bytes))
    }
  }
}
