import ByteParsing
import SystemCalls
import Values

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// The only file that calls the C library for the process: its signals, its memory, its environment and its terminal.

/// Standard output and signals.
enum StandardStreams {
  /// Ignores SIGPIPE: a write to a pipe without a reader returns an error.
  static func ignoreBrokenPipes() {
    signal(SIGPIPE, SIG_IGN)
  }

  /// Opens the null device for each of the descriptors 0 to 2 that the caller closed. Otherwise the next opened file would get its number
  /// and receive output. Descriptor 0 is opened for writing and the others for reading, so that their use fails.
  static func openMissing() {
    for (descriptor, flags) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
    where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
      _ = unsafe open("/dev/null", flags)
    }
  }

  /// Runs a closure that no signal may interrupt; signals that arrive meanwhile take effect after it.
  static func withoutSignals(_ body: () -> Void) {
    var all = sigset_t()
    var before = sigset_t()
    _ = unsafe sigfillset(&all)
    _ = unsafe sigprocmask(SIG_BLOCK, &all, &before)
    body()
    _ = unsafe sigprocmask(SIG_SETMASK, &before, nil)
  }

  /// Makes the first SIGINT or SIGTERM a request to end the reading, and returns a closure that is true once one has arrived. The second
  /// ends the program.
  ///
  /// The handler does nothing, and the system removes it at the first signal (SA_RESETHAND): its absence is the request.
  static func watchInterruptions() -> @Sendable () -> Bool {
    // A signal that the parent ignores, as for a background job, stays ignored.
    for number in interruptions where !isIgnored(number) { install(number) { _ in } }
    return {
      guard interruptions.contains(where: isDefault) else { return false }
      for number in interruptions where !isIgnored(number) { signal(number, SIG_DFL) }
      return true
    }
  }

  private static let interruptions = [SIGINT, SIGTERM]

  /// Makes the program end with a message and status 70 if it gets no more memory, as under `ulimit -v`: Swift traps in that case.
  ///
  /// After a trap for another reason, memory is available, and the trap recurs with the system's default action.
  static func watchMemory() {
    for number in [SIGABRT, SIGILL, SIGTRAP] where isDefault(number) {
      install(number) { _ in StandardStreams.endWithoutMemory() }
    }
  }

  /// Ends the program if the system refuses further memory; it allocates nothing, because it runs in a signal handler.
  private static func endWithoutMemory() {
    let probe = unsafe mmap(nil, 256 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
    guard unsafe probe == UnsafeMutableRawPointer(bitPattern: -1) else { return }
    let message: StaticString = "atscope: out of memory: the system refuses 256 MiB more; the result is incomplete\n"
    _ = unsafe write(STDERR_FILENO, message.utf8Start, message.utf8CodeUnitCount)
    _exit(70)
  }

  private static func install(_ number: Int32, _ handler: @escaping @convention(c) (Int32) -> Void) {
    var action = sigaction()
    #if canImport(Glibc)
      unsafe action.__sigaction_handler.sa_handler = handler
    #else
      unsafe action.__sigaction_u.__sa_handler = handler
    #endif
    action.sa_flags = Int32(truncatingIfNeeded: SA_RESETHAND)
    _ = unsafe sigaction(number, &action, nil)
  }

  private static func isDefault(_ number: Int32) -> Bool { disposition(number) == 0 }

  private static func isIgnored(_ number: Int32) -> Bool { disposition(number) == 1 }

  /// Returns the disposition of a signal as a number: 0 is SIG_DFL, 1 is SIG_IGN.
  private static func disposition(_ number: Int32) -> UInt {
    var action = sigaction()
    _ = unsafe sigaction(number, nil, &action)
    #if canImport(Glibc)
      let handler = unsafe action.__sigaction_handler.sa_handler
    #else
      let handler = unsafe action.__sigaction_u.__sa_handler
    #endif
    return unsafe unsafeBitCast(handler, to: UInt.self)
  }
}

enum StandardError {
  static func write(_ line: String) {
    _ = SystemCalls.write(Bytes((line + "\n").utf8), to: STDERR_FILENO)
  }

  /// Writes a line that names the program.
  static func note(_ text: String) { write("atscope: \(text)") }

  static func warn(_ warning: String) { note("warning: \(warning)") }
}

extension Terminal {
  /// The arguments after the program's name. They may contain bytes that are not UTF-8, which `InputText` preserves.
  static var arguments: [String] {
    (1..<max(1, Int(CommandLine.argc))).compactMap { index in
      guard let argument = unsafe CommandLine.unsafeArgv[index] else { return nil }
      return InputText.string(decoding: unsafe Bytes(UnsafeRawBufferPointer(start: argument, count: strlen(argument))))
    }
  }

  static func variable(_ name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }

  /// Returns the columns of the terminal at a descriptor; nil if the system does not know them.
  static func columns(of descriptor: Int32) -> Int? {
    var size = winsize()
    return unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 ? Int(size.ws_col) : nil
  }
}
