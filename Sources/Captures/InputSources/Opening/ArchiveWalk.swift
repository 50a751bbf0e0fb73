package import ArchiveReading
package import CaptureFormats

/// Opens the captures in an archive, in stored order.
package final class ArchiveWalk {
  /// The next member of the archive.
  package enum Step {
    /// A capture, its name in reports, and its member; the source is valid until the next step.
    case capture(OpenedInput, displayName: String, member: ArchiveMember)

    /// Another file, which is skipped.
    case skipped(SkippedFile)

    /// A member that cannot be read. If the error is about the archive itself, this is the last step.
    case failed(InputError)
  }

  private let archive: ArchiveReader
  private let name: String
  private let watch: (any ByteSource) -> any ByteSource
  private var hasEnded = false

  /// Creates a walk through an input that is an archive. `watch` receives the stored bytes of each member as they are read.
  package init(_ opened: OpenedInput, displayName: String, watch: @escaping (any ByteSource) -> any ByteSource = { $0 }) {
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
