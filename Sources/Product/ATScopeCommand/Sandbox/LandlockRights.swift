/// The accesses that Landlock restricts, by the version that the kernel supports (landlock(7)).
struct LandlockRights: Equatable {
  /// The accesses to files, one bit each.
  var files: UInt64
  /// The accesses to the network: binding and connecting TCP sockets.
  var network: UInt64
  /// Abstract Unix sockets and signals, which are restricted to the process.
  var scopes: UInt64
  /// The size of the attributes in this version, in bytes.
  var byteCount: UInt

  static let execute: UInt64 = 1 << 0
  static let writeFile: UInt64 = 1 << 1
  static let readFile: UInt64 = 1 << 2
  static let readFolder: UInt64 = 1 << 3
  static let removeFile: UInt64 = 1 << 5
  static let makeFile: UInt64 = 1 << 8
  static let truncate: UInt64 = 1 << 14
  static let controlDevice: UInt64 = 1 << 15

  /// The accesses that can be allowed for a path that is not a folder.
  static let ofFiles = execute | writeFile | readFile | truncate | controlDevice

  static let reading = readFile | readFolder

  /// The accesses that writing a file with a temporary name requires.
  static let writing = writeFile | makeFile | removeFile

  /// Creates all rights that a version restricts, with `readsAnything` except reading; nil without Landlock.
  init?(version: Int32, readsAnything: Bool) {
    guard version >= 1 else { return nil }
    // Linking and renaming between folders since 2, truncating since 3, TCP since 4, devices since 5, scopes since 6.
    let count: UInt64 = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13
    files = (1 << count) - 1
    if readsAnything { files &= ~LandlockRights.reading }
    network = version >= 4 ? 3 : 0
    scopes = version >= 6 ? 3 : 0
    byteCount = version >= 6 ? 24 : version >= 4 ? 16 : 8
  }
}
