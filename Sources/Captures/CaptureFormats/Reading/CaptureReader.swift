/// Hands out the packets of a capture one after another.
///
/// The bytes are parsed where the source has put them and lent in place until the next call. One packet costs no
/// allocation.
@usableFromInline package struct CaptureReader: ~Copyable {
  /// What `next()` reads.
  enum State {
    case pcap
    case pcapng

    /// A section of pcapng in a version that is not known: nothing until the next section.
    case unreadableSection

    /// Nothing more, after the end or an error.
    case ended
  }

  @usableFromInline
  var input: CaptureBuffer

  var state = State.pcap {
    didSet { if state != .pcap { fastLayout = .none } }
  }

  /// The records of a pcap file without peculiarities.
  @usableFromInline
  var fastLayout = FastRecordLayout.none

  /// The order of numbers in the file, or in the present section of it.
  var byteOrder = ByteOrder.littleEndian

  /// The records of a pcap file.
  var layout = PcapLayout()

  /// The interfaces of the present section of a pcapng file.
  var interfaces = ContiguousArray<InterfaceState>()

  /// The number that the section's first interface has among those of the file.
  var firstInterface = 0

  /// What may still be kept of descriptions, and of secrets.
  var textBudget = KeepingBudget(bytes: CaptureLimits.keptBytes)
  var secretsBudget = KeepingBudget(bytes: CaptureLimits.keptSecrets)

  /// The processes whose blocks the section has brought so far, counted from 0.
  var sectionProcesses = ContiguousArray<PKTAPHeader.NamedProcess>()

  /// Names of apps by Android's user numbers.
  var androidApps: [Int32: String] = [:]

  var processCache = ProcessCache()

  /// The processes that `process(of:)` has found so far.
  var processes = ProcessTable()

  /// Whether a call of `process(of:)` may find one: false for good where the format or the first packet rules it out.
  package internal(set) var mayNameProcesses = true

  /// Whether packets of Ethernet may end with PCAPdroid's trailer.
  var mayHaveTrailers = true

  package internal(set) var metadata = CaptureMetadata()

  /// The packet that `advance()` moved to. It is read in place: copying its words right after they were written one by one would
  /// stall the processor.
  @inlinable
  package var record: PacketRecord { present }

  @usableFromInline
  var present = PacketRecord.none

  @inlinable
  package var packetCount: UInt64 { packets }

  @usableFromInline
  var packets: UInt64 = 0

  /// Blocks that are not packets, but that Wireshark counts as frames.
  var otherFrames: UInt64 = 0

  /// The number of the last frame: as Wireshark counts them, custom blocks included.
  package var frameCount: UInt64 { packetCount &+ otherFrames }

  /// Creates a reader of a source, and detects the format from its first bytes.
  ///
  /// Throws if the source is not a capture, or one whose records could only be guessed. `readSize` is the number of bytes per read;
  /// 16 KiB to 1 MiB measured alike.
  package init(_ source: consuming any ByteSource, readSize: Int = 128 * 1024) throws(CaptureError) {
    input = CaptureBuffer(source, readSize: readSize)
    try readMagic()
  }

  private mutating func readMagic() throws(CaptureError) {
    guard try input.fill(to: 4) else {
      throw input.available == 0 ? CaptureError(.empty, at: 0) : input.truncated(needed: 4)
    }
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
  /// An error has the offset where the capture is damaged or truncated. Everything returned before stays valid, and further calls
  /// return nil.
  package mutating func next() throws(CaptureError) -> PacketRecord? { try advance() ? record : nil }

  /// Moves on to the next packet, `record`; false at the end of the capture. Errors are as for `next()`.
  @inlinable
  @inline(__always)
  package mutating func advance() throws(CaptureError) -> Bool {
    if readFastRecord() { return true }
    return try readRecord()
  }

  /// The next packet of any format, with all errors: the path for everything that the fast path declines.
  @usableFromInline
  @inline(never)
  mutating func readRecord() throws(CaptureError) -> Bool {
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

  /// The bytes of the packet that the last call of `next()` returned; nothing reliable for an earlier one.
  @_lifetime(borrow self)
  package func bytes(of record: PacketRecord) -> Span<UInt8> {
    input.span(from: record.start, count: record.capturedLength)
  }

  /// The options of the packet's block, in the packet's byte order, if the format has any; as for `bytes(of:)`.
  @_lifetime(borrow self)
  package func options(of record: PacketRecord) -> Span<UInt8> {
    input.span(from: record.optionsStart, count: record.optionsLength)
  }

  /// How far the capture has been read, in bytes from its start: the end of the last packet.
  package var offset: Int { input.offset }

  /// Ends the capture, or throws if bytes are left that are too few for a header of `needed` bytes.
  @inline(never)
  mutating func endOfInput(needed: Int) throws(CaptureError) -> Bool {
    guard input.available == 0 else { throw input.truncated(needed: needed) }
    state = .ended
    return false
  }
}

/// Counts down what may still be kept.
struct KeepingBudget {
  private var bytes: Int

  init(bytes: Int) { self.bytes = bytes }

  /// Spends the room for `count` bytes and the bookkeeping around them; false, for good, once there is too little.
  mutating func spend(_ count: Int) -> Bool {
    let cost = count + 128
    bytes = cost <= bytes ? bytes - cost : 0
    return bytes > 0
  }
}
