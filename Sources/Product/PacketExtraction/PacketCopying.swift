import ByteParsing
import CaptureFormats
import HandshakeDecryption
import InputSources
import PacketParsing
import QUICParsing
import Reassembly
import SessionModel
import SessionReading
import TLSParsing
import Values

/// Copies the packets of chosen sessions from one capture, which may have several files.
struct PacketCopying {
  private(set) var packets: UInt64 = 0

  /// The number of fragments omitted because they could not be redacted.
  private(set) var leftOut: UInt64 = 0

  /// Replaces addresses; nil to keep them.
  private(set) var anonymizer: Anonymizer?

  private let name: String
  private let chosen: ChosenSessions
  private let map: ConnectionMap
  private var choice: PacketChoice?
  private var framesBefore: UInt64 = 0

  private let quic: QUICReduction

  /// Clears QUIC tokens, which contain addresses. Used only if addresses are replaced.
  private var tokens = TokenClearing()

  /// What to do with the fragments of chosen sessions, and the packets that were sent in fragments.
  private let fragments: FragmentPlan
  private let joining = FragmentJoining()

  /// The first frames of the sessions with omitted fragments.
  var incompleteSessions: [UInt64] { fragments.incompleteSessions.sorted() }

  /// The sequence number after the last byte copied, by direction.
  private var ends: [FlowEndpoints: UInt32] = [:]

  /// Directions from which data after the copied bytes was omitted.
  private var cutOff: Set<FlowEndpoints> = []

  private struct FlowEndpoints: Hashable {
    var source: Endpoint
    var destination: Endpoint
  }

  init(_ name: String, _ chosen: ChosenSessions, _ map: ConnectionMap, choice: PacketChoice?, _ anonymizer: Anonymizer?) {
    self.name = name
    self.chosen = chosen
    self.map = map
    quic = QUICReduction(connectionIDs: map.survey.connectionIDs)
    fragments = FragmentPlan(map, of: chosen, in: name, anonymizes: anonymizer != nil)
    leftOut = map.survey.fragmentsBeyondLimit
    self.choice = choice
    self.anonymizer = anonymizer
  }

  /// Copies the chosen packets of one file; false once the reader of the output is gone.
  mutating func copy(
    _ file: InputFile, _ opener: InputOpener, _ writer: inout PcapngWriter, _ output: inout Bytes, _ write: (Bytes) -> Bool
  ) -> Bool {
    guard var reader = file.captureReader(opener) else { return true }
    var headers = PacketHeaders()
    while let record = try? reader.next() {
      if choice?.takes(record, reader.bytes(of: record)) == false { continue }
      let frame = framesBefore &+ record.frameNumber
      var kind: PacketHeaders.Kind? = headers.decode(reader.bytes(of: record), linkType: record.linkType.rawValue)
      let process = reader.mayNameProcesses ? reader.process(of: record) : nil
      // An 802.11 aggregate is written as individual packets, without the 802.11 frame.
      let isSplit = kind == .unread(.aggregate)
      while let current = isSplit ? headers.decodeSubframe(reader.bytes(of: record)) : kind {
        kind = nil
        for (packet, frames) in extracted(headers, current, reader.bytes(of: record), record, frame, isSplit: isSplit) {
          let interface = writer.interface(for: packet.linkType, to: &output)
          writer.packet(
            packet.bytes.span, originalLength: packet.originalLength, interface: interface,
            time: record.hasTimestamp ? record.timestamp : nil,
            process: PacketCopying.attribution(process, frames, packet.linkType), to: &output)
          packets += 1
        }
        if output.count >= 1 << 16 {
          guard write(output) else { return false }
          output.removeAll(keepingCapacity: true)
        }
      }
    }
    framesBefore &+= reader.frameCount
    return true
  }

  /// Returns what the extract contains instead of a packet, each with its session. Fragments that are copied have no session.
  private mutating func extracted(
    _ headers: PacketHeaders, _ kind: PacketHeaders.Kind, _ packet: Span<UInt8>, _ record: PacketRecord, _ frame: UInt64, isSplit: Bool
  ) -> [(packet: ReducedPacket, frames: ChosenSessions.SessionFrames?)] {
    if kind == .unread(.fragment) {
      let completed = joining.add(headers, packet, at: PacketReference(frame: frame, time: record.hasTimestamp ? record.timestamp : nil))
      joining.discardBroken()
      switch fragments.treatments[frame] {
      case .copied: break
      case .joined:
        return completed.flatMap { extracted($0.headers, $0.kind, $0.bytes.span, record, frame, isSplit: true) }
      case .omitted:
        leftOut += 1
        return []
      case nil: return []
      }
    }
    let frames = headers.isICMP(kind) ? self.frames(ofReport: headers, packet, frame) : self.frames(of: headers, kind, frame)
    guard frames != nil || kind == .unread(.fragment) else {
      if kind == .tcp { noteCut(headers) }
      return []
    }
    return reducedPacket(headers, kind, packet, record, frames, frame, isSplit: isSplit).map { [($0, frames)] } ?? []
  }

