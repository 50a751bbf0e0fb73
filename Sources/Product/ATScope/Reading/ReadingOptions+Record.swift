import SessionRecords

extension ReadingOptions {
  /// The options of the run's record that choose what is read; those that were not given are omitted.
  var settings: [RunRecord.Setting] {
    var settings: [RunRecord.Setting] = []
    if let series { settings.append(RunRecord.Setting("series", .text(series.rawValue))) }
    if let filter { settings.append(RunRecord.Setting("filter", .text(filter.text))) }
    if let from { settings.append(RunRecord.Setting("from", .text(from.description))) }
    if let to { settings.append(RunRecord.Setting("to", .text(to.description))) }
    if isIsolated { settings.append(RunRecord.Setting("isolated", .boolean(true))) }
    if let unit { settings.append(RunRecord.Setting("unit", .text(unit))) }
    return settings
  }
}

extension AuditOptions {
  /// The chosen processes in the run's record; nothing if none were chosen.
  var processSettings: [RunRecord.Setting] {
    processes.isEmpty ? [] : [RunRecord.Setting("process", .texts(processes))]
  }
}
