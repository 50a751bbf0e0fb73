import ByteParsing
import CaptureFormats
import Foundation
import InputSources
import TestBytes
import TestFiles
import Testing

@Suite struct InputFinderTests {
  @Test func `captures in a directory are sorted by the bytes of their paths`() throws {
    let folder = try TemporaryFolder()
    for name in ["b.pcap", "a/z.pcap", "a/b/c/d.txt", "a.pcap", "a-1.pcap", "É.pcap", ".hidden"] {
      try folder.write(name, emptyCapture)
    }
    let found = InputFinder().find([AuditInput(path: folder.path)])
    #expect(found.errors.isEmpty && found.skipped.isEmpty)
    #expect(
      found.files.map(\.displayName)
        == [".hidden", "a-1.pcap", "a.pcap", "a/b/c/d.txt", "a/z.pcap", "b.pcap", "É.pcap"]
        .map { folder.path + "/" + $0 })
  }

  @Test func `arguments keep their order, and trailing slashes are not repeated in paths`() throws {
    let folder = try TemporaryFolder()
    let first = try folder.write("1/a.pcap", emptyCapture)
    let second = try folder.write("2/a.pcap", emptyCapture)
    let arguments = [second, "-", folder.path + "/1//", first]
    #expect(
      InputFinder().find(arguments.map { AuditInput(path: $0) }).files.map(\.displayName) == [
        second, "-", folder.path + "/1/a.pcap", first,
      ])
  }

  @Test func `an input contains itself and what is below it, but not files whose names only begin alike`() {
    let contained = ["a": "a", "b": "b/x.pcap", "c/": "c/x.pcap", "d//": "d/x.pcap", "e.zip": "e.zip!x", "/": "/x.pcap", "f": "f/\u{301}"]
    for (input, file) in contained { #expect(AuditInput(path: input).contains(file), "\(input)") }
    let others = ["a": "a.keys", "b/": "bx/x.pcap", "c.pcap": "c", "d!x": "d"]
    for (input, file) in others { #expect(!AuditInput(path: input).contains(file), "\(input)") }
  }

  @Test func `a file given twice has a warning`() throws {
    let folder = try TemporaryFolder()
    let first = try folder.write("1/a.pcap", emptyCapture)
    let second = try folder.write("2/a.pcap", emptyCapture)
    let found = InputFinder().find([first, second, first].map { AuditInput(path: $0) })
    #expect(found.warnings == [InputError(.repeated, path: first)])
    #expect(found.files.count == 3)
  }

  @Test func `several versions of a file in a tar have different names`() throws {
    let folder = try TemporaryFolder()
    let names = ["a.pcap", "a.pcap", "a.pcap (2)", "a.pcap"]
    let path = try folder.write("t.tar", ArchiveBuilder.tar(names.map { ($0, emptyCapture, "0") }))
    let found = InputFinder().find([AuditInput(path: path)])
    #expect(found.warnings.isEmpty)
    #expect(found.files.map(\.displayName) == ["a.pcap", "a.pcap (3)", "a.pcap (4)", "a.pcap (2)"].map { "\(path)!\($0)" })
    #expect(InputFinder().find([AuditInput(path: path), AuditInput(path: path)]).warnings.count == 4)
  }

  @Test func `a file found and named has a warning`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("a.pcap", emptyCapture)
    let found = InputFinder().find([folder.path, path].map { AuditInput(path: $0) })
    #expect(found.warnings == [InputError(.repeated, path: path)])
  }

  @Test func `other files in a directory are skipped with a reason`() throws {
    let folder = try TemporaryFolder()
    let outside = try TemporaryFolder()
    let target = try outside.write("outside.pcap", emptyCapture)
    try folder.write("capture.pcap", emptyCapture)
    try folder.write("empty.pcap", [])
    try folder.write("notes.txt", Bytes("dear diary".utf8))
    try folder.write("saved.ndjson", Bytes(#"{"schema":"atscope.run/1"}"#.utf8))
    try folder.write("packed.txt.gz", ArchiveBuilder.gzip(Bytes("dear diary".utf8)))
    try folder.link("link.pcap", to: target)
    try folder.link("linked", to: outside.path)
    try folder.link("loop", to: folder.path)
    _ = try folder.fifo("pipe.pcap")
    let found = InputFinder().find([AuditInput(path: folder.path)])
    #expect(found.errors.isEmpty)
    #expect(found.files.map(\.displayName) == [folder.path + "/capture.pcap"])
    #expect(found.skippedCount == 8)
    let expected: [(String, SkippedFile.Reason)] = [
      ("empty.pcap", .kind(.empty)), ("link.pcap", .symbolicLink), ("linked", .symbolicLink),
      ("loop", .symbolicLink), ("notes.txt", .kind(.unknown(Bytes("dear".utf8)))),
      ("packed.txt.gz", .kind(.unknown(Bytes("dear".utf8)))), ("pipe.pcap", .specialFile),
      ("saved.ndjson", .kind(.savedSessions)),
    ]
    #expect(found.skipped.map(\.displayName) == expected.map { folder.path + "/" + $0.0 })
    #expect(found.skipped.map(\.reason) == expected.map(\.1))
  }

  @Test func `a symbolic link given as an argument is followed`() throws {
    let folder = try TemporaryFolder()
    try folder.write("real/a.pcap", emptyCapture)
    try folder.link("folder", to: folder.path + "/real")
    try folder.link("file", to: folder.path + "/real/a.pcap")
    let found = InputFinder().find([folder.path + "/folder", folder.path + "/file"].map { AuditInput(path: $0) })
    #expect(found.files.map(\.displayName) == [folder.path + "/folder/a.pcap", folder.path + "/file"])
    for file in found.files {
      #expect(try file.open().kind == .capture(.pcap))
    }
  }

  @Test func `arguments that are missing or have no captures are errors, and the others are read`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("a.pcap", emptyCapture)
    try folder.folder("nothing/at/all")
    try folder.write("text/a.txt", [0x41])
    let arguments = ["missing", "nothing", "a.pcap/below", "text", "a.pcap"].map { folder.path + "/" + $0 }
    let found = InputFinder().find((arguments + [""]).map { AuditInput(path: $0) })
    #expect(found.files.map(\.displayName) == [file])
    #expect(
      found.errors == [
        InputError(.noSuchFile, path: arguments[0]), InputError(.noCaptures, path: arguments[1]),
        InputError(.noSuchFile, path: arguments[2]), InputError(.noCaptures, path: arguments[3]),
        InputError(.noSuchFile, path: ""),
      ])
    #expect(found.skippedCount == 1)
  }

  @Test func `directories below the maximum depth are skipped`() throws {
    let folder = try TemporaryFolder()
    let deepest = Array(repeating: "d", count: InputFinder.maximumDepth).joined(separator: "/")
    try folder.write(deepest + "/a.pcap", emptyCapture)
    try folder.write(deepest + "/e/b.pcap", emptyCapture)
    let found = InputFinder().find([AuditInput(path: folder.path)])
    #expect(found.files.map(\.displayName) == [folder.path + "/" + deepest + "/a.pcap"])
    #expect(found.skipped.map(\.displayName) == [folder.path + "/" + deepest + "/e"])
    #expect(found.skipped.map(\.reason) == [.tooDeep])
  }

  @Test(arguments: [4, 5])
  func `too many entries make the argument an error`(limit: Int) throws {
    let folder = try TemporaryFolder()
    for name in ["a.pcap", "b/c.pcap", "b/d/e.pcap"] { try folder.write(name, emptyCapture) }
    let found = InputFinder(maximumEntries: limit).find([AuditInput(path: folder.path)])
    if limit == 5 {
      #expect(found.files.count == 3 && found.errors.isEmpty)
    } else {
      #expect(found.files.isEmpty)
      #expect(found.errors == [InputError(.tooManyEntries(limit: 4), path: folder.path)])
    }
  }

  @Test func `a directory without read permission is an error`() throws {
    let folder = try TemporaryFolder()
    try folder.write("locked/a.pcap", emptyCapture)
    try folder.write("open/a.pcap", emptyCapture)
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: folder.path + "/locked")
    let found = InputFinder().find([AuditInput(path: folder.path)])
    // The superuser may read it anyway.
    if found.files.count == 1 {
      #expect(found.errors == [InputError(.permissionDenied, path: folder.path + "/locked")])
    } else {
      #expect(found.files.count == 2 && found.errors.isEmpty)
    }
  }

  @Test func `a path that contains NUL is a missing file`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("a.pcap", emptyCapture)
    let path = file + "\u{0}b.pcap"
    let found = InputFinder().find([AuditInput(path: path)])
    #expect(found.files.isEmpty)
    #expect(found.errors == [InputError(.noSuchFile, path: path)])
  }
}