  /// A packet of an extract, with the length that it had on the wire.
  private struct ReducedPacket {
    var bytes: Bytes
    var originalLength: Int
    var linkType: LinkType
  }

  /// Returns a packet without what no verdict depends on; nil if it cannot be written. If `isSplit`, it becomes raw IP.
  private mutating func reducedPacket(
    _ headers: PacketHeaders, _ kind: PacketHeaders.Kind, _ packet: Span<UInt8>, _ record: PacketRecord,
    _ frames: ChosenSessions.SessionFrames?, _ frame: UInt64, isSplit: Bool
  ) -> ReducedPacket? {
    var bytes = Bytes(copying: packet)
    let range = headers.payloadOffset..<(headers.payloadOffset + headers.payloadLength)
    guard range.upperBound <= bytes.count else { return nil }
    let validity = headers.checksum(of: bytes.span).validity(adding: bytes.span.extracting(range))
    if kind == .tcp {
      let payload = reduced(Bytes(bytes[range]), headers, frame)
      if !payload.elementsEqual(bytes[range]) {
        bytes.replaceSubrange(range, with: payload)
        headers.writeChecksum(validity, into: &bytes)
      }
      noteEnd(headers)
    } else if headers.isICMP(kind) {
      bytes.replaceSubrange(range, with: reducedReport(Bytes(bytes[range]), headers))
    } else if kind == .udp, frames?.isQUIC == true {
      var payload = quic.reduced(Bytes(bytes[range]), lengthOnWire: headers.payloadLengthOnWire)
      if anonymizer != nil { payload = tokens.cleared(payload) }
      bytes.replaceSubrange(range, with: payload)
    } else if kind == .udp, let first = bytes[range].first, !DTLSRecord.firstBytes.contains(first) {
      // Other datagrams between these endpoints may identify users.
      bytes.replaceSubrange(range, with: Bytes(repeating: 0, count: range.count))
    }
    guard anonymizer != nil || isSplit else {
      return ReducedPacket(bytes: bytes, originalLength: record.originalLength, linkType: record.linkType)
    }
    guard let raw = rebuilt(Bytes(bytes[range]), headers, kind) else {
      leftOut += 1
      return nil
    }
    var whole = ReducedPacket(bytes: raw.0, originalLength: raw.1, linkType: LinkType(rawValue: 101))
    var written = PacketHeaders()
    // Checksums decide between copies that disagree, so a checksum that was right or wrong stays so.
    if written.decode(whole.bytes.span, linkType: 101) == .tcp { written.writeChecksum(validity, into: &whole.bytes) }
    return whole
  }

  /// The process to attribute a packet to; nil if the packet's own header names it.
  private static func attribution(
    _ process: CapturedProcess?, _ frames: ChosenSessions.SessionFrames?, _ linkType: LinkType
  ) -> CapturedProcess? {
    if process?.source == .pktap, linkType == .pktap || linkType == .user2 { return nil }
    // A process may have been named only after this packet.
    if let process, process.name != nil { return process }
    return frames?.process ?? process
  }

  // MARK: What is copied

  private func frames(of headers: PacketHeaders, _ kind: PacketHeaders.Kind, _ frame: UInt64) -> ChosenSessions.SessionFrames? {
    switch kind {
    case .tcp:
      let connection = PacketCopying.connection(headers, isUDP: false)
      let flags = headers.flags
      let isBare = headers.payloadLengthOnWire == 0 && !flags.changeConnection
      let showsLoss = map.isFirstAfterLostRequest(headers, at: frame)
      if let frames = chosen.frames(of: connection, in: name, at: frame, isBare: isBare) { return frames }
      guard let frames = chosen.framesBefore(frame, of: connection, in: name),
        map.beginning(of: connection, at: frame)?.frame == frames.start
      else { return nil }
      // Without a packet after it, nothing would show that a request was lost.
      if showsLoss { return frames }
      // The packet that closed the connection, provided that nothing before it was omitted.
      let isClosing = headers.payloadLengthOnWire == 0 && (flags.contains(.fin) || flags.contains(.rst))
      return isClosing && isWhole(headers) ? frames : nil
    case .udp:
      return chosen.frames(of: PacketCopying.connection(headers, isUDP: true), in: name, at: frame, isBare: false)
    case .unread: return nil
    }
  }

