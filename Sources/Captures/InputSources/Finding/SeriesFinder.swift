/// What is taken for one capture that was written in parts.
public enum SeriesMode: String, Hashable, Sendable, CaseIterable {
  /// Captures of one folder whose names differ only in digits, with equal link types and time spans that do not overlap.
  case auto

  /// Captures of one folder whose names differ only in digits.
  case always

  /// Nothing: every file is a capture by itself.
  case never
}

/// Finds the captures that were written in parts (tcpdump's `-C` and `-G`, dumpcap's `-b`).
struct SeriesFinder {
  let mode: SeriesMode

  /// Gathers the files into groups; a series stands where the first of its files stood.
  func group(_ files: [InputFile], into found: inout FoundInputs) {
    var seriesOf: [Int: [Int]] = [:]
    var isTaken = Set<Int>()
    if mode != .never, files.count > 1 {
      for candidates in candidates(files) {
        guard let parts = parts(candidates, of: files, &found), let first = parts.min() else { continue }
        seriesOf[first] = parts
        isTaken.formUnion(parts)
      }
    }
    for (index, file) in files.enumerated() {
      if let parts = seriesOf[index] { found.groups.append(InputGroup(files: parts.map { files[$0] })) }
      if !isTaken.contains(index) { found.groups.append(InputGroup(files: [file])) }
    }
  }

  /// Files that could be parts of one capture by their names, each set in the order of the files.
  private func candidates(_ files: [InputFile]) -> [[Int]] {
    var byName: [SeriesName: [Int]] = [:]
    var names: [SeriesName] = []
    for (index, file) in files.enumerated() {
      let name = SeriesName(file)
      names.append(name)
      // What can be opened once only cannot be looked at first.
      if file.isRepeatable { byName[name, default: []].append(index) }
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

  /// The parts of a series in the order of their first packets; nil if the candidates are none.
  private func parts(_ candidates: [Int], of files: [InputFile], _ found: inout FoundInputs) -> [Int]? {
    let opener = InputOpener()
    var parts: [(index: Int, extent: CaptureExtent)] = []
    for index in inStoredOrder(candidates, of: files) {
      if let extent = CaptureExtent(files[index], opener) { parts.append((index, extent)) }
    }
    guard parts.count > 1 else { return nil }
    parts.sort {
      $0.extent.start != $1.extent.start ? $0.extent.start < $1.extent.start : $0.index < $1.index
    }
    if mode == .auto {
      for (earlier, later) in zip(parts, parts.dropFirst()) {
        guard earlier.extent.linkTypes == later.extent.linkTypes,
          !(later.extent.first < earlier.extent.last)
        else { return nil }
      }
    }
    let ordered = parts.map(\.index)
    if InputFinder.passes(ordered.map { files[$0] }) > InputFinder.mostPasses {
      found.warnings.append(InputError(.seriesOutOfOrder, path: files[ordered[0]].displayName))
      return nil
    }
    return ordered
  }

  /// The files in the order in which their archives are read once.
  private func inStoredOrder(_ candidates: [Int], of files: [InputFile]) -> [Int] {
    candidates.sorted {
      (files[$0].membership?.index ?? 0, $0) < (files[$1].membership?.index ?? 0, $1)
    }
  }
}
