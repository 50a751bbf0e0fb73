import HandshakeDecryption
import InputSources
import SessionRecords
import Values

extension InputReading {
  /// Adds a warning about separately given files that may be parts of one capture.
  mutating func noteFollowers(_ groups: [InputGroup]) {
    guard options.series != .never, groups.count + streamed.count > 1 else { return }
    var summaries: [String: InputSummary] = [:]
    for summary in inputs { summaries[summary.file] = summary }
    let named = options.series == nil ? groups.filter { !$0.isSeries }.flatMap(\.files) : []
    let followers = SeriesFinder.followers(named + streamed) { file in
      guard let summary = summaries[file.displayName], summary.kind == .capture else { return nil }
      if summary.packets == 0, summary.error == nil { return .empty }
      guard let first = summary.firstTime, let last = summary.lastTime else { return nil }
      return CaptureExtent(
        interfaces: summary.interfaces.map {
          "\(summary.format ?? "") \($0.linkType) \($0.snapshotLength ?? 0) \($0.name ?? "")"
        }, first: first, last: last)
    }
    for parts in followers {
      guard let first = parts.first, let last = parts.last else { continue }
      let advice = first.membership == nil ? "--series auto reads them as one" : "they are read as one if the archive is given as a file"
      warnings.append(
        "\(DisplayText.escaped(first.displayName)) to \(DisplayText.escaped(last.displayName)): these \(parts.count) files look like the parts of one rotated capture; \(advice)"
      )
    }
  }

  /// Adds warnings about key logs that contain no secrets of the captures, and about saved sessions, which key logs cannot decrypt.
  mutating func noteKeyLogOfOthers() {
    let count = keyLogs.secrets.sessionCount
    if count > 0, let saved = inputs.first(where: { $0.kind == .sessions && $0.sessions > 0 }),
      !inputs.contains(where: { $0.kind == .capture })
    {
      warnings.append(
        "\(DisplayText.escaped(saved.file)): --keylog has no effect on saved sessions, which have no packets; give the capture instead")
    }
    guard count > 0, !fitsKeyLog, !keyLogs.secrets.isTruncated,
      inputs.contains(where: { $0.kind == .capture && $0.sessions > 0 })
    else { return }
    let names = options.keyLogs.map(DisplayText.escaped).joined(separator: ", ")
    warnings.append(
      "\(names): has the secrets of \(count.counted("session{s}")), none of which is in the captures: "
        + "record the key log and the capture at the same time")
  }

  mutating func noteSkipped(_ skipped: SkippedCounts) {
    guard skipped.total > 0 else { return }
    var summary = InputSummary(file: "(below directories)", kind: .directory, format: nil)
    for group in SkippedFile.Group.allCases {
      guard let (number, first) = skipped.groups[group] else { continue }
      let count = InputReading.count(of: group, UInt64(number))
      summary.health.append(count)
      warnings.append("skipped \(count.count) \(count.text), such as \(DisplayText.escaped(first))")
    }
    inputs.append(summary)
    if skipped.archives > 0 {
      let nested = skipped.archives.counted("of them {is an archive|are archives}")
      warnings.append("\(nested) inside an archive; unpack it to read it")
    }
  }

  static func count(of group: SkippedFile.Group, _ count: UInt64) -> NamedCount {
    switch group {
    case .other: NamedCount("skippedFiles", "file{s} that {is|are} not {a capture|captures}", count: count)
    case .link: NamedCount("skippedLinks", "link{s} that {is|are} not followed", count: count)
    case .special: NamedCount("skippedSpecialFiles", "special file{s} that {is|are} not opened", count: count)
    case .tooDeep:
      NamedCount("skippedDirectories", "{directory|directories} more than \(InputFinder.maximumDepth) levels deep", count: count)
    }
  }
}
