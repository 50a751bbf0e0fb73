import ByteParsing

/// Turns the arguments of a command into files to read: directories are searched, everything else is taken as named.
public struct InputFinder: Sendable {
  /// Levels of folders below an argument that are looked into; real trees have a dozen.
  public static let deepest = 64

  /// Skipped files that are listed one by one.
  public static let listedSkips = 1000

  /// Entries that are looked at below an argument.
  let mostEntries: Int

  /// Creates a finder; beyond `mostEntries` files and folders below one argument that argument is an error.
  public init(mostEntries: Int = 1_000_000) {
    self.mostEntries = mostEntries
  }

  /// Finds the files; nothing but what lies below a directory is opened yet.
  public func find(_ arguments: [String]) -> FoundInputs {
    var found = FoundInputs()
    for argument in arguments {
      let file = InputFile(argument: argument)
      guard case .named(let path) = file.location else {
        found.files.append(file)
        continue
      }
      do throws(SystemError) {
        if try path.type(followingLinks: true) == .directory {
          search(path, argument: argument, into: &found)
        } else {
          found.files.append(file)
        }
      } catch {
        found.errors.append(error.inputError(path: argument))
      }
    }
    return found
  }

  /// Something below a directory.
  private struct Entry {
    /// Its path from the directory on.
    var relativePath: Bytes

    var type: FileType
  }

  private func search(_ root: FilePath, argument: String, into found: inout FoundInputs) {
    // "folder/" and "folder" name their files alike.
    var prefix = root.bytes
    while prefix.last == UInt8(ascii: "/") { prefix.removeLast() }
    prefix.append(UInt8(ascii: "/"))
    var errors: [(path: Bytes, error: SystemError)] = []
    guard var entries = entries(below: root, prefix: prefix, errors: &errors) else {
      found.errors.append(InputError(.tooManyEntries(limit: mostEntries), path: argument))
      return
    }
    entries.sort { $0.relativePath.lexicographicallyPrecedes($1.relativePath) }
    errors.sort { $0.path.lexicographicallyPrecedes($1.path) }
    let filesBefore = found.files.count
    let errorsBefore = found.errors.count
    for (path, error) in errors {
      let name = path.isEmpty ? argument : String(decoding: prefix + path, as: UTF8.self)
      found.errors.append(error.inputError(path: name))
    }
    for entry in entries {
      consider(entry, prefix: prefix, found: &found)
    }
    if found.files.count == filesBefore, found.errors.count == errorsBefore {
      found.errors.append(InputError(.noCaptures, path: argument))
    }
  }

  /// Takes a capture over and counts anything else.
  private func consider(_ entry: Entry, prefix: Bytes, found: inout FoundInputs) {
    let path = prefix + entry.relativePath
    let name = String(decoding: path, as: UTF8.self)
    let reason: SkippedFile.Reason
    switch entry.type {
    case .regular:
      let file = InputFile(displayName: name, found: FilePath(path))
      do throws(InputError) {
        let kind = try file.openAnyKind().kind
        if case .capture = kind {
          found.files.append(file)
          return
        }
        reason = .kind(kind)
      } catch {
        found.errors.append(error)
        return
      }
    case .symbolicLink: reason = .symbolicLink
    case .directory: reason = .tooDeep
    default: reason = .specialFile
    }
    found.skippedCount += 1
    if found.skipped.count < InputFinder.listedSkips {
      found.skipped.append(SkippedFile(displayName: name, reason: reason))
    }
  }

  /// Everything below a directory but the folders that were looked into; nil if there are too many.
  private func entries(
    below root: FilePath, prefix: Bytes, errors: inout [(path: Bytes, error: SystemError)]
  ) -> [Entry]? {
    var entries: [Entry] = []
    var room = mostEntries
    // Folders still to be looked into, and how deep they are.
    var folders: [(path: Bytes, depth: Int)] = [([], 0)]
    while let (folder, depth) = folders.popLast() {
      do throws(SystemError) {
        let path = depth == 0 ? root : FilePath(prefix + folder)
        guard
          let names = try DirectoryListing.names(in: path, followingLink: depth == 0, limit: room)
        else { return nil }
        room -= names.count
        for name in names {
          let relativePath = depth == 0 ? name : folder + [UInt8(ascii: "/")] + name
          do throws(SystemError) {
            let type = try FilePath(prefix + relativePath).type(followingLinks: false)
            if type == .directory, depth < InputFinder.deepest {
              folders.append((relativePath, depth + 1))
            } else {
              entries.append(Entry(relativePath: relativePath, type: type))
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
