/// Limits on what a capture can make the reader hold, each with its reason.
public enum CaptureLimits {
  /// The longest packet taken from a pcap file that promises no longer ones, in bytes; libpcap's own limit.
  public static let packetLength = 256 * 1024

  /// The longest block, and the longest packet a pcap file may promise, in bytes. Packets of networks end below
  /// 1 MiB; key logs of long captures reach a few.
  public static let blockLength = 16 * 1024 * 1024

  /// Interfaces in a section; their state is kept for as long as the section lasts. Real captures have tens.
  public static let interfacesInSection = 65_536

  /// Bytes kept of descriptions, names and comments, all in all.
  public static let keptBytes = 8 * 1024 * 1024

  /// Comments kept of one section or interface; the rest is counted.
  public static let comments = 64

  /// Bytes kept of secrets, all in all.
  public static let keptSecrets = 64 * 1024 * 1024

  /// Distinct processes, and process information blocks in a section. A device has a few hundred.
  public static let processes = 65_536

  /// Bytes kept of a process name; longer names are truncated. Systems truncate at 16 to 32.
  public static let processName = 256

  /// Names of interfaces kept that only packets name.
  public static let packetInterfaces = 64

  /// Bytes kept of one text; a longer one is truncated.
  public static let textLength = 4096
}
