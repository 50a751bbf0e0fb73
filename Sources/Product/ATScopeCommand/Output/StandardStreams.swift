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

  /// Opens the null device for each of the descriptors 0 to 2 that the caller closed: the next file that is opened would take its
  /// number, and output would go into it. It is opened the wrong way round, so that what was to be read or written there fails.
  static func openMissing() {
    for (descriptor, flags) in [
      (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY),
    ]
    where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
      _ = unsafe open("/dev/null", flags)
    }
  }

  /// Runs something that no signal may interrupt; signals that come meanwhile take effect after it.
  static func withoutSignals(_ body: () -> Void) {
    var all = sigset_t()
    var before = sigset_t()
    _ = unsafe sigfillset(&all)
    _ = unsafe sigprocmask(SIG_BLOCK, &all, &before)
    body()
    _ = unsafe sigprocmask(SIG_SETMASK, &before, nil)
  }

  /// Reads at most as many bytes as there is room for behind `start`. Returns how many, 0 at the end and -1 for an error in `errno`.
  static func read(into buffer: inout Bytes, at start: Int = 0, from descriptor: Int32) -> Int {
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes { bytes in
        unsafe systemRead(descriptor, UnsafeMutableRawBufferPointer(rebasing: bytes[start...]))
      }
      if count < 0, errno == EINTR { continue }
      return count
    }
  }

  private static func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawBufferPointer) -> Int {
    #if canImport(Glibc)
      unsafe Glibc.read(descriptor, bytes.baseAddress, bytes.count)
    #else
      unsafe Darwin.read(descriptor, bytes.baseAddress, bytes.count)
    #endif
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
