/// Limits on what a capture can make the reader hold, each with its reason.
package enum CaptureLimits {
  /// The longest packet taken from a pcap file that promises no longer ones, in bytes; libpcap's own limit.
  package static let packetLength = 256 * 1024

  /// The longest block, and the longest packet a pcap file may promise, in bytes. Packets of networks end below
  /// 1 MiB; key logs of long captures reach a few.
  package static let blockLength = 16 * 1024 * 1024

  /// Interfaces in a section; their state is kept for as long as the section lasts. Real captures have tens.
  package static let interfacesInSection = 65_536

  /// Bytes kept of descriptions, names and comments, all in all.
  package static let keptBytes = 8 * 1024 * 1024

  /// Comments kept of one section or interface; the rest is counted.
  package static let comments = 64

  /// Bytes kept of secrets, all in all.
  package static let keptSecrets = 64 * 1024 * 1024

  /// Distinct processes, and process information blocks in a section. A device has a few hundred.
  package static let processes = 65_536

  /// Bytes kept of a process name; longer names are truncated. Systems truncate at 16 to 32.
  package static let processName = 256

  /// Names of interfaces kept that only packets name.
  package static let packetInterfaces = 64

  /// Bytes kept of one text; a longer one is truncated.
  package static let textLength = 4096
}
