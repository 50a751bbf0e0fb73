/// The facts about a capture besides its packets: format, sections, interfaces, names and secrets.
package struct CaptureMetadata: Hashable, Sendable {
  /// The format, detected from the first bytes.
  package internal(set) var format = CaptureFormat.pcap

  /// The byte order of the file; for pcapng, of its first section.
  package internal(set) var byteOrder = ByteOrder.littleEndian

  /// The sections, one in a pcap file. Those beyond `CaptureLimits.keptBytes` are only counted.
  package internal(set) var sections: [CaptureSection] = []

  package internal(set) var sectionCount = 0

  /// The interfaces of all sections, one in a pcap file. Those beyond `CaptureLimits.keptBytes` are only counted.
  package internal(set) var interfaces: [CaptureInterface] = []

  /// The number of interfaces that the file describes.
  package internal(set) var interfaceCount = 0

  /// Interfaces that packets name (in PKTAP headers), in the order in which `process(of:)` read them.
  package internal(set) var packetInterfaces: [String] = []

  /// The names of addresses in the file.
  package internal(set) var names: [CaptureName] = []

  /// The secrets in the file, in order.
  package internal(set) var secrets: [DecryptionSecrets] = []

  /// The number of blocks of unknown types, which are skipped.
  package internal(set) var unknownBlockCount = 0

  /// The anomalies of the file.
  package internal(set) var anomalies = CaptureAnomalies()
}

extension CaptureMetadata {
  /// The capturing machine, from the first section that names one.
  package var hardware: String? { first(\.hardware) }

  /// The capturing system, from the first section that names one.
  package var operatingSystem: String? { first(\.operatingSystem) }

  /// The writing program, from the first section that names one.
  package var application: String? { first(\.application) }

  private func first(_ property: KeyPath<CaptureSection, String?>) -> String? {
    sections.lazy.compactMap { $0[keyPath: property] }.first
  }
}

/// A section of a capture: the blocks after a section header.
package struct CaptureSection: Hashable, Sendable {
  /// The offset of the section in the file.
  package internal(set) var offset: Int

  package internal(set) var byteOrder: ByteOrder

  /// The major version of the format.
  package internal(set) var majorVersion: UInt16

  package internal(set) var minorVersion: UInt16

  /// The capturing machine (`shb_hardware`).
  package internal(set) var hardware: String?

  /// The capturing system (`shb_os`).
  package internal(set) var operatingSystem: String?

  /// The writing program (`shb_userappl`).
  package internal(set) var application: String?

  package internal(set) var comments: [String] = []
}

/// Counts of anomalies that did not prevent reading the capture.
package struct CaptureAnomalies: Hashable, Sendable {
  /// Packets of an interface that the section does not describe; they are skipped.
  package internal(set) var packetsWithoutInterface = 0

  /// Simple packets whose block is shorter than their length.
  package internal(set) var shortSimplePackets = 0

  /// Sections in an unknown version of the format; all their blocks are skipped.
  package internal(set) var unreadableSections = 0

  /// Option lists that extend beyond their block; the options before are used.
  package internal(set) var malformedOptions = 0

  /// Blocks of names, statistics or secrets that are too short for their contents.
  package internal(set) var malformedBlocks = 0

  /// Packets that refer to a process whose block is missing (so far).
  package internal(set) var processesWithoutBlock = 0

  /// Sections, interfaces, names, texts and secrets dropped because of `CaptureLimits`.
  package internal(set) var leftOut = 0

  /// Whether there are no anomalies.
  package var isEmpty: Bool { self == CaptureAnomalies() }
}
