import ByteParsing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Standard output and signals.
enum StandardStreams {
  /// A reader that has gone away shows as an error of write(2), not as a signal.
  static func ignoreBrokenPipes() {
    signal(SIGPIPE, SIG_IGN)
  }

  /// Writes all bytes. Returns 0, or the number of the error where that is not possible.
  static func write(_ bytes: borrowing Bytes, to descriptor: Int32) -> Int32 {
    let count = bytes.count
    var start = 0
    while start < count {
      let written = unsafe bytes.withUnsafeBytes { buffer in
        unsafe systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: buffer[start...]))
      }
      if written < 0, errno == EINTR { continue }
      if written < 0 { return errno }
      if written == 0 { return EIO }
      start += written
    }
    return 0
  }

  private static func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
      unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    #else
      unsafe Darwin.write(descriptor, bytes.baseAddress, bytes.count)
    #endif
  }
}

/// Standard error, a line at a time.
enum StandardError {
  static func write(_ line: String) {
    _ = StandardStreams.write(Bytes((line + "\n").utf8), to: STDERR_FILENO)
  }
}
