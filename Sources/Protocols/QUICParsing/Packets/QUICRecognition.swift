import ByteParsing

/// The result of recognizing QUIC in the first bytes of a datagram.
package enum QUICRecognition: Hashable, Sendable {
  /// A long header of a supported version.
  case handshakePacket
  /// A long header of a QUIC version that is not supported.
  case otherVersion
  /// A possible short header; only a known connection can confirm it.
  case shortHeader
  /// Not QUIC.
  case other

  /// The minimum length of a useful packet: Version Negotiation with one 8-byte connection ID and one version.
  static let minimumByteCount = 19

  /// Examines a datagram's first bytes.
  package init(_ datagram: Span<UInt8>) {
    guard datagram.count >= QUICRecognition.minimumByteCount else {
      self = .other
      return
    }
    let first = datagram[0]
    guard first & 0x80 != 0 else {
      self = .shortHeader
      return
    }
    self = QUICRecognition.longHeader(QUICVersion(rawValue: datagram.raw.big32(1)), datagram)
  }

  /// The version in a datagram that begins with a long header; 0 if it is too short.
  package static func versionNumber(of datagram: Span<UInt8>) -> UInt32 {
    datagram.count >= 5 ? datagram.raw.big32(1) : 0
  }

  /// The version in a datagram of Google's QUIC up to Q043, whose header has flags, a connection ID of 8 bytes and the version;
  /// nil for other datagrams.
  package static func versionNumber(inGoogleHeader datagram: Span<UInt8>) -> UInt32? {
    guard datagram.count >= minimumByteCount, datagram[0] & 0xCB == 0x09 else { return nil }
    let number = datagram.raw.big32(9)
    return number >> 16 == 0x5130 && QUICVersion(rawValue: number).isGoogleQUIC ? number : nil
  }

  /// Whether a datagram of an unknown version may be the first of a client or a server: it has the minimum size, the fixed bit, and
  /// connection IDs of usual length.
  package static func mayBeInitial(_ datagram: Span<UInt8>) -> Bool {
    guard datagram.count >= 1200, datagram[0] & 0xC0 == 0xC0 else { return false }
    let destination = Int(datagram[5])
    guard destination <= ConnectionID.maximumByteCount else { return false }
    let source = Int(datagram[6 + destination])
    return source <= ConnectionID.maximumByteCount && max(source, destination) >= 4
  }

  static func longHeader(_ version: QUICVersion, _ datagram: Span<UInt8>) -> QUICRecognition {
    let isKnown = version.isUnderstood || version == .negotiation
    // The connection IDs must fit into the datagram, in every version (RFC 8999 §5.1).
    let destination = Int(datagram[5])
    guard 6 + destination < datagram.count else { return .other }
    let source = Int(datagram[6 + destination])
    guard 7 + destination + source <= datagram.count else { return .other }
    if isKnown {
      let most = ConnectionID.maximumByteCount
      return destination <= most && source <= most ? .handshakePacket : .otherVersion
    }
    return version.isGoogleQUIC || version.draft != nil || version.experimentDraft != nil || version.isDraftOfVersion2
      ? .otherVersion : .other
  }
}
