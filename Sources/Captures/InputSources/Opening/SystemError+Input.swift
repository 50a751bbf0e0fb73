import SystemCalls

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension SystemError {
  /// The errors for "is a directory" and "is not a file", if no system call reported them.
  static let isDirectory = SystemError(code: EISDIR)
  static let notRegular = SystemError(code: ENODEV)

  func inputError(path: String) -> InputError {
    switch code {
    case ENOENT, ENOTDIR: InputError(.noSuchFile, path: path)
    case EACCES, EPERM: InputError(.permissionDenied, path: path)
    case EISDIR: InputError(.isDirectory, path: path)
    case ENODEV, ENXIO: InputError(.specialFile, path: path)
    default: InputError(.system(code: code), path: path)
    }
  }
}
