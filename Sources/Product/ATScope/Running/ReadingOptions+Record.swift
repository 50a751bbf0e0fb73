import SessionReading
import SessionRecords

extension ReadingOptions {
  /// The reading options in the record of the run; only those that were given.
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
  /// The selected processes in the record of the run; empty if none were selected.
  var processSettings: [RunRecord.Setting] {
    processes.isEmpty ? [] : [RunRecord.Setting("process", .texts(processes))]
  }
}
