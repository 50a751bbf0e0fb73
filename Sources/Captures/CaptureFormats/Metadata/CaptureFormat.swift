package enum CaptureFormat: String, Hashable, Sendable {
  /// The classic libpcap format, in any of its variants.
  case pcap

  /// The block format of draft-ietf-opsawg-pcapng.
  case pcapng
}

extension CaptureFormat {
  /// Detects the format from the first four bytes, big-endian; nil if they begin neither.
  ///
  /// Known but unsupported variants also count; the reader reports their error.
  package init?(magic: UInt32) {
    if magic == BlockType.sectionHeader {
      self = .pcapng
    } else if PcapVariant(magic: magic) != nil || PcapVariant(magic: magic.byteSwapped) != nil {
      self = .pcap
    } else {
      return nil
    }
  }
}
