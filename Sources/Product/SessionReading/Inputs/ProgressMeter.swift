/// Counts the bytes read from all inputs, and reports them in steps.
final class ProgressMeter {
  private let report: @Sendable (ReadingProgress) -> Void
  private let step: UInt64
  private var progress: ReadingProgress
  private var unreported: UInt64 = 0

  /// The minimum number of bytes between two reports: a few milliseconds of work.
  private static let shortestStep: UInt64 = 4 << 20

  init(totalBytes: UInt64?, report: @escaping @Sendable (ReadingProgress) -> Void) {
    self.report = report
    step = max(ProgressMeter.shortestStep, (totalBytes ?? 0) / 256)
    progress = ReadingProgress(bytesRead: 0, totalBytes: totalBytes)
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
