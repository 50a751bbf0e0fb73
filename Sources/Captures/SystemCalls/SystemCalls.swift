package import ByteParsing
import Values

#if canImport(Darwin)
  package import Darwin
#else
  package import Glibc
#endif

// The calls of the C library for files that take pointers. Each `unsafe` below holds because the pointers are those of values that outlive
// the call, with their true sizes, and the library keeps none of them.

/// A failed system call; the number is its `errno`.
package struct SystemError: Error {
  package let code: Int32

  /// Creates an error from an `errno`, by default that of the last call.
  package init(code: Int32 = errno) { self.code = code }

  package var words: String { unsafe String(cString: strerror(code)) }
}

/// The type of a file at a path.
package enum FileType {
  case regular
  case directory
  /// A named pipe.
  case fifo
  case symbolicLink
  case characterDevice

  /// A block device, a socket or anything else.
  case other

  init(mode: mode_t) {
    switch mode & S_IFMT {
    case S_IFREG: self = .regular
    case S_IFDIR: self = .directory
    case S_IFIFO: self = .fifo
    case S_IFLNK: self = .symbolicLink
    case S_IFCHR: self = .characterDevice
    default: self = .other
    }
  }
}

/// A path as the system accepts it: bytes that need not be UTF-8.
package struct FilePath: Hashable, Sendable {
  package let bytes: Bytes

  package init(_ bytes: Bytes) {
    self.bytes = bytes
  }

  /// Creates a path from a text as in `InputText`.
  package init(_ text: String) {
    self.init(InputText.bytes(of: text))
  }

  /// Calls `body` with the zero-terminated path; with an empty one, which no file has, if the path contains a zero.
  package func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    var terminated = ContiguousArray<CChar>()
    terminated.reserveCapacity(bytes.count + 1)
    for byte in bytes.contains(0) ? [] : bytes { terminated.append(CChar(truncatingIfNeeded: byte)) }
    terminated.append(0)
    return unsafe terminated.withUnsafeBufferPointer { buffer in
      guard let start = buffer.baseAddress else {
        preconditionFailure("an array with an element has an address")
      }
      return unsafe body(start)
    }
  }

  /// The type of the file; of a link itself, or with `followingLinks` of its target.
  package func type(followingLinks: Bool) throws(SystemError) -> FileType {
    try typeAndSize(followingLinks: followingLinks).type
  }

  /// The type of the file, and its size in bytes if it is regular.
  package func typeAndSize(followingLinks: Bool) throws(SystemError) -> (type: FileType, size: UInt64) {
    let status = try status(followingLinks: followingLinks)
    return (FileType(mode: status.st_mode), UInt64(clamping: status.st_size))
  }

  /// The `stat` of the file.
  package func status(followingLinks: Bool = true) throws(SystemError) -> stat {
    var status = stat()
    let result = unsafe withCString { path in
      unsafe followingLinks ? stat(path, &status) : lstat(path, &status)
    }
    guard result == 0 else { throw SystemError() }
    return status
  }

  /// Opens the file; the caller must close the descriptor. A signal ends waiting for the other end of a named pipe if `isInterrupted`
  /// then returns true.
  package func open(_ flags: Int32, mode: mode_t = 0, isInterrupted: () -> Bool = { false }) throws(SystemError) -> Int32 {
    while true {
      let descriptor = unsafe withCString { unsafe systemOpen($0, flags | O_CLOEXEC, mode) }
      if descriptor >= 0 { return descriptor }
      let error = SystemError()
      guard error.code == EINTR, !isInterrupted() else { throw error }
    }
  }

  package func makeFolder() throws(SystemError) {
    guard unsafe withCString({ unsafe mkdir($0, 0o777) }) == 0 else { throw SystemError() }
  }

  /// Removes the file, if it exists.
  package func remove() { _ = unsafe withCString { unsafe unlink($0) } }

  /// Renames the file, replacing any file of the new name.
  package func rename(to target: FilePath) throws(SystemError) {
    let result = unsafe withCString { from in
      unsafe target.withCString { unsafe systemRename(from, $0) }
    }
    guard result == 0 else { throw SystemError() }
  }

  package func setMode(_ mode: mode_t) throws(SystemError) {
    guard unsafe withCString({ unsafe chmod($0, mode) }) == 0 else { throw SystemError() }
  }

  /// Links an open file to the path.
  package func link(_ descriptor: Int32) throws(SystemError) {
    let result = unsafe withCString {
      unsafe linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, $0, AT_SYMLINK_FOLLOW)
    }
    guard result == 0 else { throw SystemError() }
  }

  /// The absolute path without links; nil if the file does not exist.
  package var resolved: FilePath? {
    unsafe withCString { path in
      guard let found = unsafe realpath(path, nil) else { return nil }
      defer { unsafe free(found) }
      return FilePath(unsafe Bytes(UnsafeRawBufferPointer(start: found, count: strlen(found))))
    }
  }

  /// All names in a directory except `.` and `..`, in no particular order; nil if there are more than `limit`.
  ///
  /// A link is followed only if `followingLink` is true: the user may name one, but one below a directory is not followed.
  package func names(followingLink: Bool, limit: Int) throws(SystemError) -> [Bytes]? {
    let descriptor = try open(O_RDONLY | O_DIRECTORY | (followingLink ? 0 : O_NOFOLLOW))
    guard let stream = unsafe fdopendir(descriptor) else {
      let error = SystemError()
      SystemCalls.close(descriptor)
      throw error
    }
    // Also closes the descriptor.
    defer { _ = unsafe closedir(stream) }
    var names: [Bytes] = []
    while true {
      errno = 0
      guard let entry = unsafe readdir(stream) else {
        if errno != 0 { throw SystemError() }
        return names
      }
      let name = unsafe FilePath.name(of: entry)
      if name == [0x2E] || name == [0x2E, 0x2E] { continue }
      if names.count == limit { return nil }
      names.append(name)
    }
  }

  /// The zero-terminated name at the end of an entry, which is only as long as the name requires.
  private static func name(of entry: UnsafeMutablePointer<dirent>) -> Bytes {
    guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return [] }
    let start = unsafe UnsafeRawPointer(entry) + offset
    let count = unsafe strlen(start.assumingMemoryBound(to: CChar.self))
    return unsafe Bytes(UnsafeRawBufferPointer(start: start, count: count))
  }
}

