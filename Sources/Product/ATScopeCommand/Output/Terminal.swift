import ByteParsing
import Values

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The arguments, the terminal and the environment.
enum Terminal {
  /// The arguments after the program's name. They need not be UTF-8: `InputText` keeps other bytes.
  static var arguments: [String] {
    (1..<max(1, Int(CommandLine.argc))).compactMap { index in
      guard let argument = unsafe CommandLine.unsafeArgv[index] else { return nil }
      return InputText.string(
        decoding: unsafe Bytes(UnsafeRawBufferPointer(start: argument, count: strlen(argument))))
    }
  }

  private static func variable(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }

  /// The columns of the terminal on standard output; 80 without one.
  static func width(isFile: Bool) -> Int { isFile ? 80 : width(of: STDOUT_FILENO) }

  /// The columns of the terminal on standard error; 80 without one.
  static var errorWidth: Int { width(of: STDERR_FILENO) }

  /// Whether standard output and standard error both go to a terminal.
  static var hasBothStreams: Bool { isatty(STDOUT_FILENO) != 0 && isatty(STDERR_FILENO) != 0 }

  private static func width(of descriptor: Int32) -> Int {
    if isatty(descriptor) == 0 { return 80 }
    var size = winsize()
    if unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col >= 40 {
      return Int(size.ws_col)
    }
    return variable("COLUMNS").flatMap { Int($0) }.map { min(max($0, 40), 1000) } ?? 80
  }

  /// Whether `--color auto` means color: by `NO_COLOR`, `CLICOLOR_FORCE` and the terminal.
  static var wantsColor: Bool {
    if let value = variable("NO_COLOR"), !value.isEmpty { return false }
    if let value = variable("CLICOLOR_FORCE"), !value.isEmpty, value != "0" { return true }
    return isatty(STDOUT_FILENO) != 0 && variable("TERM") != "dumb"
  }
}
