/// A program that a capture names as the one that a packet belongs to.
///
/// An object, since many sessions share one and most captures name none.
public final class CapturedProcess: Hashable, Sendable {
  /// Its name, as far as the capture has it; systems truncate it, Apple's to 16 bytes. Nil where only a number is known.
  public let name: String?

  /// The process number of the device.
  public let pid: Int32?

  /// The user number, which on Android stands for the app.
  public let uid: Int32?

  /// Whether it is the program that something else worked for: the app behind a service of the system.
  public let isEffective: Bool

  /// The name of the process that moved the packets on its behalf, such as a web view's; nil where it is not effective, or that is not
  /// known.
  public let service: String?

  /// The source of the attribution.
  public let source: ProcessSource

  /// How reliable the attribution is.
  public let certainty: ProcessCertainty

  /// Creates a process; without a certainty its source decides.
  package init(
    name: String?, pid: Int32? = nil, uid: Int32? = nil, isEffective: Bool = false, service: String? = nil,
    source: ProcessSource, certainty: ProcessCertainty? = nil
  ) {
    self.name = name
    self.pid = pid
    self.uid = uid
    self.isEffective = isEffective
    self.service = service
    self.source = source
    self.certainty = certainty ?? (source == .eventTrace ? .low : .high)
  }

  /// Processes are equal by what is known of them.
  public static func == (a: CapturedProcess, b: CapturedProcess) -> Bool {
    a.name == b.name && a.pid == b.pid && a.uid == b.uid && a.isEffective == b.isEffective
      && a.service == b.service && a.source == b.source && a.certainty == b.certainty
  }

  /// Hashes what is known of the process.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(pid)
    hasher.combine(uid)
    hasher.combine(isEffective)
    hasher.combine(service)
    hasher.combine(source)
  }
}

/// Where a capture names processes. Raw values are those of the session record.
public enum ProcessSource: String, Hashable, Sendable {
  /// The header of Apple's PKTAP link type.
  case pktap
  /// Apple's process information blocks.
  case processBlock
  /// Packet comments as pymobiledevice3 writes them.
  case comment
  /// PCAPdroid's trailer, or its packet comments with the block that names them.
  case pcapdroid
  /// Packet comments as etl2pcapng writes them from a Windows trace.
  case eventTrace = "etl"
}

/// How reliable an attribution is. Raw values are those of the session record.
public enum ProcessCertainty: String, Hashable, Sendable {
  /// The system that moved the packet said so.
  case high
  /// From a writer that is often wrong: Windows attributes packets to whatever runs at that time.
  case low
}
