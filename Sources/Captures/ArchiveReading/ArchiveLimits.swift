/// Limits on the expansion of archives and compressed inputs, which are hostile: a few bytes can expand to terabytes.
package struct ArchiveLimits: Hashable, Sendable {
  /// The maximum number of unpacked bytes for each packed byte.
  ///
  /// Deflate cannot exceed 1032. Captures have less than a tenth of that, since their packet headers differ.
  package var ratio = 1000

  /// Unpacked bytes that are allowed at any ratio, since the first block of any format can be long.
  package var freeBytes = 16 * 1024 * 1024

  /// The maximum number of unpacked bytes.
  package var totalBytes = 1 << 42

  /// The maximum number of members that are read.
  package var members = 1_000_000

  /// The maximum size of a ZIP from a pipe, which is held in memory because its directory is at the end.
  package var heldBytes = 256 << 20

  package init() {}

  func allow(_ unpacked: Int, from packed: Int) -> Bool {
    unpacked <= totalBytes && (unpacked <= freeBytes || unpacked / max(1, ratio) <= packed)
  }
}