  /// The session that an ICMP message is about.
  private func frames(ofReport headers: PacketHeaders, _ packet: Span<UInt8>, _ frame: UInt64) -> ChosenSessions.SessionFrames? {
    let range = headers.payloadOffset..<(headers.payloadOffset + headers.payloadLength)
    guard range.upperBound <= packet.count,
      let report = ICMPUnreachable(packet.extracting(range), isIPv6: headers.source.isIPv6)
    else { return nil }
    let connection = ChosenSessions.Connection(report.source, report.destination, isUDP: !report.isTCP)
    return chosen.frames(of: connection, in: name, at: frame, isBare: false)
  }

  /// An ICMP message whose quoted packet is reduced to ports and sequence numbers, with addresses replaced if required. Checksums, which
  /// would reveal the replaced bytes, become zero.
  private mutating func reducedReport(_ message: Bytes, _ headers: PacketHeaders) -> Bytes {
    guard let report = ICMPUnreachable(message.span, isIPv6: headers.source.isIPv6) else { return [] }
    var message = message
    var zeros = [2..<4, report.payload]
    if anonymizer != nil {
      let addresses = [report.source.address, report.destination.address]
      let replaced = addresses.flatMap { (anonymizer?.replacement(of: $0) ?? $0).bytes }
      guard replaced.count == report.addresses.count else { return [] }
      message.replaceSubrange(report.addresses, with: replaced)
      // The checksums of the quoted IPv4 header and datagram.
      if !headers.source.isIPv6 {
        zeros.append((report.addresses.lowerBound - 2)..<report.addresses.lowerBound)
      }
      if !report.isTCP { zeros.append((report.payload.lowerBound - 2)..<report.payload.lowerBound) }
    }
    for range in zeros { for index in range { message[index] = 0 } }
    return message
  }

  private static func connection(_ headers: PacketHeaders, isUDP: Bool) -> ChosenSessions.Connection {
    ChosenSessions.Connection(headers.sender, headers.receiver, isUDP: isUDP)
  }

  private static func direction(_ headers: PacketHeaders) -> FlowEndpoints {
    FlowEndpoints(source: headers.sender, destination: headers.receiver)
  }

  /// Whether everything before a closing packet was copied. Otherwise its sequence numbers would reveal a gap.
  private func isWhole(_ headers: PacketHeaders) -> Bool {
    let direction = PacketCopying.direction(headers)
    let other = FlowEndpoints(source: direction.destination, destination: direction.source)
    return ends[direction] != nil && !cutOff.contains(direction) && !cutOff.contains(other)
  }

  /// Records that data of a direction after the copied bytes was omitted.
  private mutating func noteCut(_ headers: PacketHeaders) {
    // The payload of a RST explains the reset.
    guard headers.payloadLengthOnWire > 0, !headers.flags.contains(.rst) else { return }
    let direction = PacketCopying.direction(headers)
    let end = headers.sequence &+ UInt32(truncatingIfNeeded: headers.payloadLengthOnWire)
    if let known = ends[direction], SequenceNumber(known).distance(to: SequenceNumber(end)) > 0 {
      cutOff.insert(direction)
    }
  }

  /// Records the end of the copied bytes of a direction.
  private mutating func noteEnd(_ headers: PacketHeaders) {
    let direction = PacketCopying.direction(headers)
    let isFirst = headers.flags.contains(.syn)
    let end = headers.sequence &+ UInt32(truncatingIfNeeded: headers.payloadLengthOnWire) &+ (isFirst ? 1 : 0)
    guard let known = ends[direction], !isFirst else {
      ends[direction] = end
      cutOff.remove(direction)
      return
    }
    if SequenceNumber(known).distance(to: SequenceNumber(end)) > 0 { ends[direction] = end }
  }

  private func reduced(_ payload: Bytes, _ headers: PacketHeaders, _ frame: UInt64) -> Bytes {
    if payload.isEmpty { return payload }
    return map.reduced(
      payload, of: PacketCopying.connection(headers, isUDP: false), in: ConnectionKey.make(headers).direction,
      sequence: headers.flags.contains(.syn) ? headers.sequence &+ 1 : headers.sequence, at: frame)
  }

  /// The packet as raw IP, with addresses replaced if required.
  private mutating func rebuilt(_ payload: Bytes, _ headers: PacketHeaders, _ kind: PacketHeaders.Kind) -> (Bytes, Int)? {
    let source = anonymizer?.replacement(of: headers.source) ?? headers.source
    let destination = anonymizer?.replacement(of: headers.destination) ?? headers.destination
    var payload = payload
    if kind == .unread(.fragment) { headers.adaptChecksum(of: &payload, to: source, destination) }
    return RawIPPacket(source: source, destination: destination, headers: headers, kind: kind, payload: payload).rendered()
  }
}
