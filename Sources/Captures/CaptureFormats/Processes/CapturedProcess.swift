/// A program that a capture names as the one that a packet belongs to.
public struct CapturedProcess: Hashable, Sendable {
  /// Its name, as far as the capture has it; systems cut it, Apple's at 16 characters. Nil where only a number is known.
  public var name: String?

  /// The process number of the device.
  public var pid: Int32?

  /// The user number, which on Android stands for the app.
  public var uid: Int32?

  /// Whether it is the program that something else worked for: the app behind a service of the system.
  public var isEffective = false

  /// Where the capture says so.
  public var source: ProcessSource

  /// How far it is to be believed.
  public var certainty: ProcessCertainty { source == .eventTrace ? .low : .high }

  /// Creates a process.
  public init(
    name: String?, pid: Int32? = nil, uid: Int32? = nil, isEffective: Bool = false, source: ProcessSource
  ) {
    self.name = name
    self.pid = pid
    self.uid = uid
    self.isEffective = isEffective
    self.source = source
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

/// How far an attribution is to be believed. Raw values are those of the session record.
public enum ProcessCertainty: String, Hashable, Sendable {
  /// The system that moved the packet said so.
  case high
  /// Told by a writer that is known to be wrong often: Windows attributes to whatever runs at that moment.
  case low
}

/// Stands for a process of one capture.
public struct ProcessReference: Hashable, Sendable {
  let index: UInt32
}

/// The processes that a capture has named so far, each once.
public struct ProcessTable: Sendable {
  private var processes: ContiguousArray<CapturedProcess> = []
  private var references: [CapturedProcess: ProcessReference] = [:]

  /// Processes left out at `CaptureLimits.processes`.
  public private(set) var leftOut: UInt64 = 0

  init() {}

  /// How many there are.
  public var count: Int { processes.count }

  /// The process that a reference of the same capture stands for.
  public subscript(reference: ProcessReference) -> CapturedProcess? {
    let index = Int(reference.index)
    return index < processes.count ? processes[index] : nil
  }

  /// The reference of a process; nil if no more are kept.
  mutating func reference(to process: CapturedProcess) -> ProcessReference? {
    if let known = references[process] { return known }
    guard processes.count < CaptureLimits.processes else {
      leftOut += 1
      return nil
    }
    let reference = ProcessReference(index: UInt32(truncatingIfNeeded: processes.count))
    processes.append(process)
    references[process] = reference
    return reference
  }
}
