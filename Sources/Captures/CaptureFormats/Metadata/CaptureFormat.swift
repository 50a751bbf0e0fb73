package enum CaptureFormat: String, Hashable, Sendable {
  /// The classic format of libpcap, in any of its variants.
  case pcap

  /// The block format of draft-ietf-opsawg-pcapng.
  case pcapng
}

extension CaptureFormat {
  /// Detects the format from the first four bytes, big-endian; nil if they begin neither.
  ///
  /// Variants that are known but not read count too: their error comes from the reader.
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
