import ByteParsing
import Values

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

// All calls into the C library are in this file and in DirectoryListing.swift: they take pointers and are `unsafe`.

/// A failed system call; the number is its `errno`.
struct SystemError: Error {
  let code: Int32

  /// What stands for "is a directory" and for "is no file", which no call had to find out.
  static let isDirectory = SystemError(code: EISDIR)
  static let notRegular = SystemError(code: ENODEV)

  /// The error as one about an input.
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

/// The kinds of thing that a path can name.
enum FileType {
  case regular
  case directory
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

/// A path as the system takes it: bytes that need not be UTF-8.
package struct FilePath: Hashable, Sendable {
  /// The bytes, none of them zero.
  let bytes: Bytes

  /// The path of these bytes; what stands behind a zero byte would be invisible to the system and is left out here.
  init(_ bytes: Bytes) {
    self.bytes = Bytes(bytes.prefix { $0 != 0 })
  }

  /// The path that `InputText` stands for.
  package init(_ text: String) {
    self.init(InputText.bytes(of: text))
  }

  /// Lends the zero-terminated form.
  package func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    var terminated = ContiguousArray<CChar>()
    terminated.reserveCapacity(bytes.count + 1)
    for byte in bytes { terminated.append(CChar(truncatingIfNeeded: byte)) }
    terminated.append(0)
    return unsafe terminated.withUnsafeBufferPointer { buffer in
      guard let start = buffer.baseAddress else {
        preconditionFailure("an array with an element has an address")
      }
      return unsafe body(start)
    }
  }

  /// What the path names; a link itself, or with `followingLinks` what it leads to.
  func type(followingLinks: Bool) throws(SystemError) -> FileType {
    try typeAndSize(followingLinks: followingLinks).type
  }

  /// What the path names, and how many bytes it holds if it is a file.
  func typeAndSize(followingLinks: Bool) throws(SystemError) -> (type: FileType, size: UInt64) {
    var status = stat()
    let result = unsafe withCString { path in
      unsafe followingLinks ? stat(path, &status) : lstat(path, &status)
    }
    guard result == 0 else { throw SystemError(code: errno) }
    return (FileType(mode: status.st_mode), UInt64(clamping: status.st_size))
  }
}

/// An open file, closed when the last reference goes.
final class FileDescriptor {
  let number: Int32
  private let isOurs: Bool

  /// The standard input, which stays open.
  static func standardInput() -> FileDescriptor {
    #if os(Linux)
      // A pipe of 64 KiB makes who writes wait most of the time. What is no pipe refuses, and so may the system.
      _ = fcntl(STDIN_FILENO, setPipeSize, pipeSize)
    #endif
    return FileDescriptor(number: STDIN_FILENO, isOurs: false)
  }

  #if os(Linux)
    /// `F_SETPIPE_SZ`, which Swift does not import, and the size that any user may ask for.
    private static let (setPipeSize, pipeSize): (Int32, Int32) = (1031, 1 << 20)
  #endif

  private init(number: Int32, isOurs: Bool) {
    self.number = number
    self.isOurs = isOurs
  }

  /// For files found below a directory: a FIFO in their place must not make us wait, nor a link lead elsewhere.
  static let neverWaitNorFollow = O_NONBLOCK | O_NOFOLLOW

  /// For a file that has to be regular: a FIFO in its place must not make us wait.
  static let neverWait = O_NONBLOCK

  /// Opens for reading. Never creates, locks or writes anything.
  init(opening path: FilePath, flags: Int32 = 0) throws(SystemError) {
    var result: Int32
    repeat {
      result = unsafe path.withCString { unsafe open($0, O_RDONLY | O_CLOEXEC | O_NOCTTY | flags) }
    } while result < 0 && errno == EINTR
    guard result >= 0 else { throw SystemError(code: errno) }
    number = result
    isOurs = true
  }

  deinit {
    if isOurs { _ = close(number) }
  }

  /// What is open.
  func type() throws(SystemError) -> FileType {
    var status = stat()
    guard unsafe fstat(number, &status) == 0 else { throw SystemError(code: errno) }
    return FileType(mode: status.st_mode)
  }

  /// How many bytes a regular file holds now; 0 for anything else.
  var size: UInt64 {
    var status = stat()
    guard unsafe fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return 0 }
    return UInt64(clamping: status.st_size)
  }

  /// Whether there are bytes to read, or the end, within a time; false also where a signal comes first.
  func hasBytes(withinMilliseconds time: Int32) -> Bool {
    var request = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&request, 1, time) > 0
  }

  /// Reads into `buffer` from index `start` on, at an offset of the file if one is given; 0 at the end.
  func read(into buffer: inout Bytes, from start: Int, at offset: Int? = nil) throws(SystemError) -> Int {
    var result = 0
    repeat {
      result = unsafe buffer.withUnsafeMutableBytes { bytes in
        guard start >= 0, start < bytes.count, let base = bytes.baseAddress else { return 0 }
        if let offset { return unsafe pread(number, base + start, bytes.count - start, off_t(offset)) }
        #if canImport(Darwin)
          return unsafe Darwin.read(number, base + start, bytes.count - start)
        #else
          return unsafe Glibc.read(number, base + start, bytes.count - start)
        #endif
      }
    } while result < 0 && errno == EINTR
    guard result >= 0 else { throw SystemError(code: errno) }
    return result
  }
}
