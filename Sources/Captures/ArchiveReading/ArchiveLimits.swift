/// How far something packed may expand. What is packed comes from strangers: a few bytes can stand for terabytes.
public struct ArchiveLimits: Hashable, Sendable {
  /// Bytes that may come out for each byte that went in.
  ///
  /// Deflate cannot exceed 1032; captures, whose packet headers differ, stay below a tenth of it.
  public var ratio = 1000

  /// Bytes that may come out whatever the ratio: the first block of any form can be long.
  public var freeBytes = 16 * 1024 * 1024

  /// Bytes that may come out in all.
  public var totalBytes = 1 << 42

  /// Members of an archive that are looked at.
  public var members = 1_000_000

  /// Bytes of a ZIP from a pipe that are held in memory: its directory is at its end.
  public var heldBytes = 256 << 20

  /// Creates the default limits.
  public init() {}

  /// Whether so many bytes may come of so many.
  func allow(_ unpacked: Int, from packed: Int) -> Bool {
    unpacked <= totalBytes && (unpacked <= freeBytes || unpacked / max(1, ratio) <= packed)
  }
}
