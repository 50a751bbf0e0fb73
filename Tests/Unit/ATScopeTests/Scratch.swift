import ByteParsing
import Foundation

/// A temporary folder for one test, removed when the test ends.
final class Scratch {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appending(path: "atscope-\(UUID().uuidString)").path()
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a file below the folder and returns its path.
  func write(_ name: String, _ bytes: Bytes) throws -> String {
    let file = path + "/" + name
    let folder = (file as NSString).deletingLastPathComponent
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(filePath: file))
    return file
  }

  func write(_ name: String, _ text: String) throws -> String { try write(name, Bytes(text.utf8)) }

  /// Makes a link below the folder.
  func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: path + "/" + name, withDestinationPath: target)
  }
}

/// An Info.plist with an executable and settings in XML.
func infoPlist(_ executable: String, _ settings: String = "") -> String {
  """
  <?xml version="1.0" encoding="UTF-8"?>
  <plist version="1.0"><dict>
  <key>CFBundleExecutable</key><string>\(executable)</string>
  <key>NSAppTransportSecurity</key><dict>\(settings)</dict>
  </dict></plist>
  """
}

let allowsAll = "<key>NSAllowsArbitraryLoads</key><true/>"
