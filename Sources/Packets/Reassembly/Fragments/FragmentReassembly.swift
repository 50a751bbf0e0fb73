package import ByteParsing
package import PacketParsing

/// What bounds the memory of putting fragments together. Each has a counter in `FragmentReassembly`.
package struct FragmentLimits: Sendable {
  /// Datagrams that are incomplete at once; the oldest gives way.
  package var datagrams = 1024

  /// Bytes held of incomplete datagrams, all in all; the oldest gives way.
  package var heldBytes = 16 * 1024 * 1024

  /// Pieces of one datagram. A datagram of 64 KiB over the shortest link of the Internet (RFC 791: 68 bytes) has 1,366;
  /// over any of today's less than 128.
  package var pieces = 256

  /// Seconds of capture time after which an incomplete datagram is given up (RFC 8200 §4.5).
  package var seconds: Int64 = 60

  package init() {}
}

package struct WholeDatagram: Sendable {
  /// What followed the IP header, as far as the capture holds it without a gap.
  package var payload: Bytes

  /// How many bytes of it were sent.
  package var lengthOnWire: Int

  /// What the payload is: a protocol number of IPv4, or a next header of IPv6.
  package var protocolNumber: UInt8

  package var frames: [UInt64]

  /// The first of its fragments that came.
  package var firstFrame: UInt64

  /// The first packet with bytes that came before with another content; 0 where there is none.
  package var disagreementFrame: UInt64

  /// Whether fragments disagree, and the checksum of what they carry does not decide between them.
  package var isContested: Bool
}

/// What there is of a datagram of which fragments never came.
package struct BrokenDatagram: Sendable {
  /// Bytes after a gap.
  package struct Piece: Sendable {
    /// The place of the first one in the datagram.
    package var start: Int
    /// Those that the capture holds.
    package var bytes: Bytes
    /// How many were sent.
    package var lengthOnWire: Int
    /// The packet that carries them.
    package var frame: UInt64
  }

  package var headers: PacketHeaders

  /// What followed the IP header, up to the first gap.
  package var start: Bytes

  /// How many bytes were sent up to there: more than `start` where the snapshot length made the gap.
  package var startLengthOnWire: Int

  /// The packet with the first fragment.
  package var frame: UInt64

  package var firstFrame: UInt64

  /// The packets that carry it, those whose copies of some bytes disagree included.
  package var frames: [UInt64]

  /// What lies after gaps, in order.
  package var rest: [Piece]

  /// How long the datagram was; nil if its last fragment never came.
  package var length: Int?

  /// How long it was at least.
  package var knownLength: Int

  /// The first packet with bytes that came before with another content; 0 where there is none.
  package var disagreementFrame: UInt64
}

