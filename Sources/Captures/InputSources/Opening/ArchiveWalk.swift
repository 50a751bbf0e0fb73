package import ArchiveReading
package import CaptureFormats

/// Goes through an archive and opens the captures in it, in the order in which they are stored.
package final class ArchiveWalk {
  /// The member that was found.
  package enum Step {
    /// A capture, its name in reports, and its index in the archive; its source is valid until the next step.
    case capture(OpenedInput, displayName: String, member: ArchiveMember)

    /// Something else, which is left alone.
    case skipped(SkippedFile)

    /// Something that cannot be read; if it is the archive itself, this is the last step.
    case failed(InputError)
  }

  private let archive: ArchiveReader
  private let name: String
  private let watch: (any ByteSource) -> any ByteSource
  private var hasEnded = false

  /// Takes an input over that turned out to be an archive; `watch` gets what is read of each member as it is stored.
  package init(
    _ opened: OpenedInput, displayName: String, watch: @escaping (any ByteSource) -> any ByteSource = { $0 }
  ) {
    archive = ArchiveReader(opened)
    name = displayName
    self.watch = watch
  }

  /// The next member that is not a folder; nil at the end.
  package func next() -> Step? {
    while !hasEnded {
      do throws(ArchiveError) {
        guard let member = try archive.nextReadable() else {
          hasEnded = true
          return nil
        }
        if member.kind != .directory { return step(member) }
      } catch {
        hasEnded = true
        return .failed(InputError(.archive(error), path: name))
      }
    }
    return nil
  }

  private func step(_ member: ArchiveMember) -> Step {
    let name = self.name + "!" + member.displayName
    switch member.kind {
    case .link: return .skipped(SkippedFile(displayName: name, reason: .symbolicLink))
    case .special: return .skipped(SkippedFile(displayName: name, reason: .specialFile))
    default: break
    }
    do throws(InputError) {
      let opened = try OpenedInput(unpacking: watch(archive.member), named: name)
      if case .capture = opened.kind { return .capture(opened, displayName: name, member: member) }
      return .skipped(SkippedFile(displayName: name, reason: .kind(opened.kind)))
    } catch {
      return .failed(error)
    }
  }
}
