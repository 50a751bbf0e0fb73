import ByteParsing

/// Which files count as one capture in parts.
public enum SeriesMode: String, Hashable, Sendable, CaseIterable {
  /// Captures in one folder with the counters or timestamps of rotation in their names, each of which begins within a minute after the end
  /// of the previous one, or at most a second before it, and has an interface in common with it.
  case auto

  /// Captures in one folder whose names differ only in digits.
  case always

  /// None: every file is a separate capture.
  case never
}

/// Finds captures that were written in parts (tcpdump's `-C` and `-G`, dumpcap's `-b`).
package struct SeriesFinder {
  /// Nil means `auto` for files found below directories and in archives, and `never` for files named.
  let mode: SeriesMode?

  /// Groups the files; a series takes the position of its first file.
  func group(_ files: [InputFile], into found: inout FoundInputs) {
    var seriesOf: [Int: [Int]] = [:]
    var isTaken = Set<Int>()
    if mode != .never, files.count > 1 {
      let candidates = candidates(files) { mode != nil || !$0.isNamed }
      let extents = extents(Set(candidates.joined()), of: files)
      for parts in candidates.flatMap({ series($0, extents, of: files) }) {
        guard let first = parts.min(), isReadable(parts, of: files, &found) else { continue }
        seriesOf[first] = parts
        isTaken.formUnion(parts)
      }
    }
    for (index, file) in files.enumerated() {
      if let parts = seriesOf[index] { found.groups.append(InputGroup(files: parts.map { files[$0] })) }
      if !isTaken.contains(index) { found.groups.append(InputGroup(files: [file])) }
    }
  }

  /// Files that were named individually and would be parts of a series under `auto`, according to their extents as read.
  package static func followers(_ files: [InputFile], extent: (InputFile) -> CaptureExtent?) -> [[InputFile]] {
    let finder = SeriesFinder(mode: .auto)
    return finder.candidates(files, where: \.isNamed).flatMap { candidates in
      var extents: [Int: CaptureExtent] = [:]
      for index in candidates { extents[index] = extent(files[index]) }
      return finder.series(candidates, extents, of: files)
    }.map { $0.map { files[$0] } }
  }

  /// Sets of files that could be parts of one capture by their names, each in the order of the files.
  private func candidates(_ files: [InputFile], where isConsidered: (InputFile) -> Bool) -> [[Int]] {
    var byName: [Bytes: [Int]] = [:]
    for (index, file) in files.enumerated() {
      // A file that can be opened only once cannot be examined in advance.
      guard file.isRepeatable, isConsidered(file) else { continue }
      let name = mode == .always ? SeriesName.withoutDigits(file) : SeriesName(file).series
      byName[name, default: []].append(index)
    }
    return byName.values.filter { $0.count > 1 && areDifferent($0, of: files) }.sorted { ($0.first ?? 0) < ($1.first ?? 0) }
  }

  /// Whether no file is given twice. Parts in memory are told apart by their names, since those without packets have the same bytes.
  private func areDifferent(_ indices: [Int], of files: [InputFile]) -> Bool {
    let (named, stored) = (indices.filter { files[$0].isInMemory }, indices.filter { !files[$0].isInMemory })
    let locations = Set(stored.map { files[$0].canonicalLocation })
    return Set(named.map { files[$0].displayName }).count == named.count && locations.count == stored.count
  }

  /// The extents of the files; all those in one archive are read in one pass.
  private func extents(_ indices: Set<Int>, of files: [InputFile]) -> [Int: CaptureExtent] {
    let opener = InputOpener()
    var archiveIndices: [InputFile: Int] = [:]
    let ordered = indices.sorted().map { index in
      let membership = files[index].membership
      let archive = membership.map { membership in
        let position = archiveIndices[membership.archive] ?? archiveIndices.count
        archiveIndices[membership.archive] = position
        return position
      }
      return (archive: archive ?? -1, position: membership?.index ?? 0, index: index)
    }.sorted { ($0.archive, $0.position, $0.index) < ($1.archive, $1.position, $1.index) }
    var extents: [Int: CaptureExtent] = [:]
    for (_, _, index) in ordered { extents[index] = CaptureExtent(files[index], opener) }
    return extents
  }

  /// The series among files that could be parts by their names, each in the order of their first packets.
  private func series(_ candidates: [Int], _ extents: [Int: CaptureExtent], of files: [InputFile]) -> [[Int]] {
    typealias Part = (index: Int, extent: CaptureExtent, name: SeriesName)
    let known: [Part] = candidates.compactMap { index in
      extents[index].map { Part(index: index, extent: $0, name: SeriesName(files[index])) }
    }
    let empty = Set(known.compactMap { $0.extent.isEmpty ? $0.name.counter : nil })
    let parts = known.filter { !$0.extent.isEmpty }.sorted {
      $0.extent.start != $1.extent.start ? $0.extent.start < $1.extent.start : $0.index < $1.index
    }
    let counters = Set(parts.compactMap(\.name.counter))
    let last = counters.count - 1
    let ringEnd = counters.contains(0) && counters.max() == last ? last : nil
    var series: [[Int]] = []
    for (position, part) in parts.enumerated() {
      let previous = position > 0 ? parts[position - 1] : nil
      let goesOn = previous.map { previous in
        mode == .always
          || previous.extent.mayPrecede(part.extent)
            && previous.name.precedes(part.name, previous.extent.start, part.extent.start, ringEnd: ringEnd, passing: empty)
      }
      if goesOn == true {
        series[series.count - 1].append(position)
      } else {
        series.append([position])
      }
    }
    return series.filter { set in
      guard set.count > 1, let first = set.first else { return false }
      return mode == .always || !parts[first].name.needsFirstPart
    }.map { $0.map { parts[$0].index } }
  }

  /// Whether parts can be read in order; adds a warning if they cannot.
  private func isReadable(_ parts: [Int], of files: [InputFile], _ found: inout FoundInputs) -> Bool {
    guard InputFinder.passes(parts.map { files[$0] }) > InputFinder.maximumPasses else { return true }
    found.warnings.append(InputError(.seriesOutOfOrder, path: files[parts[0]].displayName))
    return false
  }
}
