#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The arguments, the terminal and the environment; see also StandardStreams.swift.
enum Terminal {
  /// The columns of the terminal on standard output; 80 without one.
  static func width(isFile: Bool) -> Int { isFile ? 80 : width(of: STDOUT_FILENO) }

  /// The columns of the terminal on standard error; 80 without one.
  static var errorWidth: Int { width(of: STDERR_FILENO) }

  /// Whether standard output and standard error both go to a terminal.
  static var hasBothStreams: Bool { isatty(STDOUT_FILENO) != 0 && isatty(STDERR_FILENO) != 0 }

  private static func width(of descriptor: Int32) -> Int {
    if isatty(descriptor) == 0 { return 80 }
    if let columns = columns(of: descriptor), columns >= 40 { return columns }
    return variable("COLUMNS").flatMap { Int($0) }.map { min(max($0, 40), 1000) } ?? 80
  }

  /// Whether `--color auto` enables color, according to `NO_COLOR`, `CLICOLOR_FORCE` and the terminal.
  static var wantsColor: Bool {
    if let value = variable("NO_COLOR"), !value.isEmpty { return false }
    if let value = variable("CLICOLOR_FORCE"), !value.isEmpty, value != "0" { return true }
    return isatty(STDOUT_FILENO) != 0 && variable("TERM") != "dumb"
  }
}
