package struct CaptureMetadata: Hashable, Sendable {
  /// The format, detected from the first bytes.
  package internal(set) var format = CaptureFormat.pcap

  /// The order of numbers in the file; in pcapng that of the first section.
  package internal(set) var byteOrder = ByteOrder.littleEndian

  /// The sections, one in a pcap file. Those beyond `CaptureLimits.keptBytes` are only counted.
  package internal(set) var sections: [CaptureSection] = []

  package internal(set) var sectionCount = 0

  /// The interfaces of all sections, one in a pcap file. Those beyond `CaptureLimits.keptBytes` are only counted.
  package internal(set) var interfaces: [CaptureInterface] = []

  /// How many interfaces the file describes.
  package internal(set) var interfaceCount = 0

  /// Interfaces that packets name themselves (in PKTAP headers), in the order in which `process(of:)` read them.
  package internal(set) var packetInterfaces: [String] = []

  /// Names that the file gives to addresses.
  package internal(set) var names: [CaptureName] = []

  /// Secrets that the file carries, in their order.
  package internal(set) var secrets: [DecryptionSecrets] = []

  /// Comments on sections, interfaces, statistics and names; those on packets stay in the packets' options.
  package internal(set) var commentCount = 0

  package internal(set) var customBlockCount = 0

  /// Blocks of types that are not read, skipped.
  package internal(set) var unknownBlockCount = 0

  /// What was not as it should be.
  package internal(set) var anomalies = CaptureAnomalies()
}

extension CaptureMetadata {
  /// The capturing machine, by the first section that names one.
  package var hardware: String? { first(\.hardware) }

  /// The capturing system, by the first section that names one.
  package var operatingSystem: String? { first(\.operatingSystem) }

  /// The writing program, by the first section that names one.
  package var application: String? { first(\.application) }

  private func first(_ property: KeyPath<CaptureSection, String?>) -> String? {
    for section in sections {
      if let text = section[keyPath: property] { return text }
    }
    return nil
  }
}

/// A section of a capture: what follows one section header.
package struct CaptureSection: Hashable, Sendable {
  /// Where the section starts, in bytes from the start of the file.
  package internal(set) var offset: Int

  /// The order of numbers in the section.
  package internal(set) var byteOrder: ByteOrder

  /// The version of the format that it follows, before the point.
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

/// Counts of anomalies that did not prevent the capture from being read.
package struct CaptureAnomalies: Hashable, Sendable {
  /// Packets of an interface that the section does not describe; they are skipped.
  package internal(set) var packetsWithoutInterface = 0

  /// Statistics of an interface that the section does not describe.
  package internal(set) var statisticsWithoutInterface = 0

  /// Simple packets whose block holds less than the lengths promise.
  package internal(set) var shortSimplePackets = 0

  /// Sections in a version of the format that is not known; all their blocks are skipped.
  package internal(set) var unreadableSections = 0

  /// Option lists that run beyond their block; the options before are used.
  package internal(set) var malformedOptions = 0

  /// Blocks of names, statistics or secrets that are too short for what they announce.
  package internal(set) var malformedBlocks = 0

  /// Packets that name a process whose block has not come (yet).
  package internal(set) var processesWithoutBlock = 0

  /// Reserved bits that are set in the link type of a pcap file, which may mean another type.
  package internal(set) var reservedLinkTypeBits = 0

  /// Sections, interfaces, names, texts and secrets left out at `CaptureLimits`.
  package internal(set) var leftOut = 0

  /// Whether everything was as it should be.
  package var isEmpty: Bool { self == CaptureAnomalies() }
}
