import ByteParsing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The names in a directory.
enum DirectoryListing {
  /// All names but `.` and `..`, in no order; nil if there are more than `limit`.
  ///
  /// A link is followed only if `followingLink` says so: the user may name one, a directory may not hold one.
  static func names(
    in path: FilePath, followingLink: Bool, limit: Int
  ) throws(SystemError) -> [Bytes]? {
    let flags = O_RDONLY | O_CLOEXEC | O_DIRECTORY | (followingLink ? 0 : O_NOFOLLOW)
    let descriptor = unsafe path.withCString { unsafe open($0, flags) }
    guard descriptor >= 0 else { throw SystemError(code: errno) }
    guard let stream = unsafe fdopendir(descriptor) else {
      let code = errno
      _ = close(descriptor)
      throw SystemError(code: code)
    }
    // Closes the descriptor too.
    defer { _ = unsafe closedir(stream) }
    var names: [Bytes] = []
    while true {
      errno = 0
      guard let entry = unsafe readdir(stream) else {
        if errno != 0 { throw SystemError(code: errno) }
        return names
      }
      let name = unsafe name(of: entry)
      if name == [0x2E] || name == [0x2E, 0x2E] { continue }
      if names.count == limit { return nil }
      names.append(name)
    }
  }

  /// The zero-terminated name at the end of an entry, which is only as long as the name needs.
  private static func name(of entry: UnsafeMutablePointer<dirent>) -> Bytes {
    guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return [] }
    var name = Bytes()
    var next = unsafe UnsafeRawPointer(entry) + offset
    while unsafe next.load(as: UInt8.self) != 0 {
      unsafe name.append(next.load(as: UInt8.self))
      unsafe next += 1
    }
    return name
  }
}
