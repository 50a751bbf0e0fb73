import ByteParsing
import Values

/// The variants of the classic format, by magic number.
enum PcapVariant {
  /// libpcap's own format.
  case microseconds

  /// libpcap's own format with times in nanoseconds.
  case nanoseconds

  /// Alexey Kuznetzov's libpcap patches of 1999, with longer record headers.
  case modified

  /// Ixia's hardware captures: times in nanoseconds, and a file header that is four bytes longer.
  case ixiaHardware

  /// Ixia's software captures: like `ixiaHardware`, in microseconds.
  case ixiaSoftware

  /// Reserved for Francisco Mesquita's format, which was never published.
  case mesquita

  /// Navtel Communications' format, which was never published.
  case navtel

  init?(magic: UInt32) {
    switch magic {
    case 0xA1B2_C3D4: self = .microseconds
    case 0xA1B2_3C4D: self = .nanoseconds
    case 0xA1B2_CD34: self = .modified
    case 0x1C00_01AC: self = .ixiaHardware
    case 0x1C00_01AB: self = .ixiaSoftware
    case 0xA1B2_34CD: self = .mesquita
    case 0xA12B_3C4D: self = .navtel
    default: return nil
    }
  }

  /// The length of the file header in bytes.
  var headerLength: Int {
    switch self {
    case .ixiaHardware, .ixiaSoftware: 28
    default: 24
    }
  }

  var timestampUnit: TimestampUnit {
    switch self {
    case .nanoseconds, .ixiaHardware: .nanoseconds
    default: .microseconds
    }
  }
}

/// The record format of a pcap file, determined by its header.
struct PcapLayout {
  /// The two orders of the captured and the original length.
  enum LengthOrder {
    case capturedFirst
    case originalFirst

    /// The smaller one is the captured length: version 2.3 was written in both orders.
    case either
  }

  /// The length of a record header in bytes.
  var recordHeaderLength = 16

  var lengthOrder = LengthOrder.capturedFirst
  var fractionsPerSecond: UInt32 = 1_000_000
  var nanosecondsPerFraction: UInt32 = 1000

  var traits = PacketTraits(rawValue: 0)

  /// The maximum plausible packet length.
  var maximumPacketLength = CaptureLimits.packetLength

  @inline(__always)
  func timestamp(_ header: PcapRecordHeader) -> Timestamp {
    if header.fraction < fractionsPerSecond {
      return Timestamp(seconds: Int64(header.seconds), nanoseconds: header.fraction &* nanosecondsPerFraction)
    }
    // Some writers do not carry fractions of a second or more.
    let (carry, fraction) = header.fraction.quotientAndRemainder(dividingBy: max(fractionsPerSecond, 1))
    return Timestamp(seconds: Int64(header.seconds) + Int64(carry), nanoseconds: fraction &* nanosecondsPerFraction)
  }
}

/// The common start of all record headers, as in the file.
struct PcapRecordHeader: WireLayout {
  var seconds: UInt32
  var fraction: UInt32

  /// The captured length, unless `PcapLayout.lengthOrder` is reversed.
  var captured: UInt32

  /// The original length, unless `PcapLayout.lengthOrder` is reversed.
  var original: UInt32

  var byteSwapped: PcapRecordHeader {
    PcapRecordHeader(
      seconds: seconds.byteSwapped, fraction: fraction.byteSwapped, captured: captured.byteSwapped, original: original.byteSwapped)
  }
}

/// The file header of the classic format (draft-ietf-opsawg-pcap §4).
///
///      0                   1                   2                   3
///     +---------------+---------------+---------------+---------------+
///     |                         magic number                          |
///     |         major version         |         minor version         |
///     |                      reserved (time zone)                     |
///     |                      reserved (accuracy)                      |
///     |                        snapshot length                        |
///     | FCS   |R|P|      reserved     |           link type           |
///     +---------------+---------------+---------------+---------------+
///
/// FCS counts units of two bytes and holds only if P is set.
struct PcapHeader {
  var variant: PcapVariant
  var majorVersion: UInt16
  var minorVersion: UInt16
  var snapshotLength: UInt32
  var linkType: LinkType
  var fcsLength: UInt8?

  /// Parses the 24 bytes at `start`; throws if the record format of this version or variant could only be guessed.
  init(_ bytes: RawSpan, from start: Int, variant: PcapVariant, _ byteOrder: ByteOrder) throws(CaptureError) {
    self.variant = variant
    majorVersion = bytes.uint16(at: start + 4, byteOrder)
    minorVersion = bytes.uint16(at: start + 6, byteOrder)
    snapshotLength = bytes.uint32(at: start + 16, byteOrder)
    let network = bytes.uint32(at: start + 20, byteOrder)
    linkType = LinkType(rawValue: UInt16(truncatingIfNeeded: network))
    fcsLength = network & 0x0400_0000 == 0 ? nil : UInt8(truncatingIfNeeded: network >> 28) * 2
    switch variant {
    case .mesquita: throw CaptureError(.unsupportedVariant("Mesquita's modified pcap"), at: 0)
    case .navtel: throw CaptureError(.unsupportedVariant("Navtel's modified pcap"), at: 0)
    default: break
    }
    // DG/UX wrote 543.0; major version 1 predates this record format.
    guard majorVersion == 2 && minorVersion <= 4 || majorVersion == 543 && minorVersion == 0 else {
      throw CaptureError(.unsupportedVersion(major: majorVersion, minor: minorVersion), at: 0)
    }
    // AIX numbers link types by RFC 1573, under a magic and a version that other old captures also have. It uses these four numbers for
    // LANs and the loopback.
    if variant == .microseconds, majorVersion == 2, minorVersion == 2, [6, 9, 15, 24].contains(network) {
      throw CaptureError(.unsupportedVariant("AIX's pcap"), at: 0)
    }
  }

  /// The format of the records that follow.
  func layout(byteOrder: ByteOrder) -> PcapLayout {
    var layout = PcapLayout()
    if variant.timestampUnit == .nanoseconds {
      layout.fractionsPerSecond = 1_000_000_000
      layout.nanosecondsPerFraction = 1
    }
    layout.traits = PacketTraits(linkType: linkType, fcsLength: fcsLength ?? 0, byteOrder: byteOrder)
    // A larger snapshot length means "everything" and does not announce packets of that length.
    if snapshotLength <= CaptureLimits.blockLength {
      layout.maximumPacketLength = max(layout.maximumPacketLength, Int(snapshotLength))
    }
    if majorVersion == 543 || minorVersion < 3 {
      layout.lengthOrder = .originalFirst
    } else if minorVersion == 3 {
      layout.lengthOrder = .either
    }
    return layout
  }
}