/// Puts the fragments of IPv4 and IPv6 packets together, in whatever order they come.
///
/// Of bytes that come twice with another content, those count with which the checksum of TCP or UDP is right; the first ones, where it does
/// not decide. To be used like this:
///
///     case .unread(.fragment):
///       while let whole = fragments.add(headers, payload, seconds: now) { headers.decode(reassembled: …) … }
package struct FragmentReassembly: ~Copyable {
  private let limits: FragmentLimits
  private var datagrams: [FragmentKey: PartialDatagram] = [:]
  /// Keys in the order in which their datagrams began; those that are complete by now are still among them.
  private var order: ContiguousArray<(key: FragmentKey, begun: Int64)> = []
  private var firstInOrder = 0
  private var heldBytes = 0

  /// Datagrams given up whose first fragment is there, to be read as far as that goes.
  private var broken: [BrokenDatagram] = []

  /// The first packets of datagrams given up of which nothing can be read.
  private var lost: [UInt64] = []

  package private(set) var fragments: UInt64 = 0
  package private(set) var wholeDatagrams: UInt64 = 0

  /// Datagrams given up because some fragment never came in time.
  package private(set) var incompleteDatagrams: UInt64 = 0

  /// Datagrams given up at a limit.
  package private(set) var limitedDatagrams: UInt64 = 0

  /// Bytes that came again with another content.
  package private(set) var disagreeingBytes: UInt64 = 0

  /// Fragments that contradict what others say of the length of their datagram; they are left out.
  package private(set) var contradictingFragments: UInt64 = 0

  /// Whether the last fragment that was taken is the first that came of a packet of which others are still to come.
  package private(set) var hasBegun = false

  package init(limits: FragmentLimits = FragmentLimits()) { self.limits = limits }

  package var openDatagrams: Int { datagrams.count }

  /// Takes the fragment that `headers` describe, and returns its datagram if that is whole now.
  ///
  /// `payload` is what the capture holds of the fragment's part of the datagram; `seconds` is the packet's time, nil where the
  /// capture does not say; `frame` is the packet's number.
  package mutating func add(
    _ headers: PacketHeaders, _ payload: Span<UInt8>, seconds: Int64?, frame: UInt64 = 0
  ) -> WholeDatagram? {
    fragments += 1
    hasBegun = false
    if let seconds { abandon(before: seconds) }
    let key = FragmentKey(headers)
    var datagram: PartialDatagram
    var isFirst = false
    if let known = datagrams.removeValue(forKey: key) {
      datagram = known
      heldBytes -= datagram.cost
    } else {
      datagram = PartialDatagram(begun: seconds ?? order.last?.begun ?? 0, firstFrame: frame)
      isFirst = true
      note(key, begun: datagram.begun)
    }
    let outcome = datagram.add(payload, headers, frame: frame)
    disagreeingBytes += UInt64(outcome.disagreeingBytes)
    if outcome.contradictsLength { contradictingFragments += 1 }
    if datagram.isComplete, let length = datagram.length {
      wholeDatagrams += 1
      let number = datagram.protocolNumber ?? headers.fragment.protocolNumber
      let (payload, isContested) = datagram.decided { bytes in
        headers.hasRightChecksum(reassembled: bytes.span, protocolNumber: number)
      }
      return WholeDatagram(
        payload: payload, lengthOnWire: length, protocolNumber: number,
        frames: datagram.frames, firstFrame: datagram.firstFrame,
        disagreementFrame: datagram.disagreementFrame, isContested: isContested)
    }
    hasBegun = isFirst
    guard datagram.fragments.pieces.count <= limits.pieces else {
      limitedDatagrams += 1
      abandon(datagram)
      return nil
    }
    heldBytes += datagram.cost
    datagrams[key] = datagram
    while datagrams.count > limits.datagrams || heldBytes > limits.heldBytes {
      guard evictOldest() else { break }
      limitedDatagrams += 1
    }
    return nil
  }

  /// Whether datagrams were given up that can be read in part.
  package var hasBroken: Bool { !broken.isEmpty }

  /// Whether datagrams were given up of which nothing can be read.
  package var hasLost: Bool { !lost.isEmpty }

  /// Hands out the first packets of the datagrams that were given up and of which nothing can be read; each once.
  package mutating func takeLost() -> [UInt64] {
    defer { lost.removeAll() }
    return lost
  }

  /// Hands out the datagrams that were given up and whose first fragment is there; each once.
  package mutating func takeBroken() -> [BrokenDatagram] {
    defer { broken.removeAll() }
    return broken
  }

  /// Gives up everything, in the order in which it was begun: no more packets will come.
  package mutating func finish() {
    incompleteDatagrams += UInt64(datagrams.count)
    while evictOldest() {}
    datagrams.removeAll()
    order.removeAll()
    firstInOrder = 0
    heldBytes = 0
  }

  private mutating func note(_ key: FragmentKey, begun: Int64) {
    // Entries of datagrams that are whole by now are swept out once they are in the majority.
    if order.count - firstInOrder > 2 * limits.datagrams {
      order = ContiguousArray(
        order[firstInOrder...].filter { entry in datagrams[entry.key]?.begun == entry.begun })
      firstInOrder = 0
    } else if firstInOrder > limits.datagrams {
      order.removeFirst(firstInOrder)
      firstInOrder = 0
    }
    order.append((key, begun))
  }

  /// Gives up what has been incomplete for too long at a time.
  package mutating func abandon(before now: Int64) {
    while firstInOrder < order.count {
      let entry = order[firstInOrder]
      let isCurrent = datagrams[entry.key]?.begun == entry.begun
      // Clocks jump: what seems to come from later is not touched.
      if isCurrent, now.subtractingReportingOverflow(entry.begun).partialValue <= limits.seconds { return }
      if isCurrent {
        drop(entry.key)
        incompleteDatagrams += 1
      }
      firstInOrder += 1
    }
  }

  /// Gives up the datagram that began first; false if there is none.
  private mutating func evictOldest() -> Bool {
    while firstInOrder < order.count {
      let entry = order[firstInOrder]
      firstInOrder += 1
      if datagrams[entry.key]?.begun == entry.begun {
        drop(entry.key)
        return true
      }
    }
    return false
  }

  private mutating func drop(_ key: FragmentKey) {
    guard let datagram = datagrams.removeValue(forKey: key) else { return }
    heldBytes -= datagram.cost
    abandon(datagram)
  }

  private mutating func abandon(_ datagram: borrowing PartialDatagram) {
    if let broken = datagram.broken { self.broken.append(broken) } else { lost.append(datagram.firstFrame) }
  }
}
