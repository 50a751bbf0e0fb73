#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What the terminal is like.
enum Terminal {
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
