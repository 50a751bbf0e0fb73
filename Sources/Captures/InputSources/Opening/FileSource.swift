package import ByteParsing
package import CaptureFormats
import SystemCalls

/// The bytes of an open file or pipe.
package final class FileSource: SeekableSource {
  private let descriptor: FileDescriptor
  private let interruption: Interruption?
  private let isStandardInput: Bool
  private let isRegular: Bool

  /// The number of reads allowed after an interruption of standard input: a recording program flushes its last packets on the same signal.
  private var remainingReads = 1024

  /// The number of those reads that may wait.
  private var remainingWaits = 10

  init(_ descriptor: FileDescriptor, _ interruption: Interruption? = nil, isStandardInput: Bool = false) {
    self.descriptor = descriptor
    self.interruption = interruption
    self.isStandardInput = isStandardInput
    isRegular = (try? descriptor.type()) == .regular
  }

  /// Reads the available bytes, up to the end of `buffer`; none after an interruption.
  package func read(into buffer: inout Bytes, from start: Int) throws(CaptureError) -> Int {
    if let interruption, !mayRead(interruption) {
      if !isStandardInput { interruption.mayHaveLeftBytes = true }
      return 0
    }
    do throws(SystemError) {
      return try descriptor.read(into: &buffer, from: start)
    } catch {
      // The reader knows the offset.
      throw CaptureError(.readFailed(code: error.code), at: 0)
    }
  }

  /// The size of a regular file; nil for standard input, whose offset is unknown.
  package var byteCount: Int? { isRegular && !isStandardInput ? Int(clamping: descriptor.size) : nil }

  /// Reads at an offset of a regular file; nothing after an interruption.
  package func read(into buffer: inout Bytes, from start: Int, at offset: Int) throws(CaptureError) -> Int {
    if let interruption, interruption.isPending {
      interruption.mayHaveLeftBytes = true
      return 0
    }
    do throws(SystemError) {
      return try descriptor.read(into: &buffer, from: start, at: offset)
    } catch {
      throw CaptureError(.readFailed(code: error.code), at: 0)
    }
  }

  /// Waits for bytes or the end of a pipe; returns false if an interruption ends reading.
  private func mayRead(_ interruption: Interruption) -> Bool {
    while !interruption.isPending {
      if isRegular || descriptor.hasBytes(withinMilliseconds: 200) { return true }
    }
    guard isStandardInput, !isRegular, remainingReads > 0 else { return false }
    remainingReads -= 1
    if descriptor.hasBytes(withinMilliseconds: 0) { return true }
    guard remainingWaits > 0 else { return false }
    remainingWaits -= 1
    return descriptor.hasBytes(withinMilliseconds: 500)
  }
}
