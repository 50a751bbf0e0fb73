/// A program to which a capture attributes packets.
///
/// A class, since many sessions share one and most captures name none.
public final class CapturedProcess: Hashable, Sendable {
  /// The source of an attribution. Raw values are those of the session record.
  public enum Source: String, Hashable, Sendable {
    /// The header of Apple's PKTAP link type.
    case pktap
    /// Apple's process information blocks.
    case processBlock
    /// Packet comments in the format of pymobiledevice3.
    case comment
    /// PCAPdroid's trailer, or its packet comments with the block that names the app.
    case pcapdroid
    /// Packet comments in the format of etl2pcapng, from a Windows trace.
    case eventTrace = "etl"
  }

  /// The reliability of an attribution. Raw values are those of the session record.
  public enum Certainty: String, Hashable, Sendable {
    /// The system that handled the packet recorded it.
    case high
    /// The writer is often wrong: Windows attributes packets to the process that happens to be running.
    case low
  }

  /// The name in the capture; systems truncate it, Apple's to 16 bytes. Nil if only a number is known.
  public let name: String?

  /// The process ID on the device; nil if unknown.
  public let pid: Int32?

  /// The user ID, which identifies the app on Android; nil if unknown.
  public let uid: Int32?

  /// Whether another process handled the traffic on this one's behalf, such as a system service for an app.
  public let isEffective: Bool

  /// The name of the process that handled the traffic, such as a web view's; nil if this process did, or if unknown.
  public let service: String?

  /// The source of the attribution.
  public let source: Source

  /// The reliability of the attribution.
  public let certainty: Certainty

  package init(
    name: String?, pid: Int32? = nil, uid: Int32? = nil, isEffective: Bool = false, service: String? = nil,
    source: Source, certainty: Certainty? = nil
  ) {
    self.name = name
    self.pid = pid
    self.uid = uid
    self.isEffective = isEffective
    self.service = service
    self.source = source
    self.certainty = certainty ?? (source == .eventTrace ? .low : .high)
  }

  /// Returns whether both have the same properties.
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
