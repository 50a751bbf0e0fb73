import InputSources
import PacketFiltering
import SessionRecords
import Values

extension ReadingOptions {
  /// What the run's record says of options that choose what is read; those that were not given are left out.
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
  /// What the run's record says of the processes that were asked for; nothing if none were.
  var processSettings: [RunRecord.Setting] {
    processes.isEmpty ? [] : [RunRecord.Setting("process", .texts(processes))]
  }
}
