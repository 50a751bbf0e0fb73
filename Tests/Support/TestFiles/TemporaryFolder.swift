import Foundation

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A directory for one test, removed when the object is released.
package final class TemporaryFolder {
  package let path: String

  package init() throws {
    path = FileManager.default.temporaryDirectory.appending(path: "atscope-\(UUID().uuidString)").path(percentEncoded: false)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    // A test may have removed its own permissions.
    try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path + "/locked")
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Writes a file, creates its parent directories and returns its path.
  @discardableResult
  package func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
    let file = URL(filePath: path + "/" + name)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
    return path + "/" + name
  }

  @discardableResult
  package func write(_ name: String, _ text: String) throws -> String { try write(name, text.utf8) }

  package func folder(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: path + "/" + name, withIntermediateDirectories: true)
  }

  package func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: path + "/" + name, withDestinationPath: target)
  }

  package func fifo(_ name: String) throws -> String {
    guard unsafe mkfifo(path + "/" + name, 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
    return path + "/" + name
  }
}

/// A file for one test, removed when the object is released.
package final class TemporaryFile {
  private let folder: TemporaryFolder
  package let path: String

  package init(_ bytes: some Sequence<UInt8>) throws {
    let folder = try TemporaryFolder()
    path = try folder.write("file", bytes)
    self.folder = folder
  }

  package convenience init(_ text: String) throws { try self.init(text.utf8) }
}
