import Values

/// Reads the packets of a capture one after another.
///
/// The bytes are parsed where the source has put them, and lent in place until the next call. A packet requires no allocation.
@usableFromInline package struct CaptureReader: ~Copyable {
  /// The format of the data that `next()` reads.
  enum State {
    case pcap
    case pcapng

    /// A pcapng section in an unknown version, which is skipped.
    case unreadableSection

    /// Nothing, after the end or an error.
    case ended
  }

  @usableFromInline var input: CaptureBuffer

  var state = State.pcap {
    didSet { if state != .pcap { fastLayout = FastRecordLayout() } }
  }

  /// The layout of the records that `bufferedRecords` reads.
  @usableFromInline var fastLayout = FastRecordLayout()

  /// The byte order of the file, or of its current section.
  var byteOrder = ByteOrder.littleEndian

  /// The record format of a pcap file.
  var layout = PcapLayout()

  /// The interfaces of the current section of a pcapng file.
  var interfaces = ContiguousArray<InterfaceState>()

  /// The number of the section's first interface within the file.
  var firstInterface = 0

  /// The remaining budget for descriptions; another one is for secrets.
  var textBudget = KeepingBudget(bytes: CaptureLimits.keptBytes)
  var secretsBudget = KeepingBudget(bytes: CaptureLimits.keptSecrets)

  /// The processes of the section's blocks so far, by index.
  var sectionProcesses = ContiguousArray<PKTAPHeader.NamedProcess>()

  /// Names of apps by Android user ID.
  var androidApps: [Int32: String] = [:]

  var processCache = ProcessCache()

  /// The processes found by `process(of:)` so far, each stored once and shared by all its sessions.
  var processes: Set<CapturedProcess> = []

  /// Whether `process(of:)` may find a process; permanently false if the format or the first packet rules it out.
  package internal(set) var mayNameProcesses = true

  /// Whether Ethernet packets may end with PCAPdroid's trailer.
  var mayHaveTrailers = true

  package internal(set) var metadata = CaptureMetadata()

  /// The first fault that cost secrets or a section; reading went on after it.
  package internal(set) var skipFault: CaptureError?

  /// The packet that `advance()` moved to. It is read in place: copying its words right after they were written one by one would stall the
  /// processor.
  @usableFromInline package internal(set) var record = PacketRecord.none

  @usableFromInline package internal(set) var packetCount: UInt64 = 0

  /// The number of blocks that are not packets, but that Wireshark counts as frames.
  var otherFrames: UInt64 = 0

  /// The number of the last frame: as Wireshark counts them, custom blocks and events included.
  package var frameCount: UInt64 { packetCount &+ otherFrames }

  /// Creates a reader of a source, and detects the format from its first bytes.
  ///
  /// Throws if the source is not a capture, or one whose record format could only be guessed. `readSize` is the number of bytes for each
  /// read; 16 KiB to 1 MiB were equally fast.
  package init(_ source: consuming any ByteSource, readSize: Int = 128 * 1024) throws(CaptureError) {
    input = CaptureBuffer(source, readSize: readSize)
    try readMagic()
  }

  private mutating func readMagic() throws(CaptureError) {
    guard try input.fill(to: 4) else { throw input.available == 0 ? CaptureError(.empty, at: 0) : input.truncated(needed: 4) }
    let magic = input.bytes.uint32(at: input.position, .bigEndian)
    if magic == BlockType.sectionHeader {
      state = .pcapng
      metadata.format = .pcapng
      try readFirstSection()
      metadata.byteOrder = byteOrder
      return
    }
    byteOrder = PcapVariant(magic: magic) == nil ? .littleEndian : .bigEndian
    guard let variant = PcapVariant(magic: byteOrder == .bigEndian ? magic : magic.byteSwapped) else {
      throw CaptureError(.unknownFormat(magic: magic), at: 0)
    }
    metadata.byteOrder = byteOrder
    try readPcapHeader(variant: variant)
  }

  /// The next packet; nil at the end of the capture.
  ///
  /// An error contains the offset at which the capture is damaged or truncated. Packets returned before remain valid, and further calls
  /// return nil.
  package mutating func next() throws(CaptureError) -> PacketRecord? { try advance() ? record : nil }

  /// Advances to the next packet, `record`; returns false at the end of the capture. Errors are those of `next()`.
  package mutating func advance() throws(CaptureError) -> Bool {
    do throws(CaptureError) {
      switch state {
      case .pcap: return try nextRecord()
      case .pcapng: return try nextPacketBlock()
      case .unreadableSection: return try nextReadableSection()
      case .ended: return false
      }
    } catch {
      state = .ended
      throw error
    }
  }

  /// The bytes of `record`, the current packet.
  @_lifetime(borrow self)
  @inlinable
  package func packet() -> Span<UInt8> { input.span(from: record.start, count: record.capturedLength) }

  /// The bytes of the packet that the last call of `next()` returned; undefined for an earlier one.
  @_lifetime(borrow self)
  package func bytes(of record: PacketRecord) -> Span<UInt8> {
    input.span(from: record.start, count: record.capturedLength)
  }

  /// The options of the packet's block, in the packet's byte order, if the format has any. Valid like `bytes(of:)`.
  @_lifetime(borrow self)
  package func options(of record: PacketRecord) -> Span<UInt8> {
    input.span(from: record.optionsStart, count: record.optionsLength)
  }

  /// The offset in the capture of the end of the last packet.
  package var offset: Int { input.offset }

  /// Ends the capture, or throws if fewer bytes are left than the `needed` ones of a header.
  @inline(never)
  mutating func endOfInput(needed: Int) throws(CaptureError) -> Bool {
    guard input.available == 0 else { throw input.truncated(needed: needed) }
    state = .ended
    return false
  }
}

extension CaptureReader {
  /// Whether a description with a text of `cost` bytes may be stored; counts it if there is no room for it.
  mutating func mayKeep(_ cost: Int, hasRoom: Bool = true) -> Bool {
    if hasRoom, textBudget.spend(cost) { return true }
    metadata.anomalies.leftOut += 1
    return false
  }
}

/// Counts down the bytes that may still be stored.
struct KeepingBudget {
  private var bytes: Int

  init(bytes: Int) { self.bytes = bytes }

  /// Spends the budget for `count` bytes and their bookkeeping; returns false, permanently, once it does not suffice.
  mutating func spend(_ count: Int) -> Bool {
    let cost = count + 128
    guard cost <= bytes else {
      bytes = 0
      return false
    }
    bytes -= cost
    return true
  }
}
