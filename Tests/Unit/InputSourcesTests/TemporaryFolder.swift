import ByteParsing
import Foundation
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A directory that is removed when the object is released.
final class TemporaryFolder {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.path + "/inputs-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    // A test may have removed its own permissions.
    try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path + "/locked")
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Writes a file and creates its parent directories.
  @discardableResult
  func write(_ name: String, _ bytes: Bytes) throws -> String {
    let file = path + "/" + name
    try FileManager.default.createDirectory(
      atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    return file
  }

  func folder(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: path + "/" + name, withIntermediateDirectories: true)
  }

  func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: path + "/" + name, withDestinationPath: target)
  }

  func fifo(_ name: String) throws -> String {
    let result = unsafe mkfifo(path + "/" + name, 0o600)
    try #require(result == 0)
    return path + "/" + name
  }
}

/// The header of an empty pcap file.
let emptyCapture: Bytes = [
  0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 1, 0, 0, 0,
]
