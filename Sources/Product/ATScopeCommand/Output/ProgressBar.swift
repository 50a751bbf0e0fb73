import ATScope
import ByteParsing
import SystemCalls

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Displays the progress of reading on standard error. The display depends on the clock; no result does.
struct ProgressBar: Sendable {
  private let start = ContinuousClock.now
  private let isTerminal = isatty(STDERR_FILENO) != 0

  /// Creates a progress bar; nil if it would not be visible.
  init?(_ wish: ProgressArgument) {
    switch wish {
    case .never: return nil
    case .auto: if !isTerminal { return nil }
    case .always: break
    }
  }

  func show(_ progress: ReadingProgress) {
    // On a terminal, each update replaces the previous one.
    var line = isTerminal ? "\r\u{1B}[K" : ""
    if !progress.isOver || !isTerminal {
      line += ProgressBar.text(progress, seconds: seconds)
      if !isTerminal { line += "\n" }
    }
    _ = SystemCalls.write(Bytes(line.utf8), to: STDERR_FILENO)
  }

  private var seconds: Double {
    let (seconds, attoseconds) = (ContinuousClock.now - start).components
    return Double(seconds) + Double(attoseconds) / 1e18
  }

  /// Returns a line such as `120 MB of 2.0 GB, 410 MB/s, 5 s left`.
  static func text(_ progress: ReadingProgress, seconds: Double) -> String {
    var text = size(Double(progress.bytesRead))
    if let all = progress.totalBytes { text += " of " + size(Double(all)) }
    let rate = Double(progress.bytesRead) / max(seconds, 0.001)
    text += ", " + size(rate) + "/s"
    if let all = progress.totalBytes, all > progress.bytesRead, rate > 0 {
      text += ", " + time(Double(all - progress.bytesRead) / rate) + " left"
    }
    return text
  }

  private static func size(_ bytes: Double) -> String {
    for (unit, factor) in [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)] where bytes >= factor {
      let tenths = Int(min(bytes / factor * 10, 1e15))
      return tenths < 100 ? "\(tenths / 10).\(tenths % 10) \(unit)" : "\(tenths / 10) \(unit)"
    }
    return "\(Int(bytes)) bytes"
  }

  private static func time(_ seconds: Double) -> String {
    let whole = Int(min(seconds, 1e9)) + 1
    if whole < 60 { return "\(whole) s" }
    return whole < 3600 ? "\(whole / 60) min \(whole % 60) s" : "\(whole / 3600) h \(whole / 60 % 60) min"
  }
}
