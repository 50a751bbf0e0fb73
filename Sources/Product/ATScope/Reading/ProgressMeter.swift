/// Adds up what is read of all inputs, and reports it often enough to be watched.
final class ProgressMeter {
  private let report: @Sendable (ReadingProgress) -> Void
  private let step: UInt64
  private var progress: ReadingProgress
  private var unreported: UInt64 = 0

  /// Bytes between two reports at least: a few milliseconds of work.
  private static let shortestStep: UInt64 = 4 << 20

  init(bytesInAll: UInt64?, report: @escaping @Sendable (ReadingProgress) -> Void) {
    self.report = report
    step = max(ProgressMeter.shortestStep, (bytesInAll ?? 0) / 256)
    progress = ReadingProgress(bytesRead: 0, bytesInAll: bytesInAll)
  }

  func add(_ count: UInt64) {
    progress.bytesRead += count
    unreported += count
    guard unreported >= step else { return }
    unreported = 0
    report(progress)
  }

  /// Ends the progress: no further bytes follow.
  func end() {
    progress.isOver = true
    report(progress)
  }
}
