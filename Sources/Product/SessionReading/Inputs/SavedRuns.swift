import HandshakeDecryption
import InputSources
import SessionModel
import SessionRecords
import Values

/// The runs in a file of saved sessions. Their order has no effect, as the lines may be sorted.
struct SavedRuns {
  var begun = 0
  private var ended = 0

  /// The number of sessions in the summaries; nil if one of them does not give it.
  private var sessions: UInt64? = 0

  /// The first faults of the runs' inputs.
  private var faults: [InputSummary.Fault] = []
  private var faultCount = 0
  private var areTruncated = true

  private var health: [NamedCount] = []
  private var limits: [NamedCount] = []

  /// The maximum number of faults that a clause names: a run may have one for each of its inputs.
  private static let maximumFaultCount = 256

  mutating func end(_ run: SavedSummary) {
    ended += 1
    sessions = sessions.flatMap { sum in run.sessions.map { sum.clampedSum($0) } }
    faults += run.faults.prefix(SavedRuns.maximumFaultCount - faults.count)
    faultCount += run.faults.count
    if !run.faults.allSatisfy(\.isTruncated) { areTruncated = false }
    var counts = SavedRuns.counts(run.health, SavedRuns.knownHealth)
    for index in counts.indices where counts[index].name == CaptureAccount.quicOtherVersions { counts[index].details = run.quicVersions }
    health = NamedCount.sums(of: health + counts)
    limits = NamedCount.sums(of: limits + SavedRuns.counts(run.limits, SavedRuns.knownLimits))
  }

  /// Adds what the runs did not read, and the fault of a file in which sessions are missing.
  func complete(_ summary: inout InputSummary, lastLine: Int) {
    summary.health = health
    summary.limits = limits
    var all = summary.error.map { [$0] } ?? fault(sessions: summary.sessions, lastLine: lastLine).map { [$0] } ?? []
    if faultCount > 0 {
      let others = faultCount > faults.count ? "; and \(faultCount - faults.count) more" : ""
      all.append(
        InputSummary.Fault(
          "the saved run did not read everything: \(faults.map(\.text).joined(separator: "; "))\(others)", at: UInt64(exactly: lastLine),
          isTruncated: areTruncated))
    }
    guard var error = all.first else { return }
    error.text = all.map(\.text).joined(separator: "; ")
    error.isTruncated = all.allSatisfy(\.isTruncated)
    error.isOfSavedRun = all.count == 1 && faultCount > 0
    // What a truncated file or the saved run lacks is not damage to the file.
    error.isIncomplete = faultCount > 0 && !error.isTruncated && all.dropLast().allSatisfy(\.isTruncated)
    summary.error = error
  }

  /// Returns the fault if sessions are missing. Lines without a run are a selection of the user.
  private func fault(sessions read: UInt64, lastLine: Int) -> InputSummary.Fault? {
    guard begun > 0 else { return nil }
    let line = UInt64(exactly: lastLine)
    if ended < begun {
      return InputSummary.Fault(
        "line \(lastLine): the file ends without the summary of its run, so sessions may be missing", at: line, isTruncated: true)
    }
    guard let sessions, read < sessions else { return nil }
    return InputSummary.Fault(
      "line \(lastLine): the file contains \(read) of the \(sessions.counted("session{s}")) in its summary", at: line, isTruncated: true)
  }

  // MARK: Counts

  private static var blank: CaptureAccount { CaptureAccount(metadata: [], health: ObservationHealth(), packets: 0, choice: nil) }
  private static let knownHealth =
    blank.counts + KeyLogs.health(of: KeyLogCounts()) + SkippedFile.Group.allCases.map { InputReading.count(of: $0, 0) }
  private static let knownLimits = blank.limits + [KeyLogs.limit(0)]

  /// Returns saved counts with their words, which records do not contain. Those of other versions are added up.
  private static func counts(_ saved: [String: UInt64], _ known: [NamedCount]) -> [NamedCount] {
    var rest = saved
    var counts = known
    for index in counts.indices { counts[index].count = rest.removeValue(forKey: counts[index].name) ?? 0 }
    for (name, count) in rest.sorted(by: { $0.key < $1.key }) {
      if name.hasPrefix("unknownLinkType."), let type = UInt16(name.dropFirst(16)) {
        counts.append(CaptureAccount.count(ofLinkType: type, count))
      } else {
        counts.append(NamedCount("otherCounts", "item{s} that only another version describes", count: count, meaning: .notRead))
      }
    }
    return counts
  }
}
