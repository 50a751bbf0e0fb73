import ArchiveReading
import ByteParsing
import CaptureFormats
import SessionReading
import SessionRecords
import Values

/// Finds the programs of an app's bundle in an archive: an `.ipa`, or a ZIP of an `.app`.
///
/// Nothing is extracted to disk. An archive with ambiguous member names, such as duplicates or paths that leave the archive, is rejected,
/// because readers would disagree about which file is the app's Info.plist.
struct BundleArchive {
  private let name: String
  private let reader: ArchiveReader

  /// The hashes of the names of files and links so far; the names themselves could exhaust the memory.
  private var seen: Set<Int> = []
  private var propertyLists: [(path: String, bytes: Bytes)] = []
  private var declaredBytes: UInt64 = 0

  /// The total uncompressed size that the members may declare independent of the size of the archive.
  private static let freeBytes: UInt64 = 256 << 20

  /// The maximum ratio of declared to compressed size. For apps it is below ten.
  private static let ratio: UInt64 = 200

  /// The maximum length of a member's name in bytes; file systems allow a quarter of it.
  private static let maximumNameLength = 4096

  /// Returns the app's own file, then those of the programs in it, sorted by path.
  static func programs(_ source: any ByteSource, named name: String) throws(AuditError) -> [ProgramFile] {
    var archive = BundleArchive(source, named: name)
    return try archive.read()
  }

  private init(_ source: any ByteSource, named name: String) {
    self.name = name
    var limits = ArchiveLimits()
    limits.ratio = Int(BundleArchive.ratio)
    limits.freeBytes = 64 << 20
    limits.members = BundleLayout.maximumEntries
    reader = ArchiveReader(source, format: .zip, limits: limits)
  }

  private func refusal(_ clause: String) -> AuditError {
    AuditError(file: name, clause)
  }

  // MARK: Reading

  private mutating func read() throws(AuditError) -> [ProgramFile] {
    while let member = try next() { try take(member) }
    guard
      declaredBytes
        <= max(BundleArchive.freeBytes, UInt64(reader.byteCount ?? 0).multipliedReportingOverflow(by: BundleArchive.ratio).partialValue)
    else { throw refusal("refused: its members would unpack to more than \(BundleArchive.ratio) times its size") }
    return try programs()
  }

  private func next() throws(AuditError) -> ArchiveMember? {
    do throws(ArchiveError) {
      return try reader.next()
    } catch {
      throw refusal(DisplayText.escaped(error.description))
    }
  }

  private mutating func take(_ member: ArchiveMember) throws(AuditError) {
    let shown = DisplayText.escaped(InputText.string(decoding: member.name.prefix(200)))
    let path = try path(of: member, shown: shown)
    declaredBytes = declaredBytes.clampedSum(member.size ?? 0)
    if member.kind == .directory { return }
    guard seen.insert(path.hashValue).inserted else { throw refusal("refused: it contains \(shown) twice") }
    guard path.hasSuffix("/Info.plist"), BundleArchive.pathInBundle(of: path) != nil else { return }
    guard member.kind == .regular else { throw refusal("refused: \(shown) is a link, which could point anywhere") }
    guard propertyLists.count < BundleLayout.maximumPrograms else {
      throw refusal("contains more than \(BundleLayout.maximumPrograms) programs with an Info.plist")
    }
    do throws(ArchiveError) {
      propertyLists.append((path, try reader.contents(limit: AppPolicy.maximumLength)))
    } catch {
      throw refusal("\(shown): \(DisplayText.escaped(error.description))")
    }
  }

  /// Returns the path of a member without a leading `./`; throws if it leaves the archive or is ambiguous.
  private func path(of member: ArchiveMember, shown: String) throws(AuditError) -> String {
    guard member.name.count <= BundleArchive.maximumNameLength, !member.name.isEmpty else {
      throw refusal("refused: a member's name has \(member.name.count) bytes")
    }
    // Some unpackers treat a backslash as a separator.
    let parts = member.name.split(omittingEmptySubsequences: false) { $0 == 0x2F || $0 == 0x5C }
    let isAbsolute = parts.first?.isEmpty == true || parts.first?.dropFirst().first == 0x3A
    if isAbsolute { throw refusal("refused: the name \(shown) is an absolute path") }
    if parts.contains(where: { $0.elementsEqual([0x2E, 0x2E]) }) { throw refusal("refused: the name \(shown) leads outside the archive") }
    let kept = parts.filter { !$0.isEmpty && !$0.elementsEqual([0x2E]) }
    return kept.map { InputText.string(decoding: $0) }.joined(separator: "/")
  }

  // MARK: The programs

  private func programs() throws(AuditError) -> [ProgramFile] {
    var files: [(app: String, pathInBundle: String, file: ProgramFile)] = []
    for (path, bytes) in propertyLists {
      guard let (app, pathInBundle) = BundleArchive.pathInBundle(of: path) else { continue }
      if let file = BundleArchive.folders(of: path).first(where: { seen.contains($0.hashValue) }) {
        throw refusal("refused: \(DisplayText.escaped(file)) is a file or link, but has members below it")
      }
      files.append(
        (app, pathInBundle, ProgramFile(name: "\(name)!\(path)", pathInBundle: pathInBundle.isEmpty ? nil : pathInBundle, bytes: bytes)))
    }
    files.sort { ($0.pathInBundle, $0.file.name) < ($1.pathInBundle, $1.file.name) }
    guard let first = files.first, first.pathInBundle.isEmpty else { throw refusal("contains no app (Payload/NAME.app/Info.plist)") }
    if let other = files.first(where: { $0.app != first.app }) {
      throw refusal("contains several apps: \(DisplayText.escaped(first.app)) and \(DisplayText.escaped(other.app))")
    }
    return files.map(\.file)
  }

  /// Returns the paths of the folders that contain a member, the outermost first.
  private static func folders(of path: String) -> [String] {
    path.indices.filter { path[$0] == "/" }.map { String(path[..<$0]) }
  }

  /// Returns the app to which an Info.plist belongs and the path of its program within the app, which is empty for the app itself; nil for
  /// files that do not belong to a program.
  private static func pathInBundle(of path: String) -> (app: String, pathInBundle: String)? {
    var parts = path.split(separator: "/").dropLast()[...]
    var app: [Substring] = []
    if parts.first == "Payload" { app.append(parts.removeFirst()) }
    guard let bundle = parts.first, BundleLayout.isBundle(bundle) else { return nil }
    app.append(parts.removeFirst())
    if parts.last == "Contents" { parts.removeLast() }
    if let program = parts.last, !BundleLayout.isBundle(program) { return nil }
    return (app.joined(separator: "/"), parts.joined(separator: "/"))
  }
}
