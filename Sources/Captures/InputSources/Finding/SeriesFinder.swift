/// What is taken for one capture that was written in parts.
public enum SeriesMode: String, Hashable, Sendable, CaseIterable {
  /// Captures of one folder whose names count on by one, or whose time stamps do, of the same interfaces, each of which begins within a
  /// minute after the one before it.
  case auto

  /// Captures of one folder whose names differ only in digits.
  case always

  /// Nothing: every file is a capture by itself.
  case never
}

/// Finds the captures that were written in parts (tcpdump's `-C` and `-G`, dumpcap's `-b`).
public struct SeriesFinder {
  /// Nil for `auto` of what is found below directories and in archives, `never` of what is named.
  let mode: SeriesMode?

  /// Gathers the files into groups; a series stands where the first of its files stood.
  func group(_ files: [InputFile], into found: inout FoundInputs) {
    var seriesOf: [Int: [Int]] = [:]
    var isTaken = Set<Int>()
    if mode != .never, files.count > 1 {
      let candidates = SeriesFinder.candidates(files) { mode != nil || !$0.isNamed }
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

  /// Files that were named one by one and would be series under `auto`, by what was found of each when it was read.
  public static func followers(
    _ files: [InputFile], extent: (InputFile) -> CaptureExtent?
  ) -> [[InputFile]] {
    let finder = SeriesFinder(mode: .auto)
    return candidates(files, where: \.isNamed).flatMap { candidates in
      var extents: [Int: CaptureExtent] = [:]
      for index in candidates { extents[index] = extent(files[index]) }
      return finder.series(candidates, extents, of: files)
    }.map { $0.map { files[$0] } }
  }

  /// Files that could be parts of one capture by their names, each set in the order of the files.
  private static func candidates(_ files: [InputFile], where isConsidered: (InputFile) -> Bool) -> [[Int]] {
    var byName: [SeriesName: [Int]] = [:]
    for (index, file) in files.enumerated() {
      // What can be opened once only cannot be looked at first.
      if file.isRepeatable, isConsidered(file) { byName[SeriesName(file), default: []].append(index) }
    }
    // The first part may have no digits, if it is plain which series it would begin.
    var series: [SeriesName: [SeriesName]] = [:]
    for name in byName.keys where name.hasDigits { series[name.withoutDigits, default: []].append(name) }
    for (bare, patterns) in series {
      guard patterns.count == 1, let pattern = patterns.first, let first = byName[bare] else { continue }
      byName[pattern]?.append(contentsOf: first)
      byName[bare] = nil
    }
    return byName.filter { $0.key.hasDigits && $0.value.count > 1 }.map { $0.value.sorted() }
      .filter { indices in Set(indices.map { files[$0].location }).count == indices.count }
      .sorted { ($0.first ?? 0) < ($1.first ?? 0) }
  }

  /// What each of the files covers, all of an archive in one pass.
  private func extents(_ indices: Set<Int>, of files: [InputFile]) -> [Int: CaptureExtent] {
    let opener = InputOpener()
    var placesOfArchives: [InputFile: Int] = [:]
    let ordered = indices.sorted().map { index in
      let membership = files[index].membership
      let archive = membership.map { membership in
        let place = placesOfArchives[membership.archive] ?? placesOfArchives.count
        placesOfArchives[membership.archive] = place
        return place
      }
      return (archive: archive ?? -1, place: membership?.index ?? 0, index: index)
    }.sorted { ($0.archive, $0.place, $0.index) < ($1.archive, $1.place, $1.index) }
    var extents: [Int: CaptureExtent] = [:]
    for (_, _, index) in ordered { extents[index] = CaptureExtent(files[index], opener) }
    return extents
  }

  /// The series among files that could be parts by their names, each in the order of its first packets.
  private func series(
    _ candidates: [Int], _ extents: [Int: CaptureExtent], of files: [InputFile]
  ) -> [[Int]] {
    let parts = candidates.compactMap { index in extents[index].map { (index: index, extent: $0) } }
    let sets =
      mode == .always
      ? [parts.indices.map { $0 }]
      : SeriesName.sets(of: parts.map { SeriesName(files[$0.index]) })
    return sets.flatMap { set in
      let ordered = set.map { parts[$0] }.sorted {
        $0.extent.start != $1.extent.start ? $0.extent.start < $1.extent.start : $0.index < $1.index
      }
      var numbering = SeriesNumbering(ordered.map { SeriesName(files[$0.index]) })
      var series: [[Int]] = []
      for (place, part) in ordered.enumerated() {
        if place > 0,
          mode == .always
            || ordered[place - 1].extent.mayPrecede(part.extent)
              && numbering.goesOn(from: place - 1, to: place)
        {
          series[series.count - 1].append(part.index)
        } else {
          series.append([part.index])
        }
      }
      return series.filter { $0.count > 1 }
    }
  }

  /// Whether parts can be read in their order; says so where they cannot.
  private func isReadable(_ parts: [Int], of files: [InputFile], _ found: inout FoundInputs) -> Bool {
    guard InputFinder.passes(parts.map { files[$0] }) > InputFinder.mostPasses else { return true }
    found.warnings.append(InputError(.seriesOutOfOrder, path: files[parts[0]].displayName))
    return false
  }
}
