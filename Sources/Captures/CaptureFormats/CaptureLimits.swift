/// Limits on what a capture can make the reader hold, with their reasons.
package enum CaptureLimits {
  /// The maximum length of a packet in a pcap file without a larger snapshot length, in bytes; libpcap uses the same limit.
  package static let packetLength = 256 * 1024

  /// The maximum length of a block, and of the snapshot length of a pcap file, in bytes. Network packets are shorter than 1 MiB; key logs
  /// of long captures have a few.
  package static let blockLength = 16 * 1024 * 1024

  /// Interfaces in a section, whose state is kept until the section ends. Real captures have a few dozen.
  package static let interfacesInSection = 65_536

  /// Total bytes kept of descriptions, names and comments.
  package static let keptBytes = 8 * 1024 * 1024

  /// Comments kept of one section or interface; further ones are counted.
  package static let comments = 64

  /// Total bytes kept of secrets.
  package static let keptSecrets = 64 * 1024 * 1024

  /// Distinct processes, and process information blocks in a section. A device has a few hundred.
  package static let processes = 65_536

  /// Bytes kept of a process name; longer names are truncated. Systems truncate at 16 to 32.
  package static let processName = 256

  /// Names kept of interfaces that only packets name.
  package static let packetInterfaces = 64

  /// Bytes kept of one text; a longer one is truncated.
  package static let textLength = 4096
}
