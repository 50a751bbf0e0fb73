import ByteParsing
import Values

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What the caller and the terminal are like.
enum Terminal {
  /// The arguments behind the program's name. They need not be UTF-8: `InputText` carries what is not.
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

  /// Columns to write for: those of the terminal on standard output, 80 elsewhere.
  static func width(isFile: Bool) -> Int { isFile ? 80 : width(of: STDOUT_FILENO) }

  /// The same for standard error.
  static var errorWidth: Int { width(of: STDERR_FILENO) }

  private static func width(of descriptor: Int32) -> Int {
    if isatty(descriptor) == 0 { return 80 }
    var size = winsize()
    if unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col >= 40 {
      return Int(size.ws_col)
    }
    return variable("COLUMNS").flatMap { Int($0) }.map { min(max($0, 40), 1000) } ?? 80
  }

  /// Whether colour is wanted when nothing was said: `NO_COLOR`, `CLICOLOR_FORCE`, a terminal.
  static var wantsColor: Bool {
    if let value = variable("NO_COLOR"), !value.isEmpty { return false }
    if let value = variable("CLICOLOR_FORCE"), !value.isEmpty, value != "0" { return true }
    return isatty(STDOUT_FILENO) != 0 && variable("TERM") != "dumb"
  }
}
