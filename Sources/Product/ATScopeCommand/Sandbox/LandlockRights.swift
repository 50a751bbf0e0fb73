/// What Landlock denies, by the version that the kernel offers (landlock(7)).
struct LandlockRights: Equatable {
  /// Accesses to files, a bit each.
  var files: UInt64
  /// Accesses to the network: to bind and to connect TCP sockets.
  var network: UInt64
  /// Abstract Unix sockets and signals, which stay within the process.
  var scopes: UInt64
  /// Bytes of the attributes that the version takes.
  var byteCount: UInt

  static let execute: UInt64 = 1 << 0
  static let writeFile: UInt64 = 1 << 1
  static let readFile: UInt64 = 1 << 2
  static let readFolder: UInt64 = 1 << 3
  static let removeFile: UInt64 = 1 << 5
  static let makeFile: UInt64 = 1 << 8
  static let truncate: UInt64 = 1 << 14
  static let controlDevice: UInt64 = 1 << 15

  /// What can be allowed for something that is not a folder.
  static let ofFiles = execute | writeFile | readFile | truncate | controlDevice

  static let reading = readFile | readFolder

  /// What writing files takes that get their names when they are whole.
  static let writing = writeFile | makeFile | removeFile

  /// All rights that a version restricts, with `readsAnything` all except reading; nil without Landlock.
  init?(version: Int32, readsAnything: Bool) {
    guard version >= 1 else { return nil }
    // Linking and renaming between folders from 2 on, truncating from 3, TCP from 4, devices from 5, scopes from 6.
    let count: UInt64 = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13
    files = (1 << count) - 1
    if readsAnything { files &= ~LandlockRights.reading }
    network = version >= 4 ? 3 : 0
    scopes = version >= 6 ? 3 : 0
    byteCount = version >= 6 ? 24 : version >= 4 ? 16 : 8
  }
}
