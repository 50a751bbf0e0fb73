import ArchiveReading
import ByteParsing
import SystemCalls
import Values

/// Finds the files to read for a command's arguments: directories and archives are searched, everything else is used as named.
package struct InputFinder: Sendable {
  /// The maximum depth of folders below an argument; real trees have a dozen levels.
  package static let maximumDepth = 64

  /// The maximum number of skipped files listed individually.
  package static let maximumListedSkipCount = 1000

  /// The maximum number of passes over an archive to read its members in another than the stored order.
  ///
  /// A tar must be read from its start each time. Beyond the limit, the stored order is used.
  package static let maximumPasses = 8

  let maximumEntries: Int

  /// Which files count as one capture in parts; nil means `auto` for files found, and `never` for files named.
  let series: SeriesMode?

  /// Creates a finder. An argument with more than `maximumEntries` files and folders below it is an error.
  package init(series: SeriesMode? = nil, maximumEntries: Int = 1_000_000) {
    self.series = series
    self.maximumEntries = maximumEntries
  }

  /// Finds the files. Only files below a directory, archives, and candidates for a series are opened.
  package func find(_ inputs: [AuditInput]) -> FoundInputs {
    var found = FoundInputs()
    var files: [InputFile] = []
    for input in inputs {
      let name = input.displayName
      var file: InputFile
      switch input.source {
      case .path(let argument): file = InputFile(argument: argument, displayName: name)
      case .bytes(let bytes):
        add(InputFile(displayName: name, at: .memory(bytes), size: UInt64(bytes.count)), &files, &found)
        continue
      }
      guard case .named(let path) = file.location else {
        files.append(file)
        continue
      }
      do throws(SystemError) {
        let (type, size) = try path.typeAndSize(followingLinks: true)
        switch type {
        case .directory: search(path, argument: name, &files, &found)
        case .regular:
          file.size = size
          file.isRepeatable = true
          add(file, &files, &found)
        default: files.append(file)
        }
      } catch {
        found.errors.append(error.inputError(path: name))
      }
    }
    distinguish(&files, &found)
    SeriesFinder(mode: series).group(files, into: &found)
    return found
  }

  /// Gives different files of one name different names, which no file has itself, and adds warnings about files that are given twice.
  /// Inputs in memory keep their names.
  private func distinguish(_ files: inout [InputFile], _ found: inout FoundInputs) {
    var taken = Set(files.map(\.displayName))
    var known: [String: [InputFile.Location: String]] = [:]
    var numbers: [String: Int] = [:]
    for index in files.indices where !files[index].isInMemory {
      let (name, location) = (files[index].displayName, files[index].canonicalLocation)
      if let given = known[name]?[location] {
        found.warnings.append(InputError(.repeated, path: given))
        files[index].displayName = given
        continue
      }
      if known[name] != nil {
        var number = numbers[name] ?? 1
        repeat {
          number += 1
          files[index].displayName = "\(name) (\(number))"
        } while !taken.insert(files[index].displayName).inserted
        numbers[name] = number
      }
      known[name, default: [:]][location] = files[index].displayName
    }
  }

  /// Adds a named file, or the captures in it if it is an archive.
  private func add(_ file: InputFile, _ files: inout [InputFile], _ found: inout FoundInputs) {
    // A file that cannot be opened is reported when it is read.
    if let opened = try? InputOpener().openAnyKind(file), case .archive = opened.kind {
      addMembers(of: file, opened, isNamed: true, &files, &found)
    } else {
      files.append(file)
    }
  }

  /// An entry below a directory.
  private struct Entry {
    var relativePath: Bytes

    var type: FileType
    var size: UInt64
  }

  private func search(_ root: FilePath, argument: String, _ files: inout [InputFile], _ found: inout FoundInputs) {
    // "folder/" and "folder" give the same file names.
    var prefix = root.bytes
    while prefix.last == UInt8(ascii: "/") { prefix.removeLast() }
    prefix.append(UInt8(ascii: "/"))
    var shownPrefix = InputText.bytes(of: argument)
    while shownPrefix.last == UInt8(ascii: "/") { shownPrefix.removeLast() }
    shownPrefix.append(UInt8(ascii: "/"))
    var errors: [(path: Bytes, error: SystemError)] = []
    guard var entries = entries(below: root, prefix: prefix, errors: &errors) else {
      found.errors.append(InputError(.tooManyEntries(limit: maximumEntries), path: argument))
      return
    }
    entries.sort { $0.relativePath.lexicographicallyPrecedes($1.relativePath) }
    errors.sort { $0.path.lexicographicallyPrecedes($1.path) }
    let filesBefore = files.count
    let errorsBefore = found.errors.count
    for (path, error) in errors {
      let name = path.isEmpty ? argument : InputText.string(decoding: shownPrefix + path)
      found.errors.append(error.inputError(path: name))
    }
    for entry in entries { consider(entry, prefix: prefix, shownPrefix: shownPrefix, &files, &found) }
    if files.count == filesBefore, found.errors.count == errorsBefore {
      found.errors.append(InputError(.noCaptures, path: argument))
    }
  }

  /// Adds a capture or the captures of an archive, and counts anything else.
  private func consider(_ entry: Entry, prefix: Bytes, shownPrefix: Bytes, _ files: inout [InputFile], _ found: inout FoundInputs) {
    let path = prefix + entry.relativePath
    let name = InputText.string(decoding: shownPrefix + entry.relativePath)
    let reason: SkippedFile.Reason
    switch entry.type {
    case .regular:
      let file = InputFile(displayName: name, at: .found(FilePath(path)), size: entry.size)
      do throws(InputError) {
        let opened = try InputOpener().openAnyKind(file)
        switch opened.kind {
        case .capture:
          files.append(file)
          return
        case .archive:
          addMembers(of: file, opened, isNamed: false, &files, &found)
          return
        default: reason = .kind(opened.kind)
        }
      } catch {
        found.errors.append(error)
        return
      }
    case .symbolicLink: reason = .symbolicLink
    case .directory: reason = .tooDeep
    default: reason = .specialFile
    }
    found.skip(SkippedFile(displayName: name, reason: reason))
  }

  /// Adds the captures of an archive, sorted by the bytes of their names if reading that order takes few passes.
  private func addMembers(of file: InputFile, _ opened: OpenedInput, isNamed: Bool, _ files: inout [InputFile], _ found: inout FoundInputs)
  {
    let walk = ArchiveWalk(opened, displayName: file.displayName)
    var members: [(name: Bytes, file: InputFile)] = []
    let skippedBefore = found.skippedCount
    let errorsBefore = found.errors.count
    walking: while let step = walk.next() {
      switch step {
      case .capture(_, let displayName, let member):
        members.append(
          (
            member.name,
            InputFile(
              displayName: displayName, in: file, index: member.index, size: member.size, isSequential: opened.kind != .archive(.zip))
          ))
      case .skipped(let skipped): found.skip(skipped)
      case .failed(let error): found.errors.append(error)
      }
      if members.count + found.skippedCount - skippedBefore > maximumEntries {
        found.errors.append(InputError(.tooManyEntries(limit: maximumEntries), path: file.displayName))
        break walking
      }
    }
    let sorted = members.sorted {
      $0.name == $1.name ? ($0.file.membership?.index ?? 0) < ($1.file.membership?.index ?? 0) : $0.name.lexicographicallyPrecedes($1.name)
    }.map(\.file)
    found.archives.append(file)
    files += InputFinder.passes(sorted) <= InputFinder.maximumPasses ? sorted : members.map(\.file)
    if members.isEmpty, isNamed, found.errors.count == errorsBefore {
      found.errors.append(InputError(.noCapturesInArchive, path: file.displayName))
    }
  }

  /// The number of times that tars have to be read from the start for files in this order.
  static func passes(_ files: [InputFile]) -> Int {
    var passes = 0
    var current: (archive: InputFile, index: Int)?
    for file in files {
      let next = file.isSequential ? file.membership : nil
      if let next, current.map({ $0.archive != next.archive || $0.index >= next.index }) ?? true {
        passes += 1
      }
      current = next
    }
    return passes
  }

  /// All entries below a directory except the folders that were searched; nil if there are too many.
  private func entries(below root: FilePath, prefix: Bytes, errors: inout [(path: Bytes, error: SystemError)]) -> [Entry]? {
    var entries: [Entry] = []
    var room = maximumEntries
    // Folders still to be searched, with their depths.
    var folders: [(path: Bytes, depth: Int)] = [([], 0)]
    while let (folder, depth) = folders.popLast() {
      do throws(SystemError) {
        let path = depth == 0 ? root : FilePath(prefix + folder)
        guard
          let names = try path.names(followingLink: depth == 0, limit: room)
        else { return nil }
        room -= names.count
        for name in names {
          let relativePath = depth == 0 ? name : folder + [UInt8(ascii: "/")] + name
          do throws(SystemError) {
            let (type, size) = try FilePath(prefix + relativePath).typeAndSize(followingLinks: false)
            if type == .directory, depth < InputFinder.maximumDepth {
              folders.append((relativePath, depth + 1))
            } else {
              entries.append(Entry(relativePath: relativePath, type: type, size: size))
            }
          } catch {
            errors.append((relativePath, error))
          }
        }
      } catch {
        errors.append((folder, error))
      }
    }
    return entries
  }
}