// C library functions with names that the types below also use.
private func systemOpen(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 {
  unsafe open(path, flags, mode)
}
private func systemRename(_ old: UnsafePointer<CChar>, _ new: UnsafePointer<CChar>) -> Int32 { unsafe rename(old, new) }
private func systemRead(_ descriptor: Int32, _ room: UnsafeMutableRawBufferPointer) -> Int {
  unsafe read(descriptor, room.baseAddress, room.count)
}
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  unsafe write(descriptor, bytes.baseAddress, bytes.count)
}
private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }

/// Calls on open files.
package enum SystemCalls {
  /// Closes a descriptor. Returns 0, or the error number.
  @discardableResult
  package static func close(_ descriptor: Int32) -> Int32 { systemClose(descriptor) == 0 ? 0 : errno }

  /// Opens a file in an open folder; the caller must close the descriptor.
  package static func open(_ name: String, in folder: Int32, _ flags: Int32, mode: mode_t = 0) throws(SystemError) -> Int32 {
    let descriptor = unsafe openat(folder, name, flags | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw SystemError() }
    return descriptor
  }

  package static func exists(_ name: String, in folder: Int32) -> Bool {
    var status = stat()
    return unsafe fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0
  }

  package static func remove(_ name: String, in folder: Int32) { _ = unsafe unlinkat(folder, name, 0) }

  /// The `stat` of an open file.
  package static func status(_ descriptor: Int32) throws(SystemError) -> stat {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw SystemError() }
    return status
  }

  /// Reads into `buffer` from index `start` on, at an offset of the file if one is given; returns 0 at the end.
  package static func read(into buffer: inout Bytes, from start: Int, at offset: Int? = nil, _ descriptor: Int32) throws(SystemError) -> Int
  {
    guard buffer.indices.contains(start) else { return 0 }
    var count = 0
    repeat {
      count = unsafe buffer.withUnsafeMutableBytes { bytes in
        let room = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
        guard let offset else { return unsafe systemRead(descriptor, room) }
        return unsafe pread(descriptor, room.baseAddress, room.count, off_t(offset))
      }
    } while count < 0 && errno == EINTR
    guard count >= 0 else { throw SystemError() }
    return count
  }

  /// Writes all bytes. Returns 0, or the error number if that is not possible.
  package static func write(_ bytes: borrowing Bytes, to descriptor: Int32) -> Int32 {
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
}

/// An open file, which is closed with its last reference.
package final class FileDescriptor {
  package let number: Int32
  private let isOurs: Bool

  /// Standard input, which stays open.
  package static func standardInput() -> FileDescriptor {
    #if os(Linux)
      // With a pipe of 64 KiB the writer waits most of the time. The call fails for anything but a pipe, and if the system refuses.
      _ = fcntl(STDIN_FILENO, setPipeSize, pipeSize)
    #endif
    return FileDescriptor(number: STDIN_FILENO, isOurs: false)
  }

  #if os(Linux)
    /// `F_SETPIPE_SZ`, which Swift does not import, and the maximum size for any user.
    private static let (setPipeSize, pipeSize): (Int32, Int32) = (1031, 1 << 20)
  #endif

  private init(number: Int32, isOurs: Bool) {
    self.number = number
    self.isOurs = isOurs
  }

  /// For files found below a directory: a FIFO in their place must not block, and a link must not be followed.
  package static let neverWaitNorFollow = O_NONBLOCK | O_NOFOLLOW

  /// For a file that must be regular: a FIFO in its place must not block.
  package static let neverWait = O_NONBLOCK

  /// Opens a file for reading. Never creates, locks or writes anything.
  package init(opening path: FilePath, flags: Int32 = 0, isInterrupted: () -> Bool = { false }) throws(SystemError) {
    number = try path.open(O_RDONLY | O_NOCTTY | flags, isInterrupted: isInterrupted)
    isOurs = true
  }

  deinit {
    if isOurs { SystemCalls.close(number) }
  }

  package func type() throws(SystemError) -> FileType {
    FileType(mode: try SystemCalls.status(number).st_mode)
  }

  /// The current size of a regular file in bytes; 0 for anything else.
  package var size: UInt64 {
    guard let status = try? SystemCalls.status(number), status.st_mode & S_IFMT == S_IFREG else { return 0 }
    return UInt64(clamping: status.st_size)
  }

  /// Whether there are bytes to read, or the end, within a time; also false if a signal arrives first.
  package func hasBytes(withinMilliseconds time: Int32) -> Bool {
    var request = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&request, 1, time) > 0
  }

  /// Reads into `buffer` from index `start` on, at an offset of the file if one is given; returns 0 at the end.
  package func read(into buffer: inout Bytes, from start: Int, at offset: Int? = nil) throws(SystemError) -> Int {
    try SystemCalls.read(into: &buffer, from: start, at: offset, number)
  }
}
