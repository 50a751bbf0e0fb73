public import ByteParsing
import CaptureFormats
import Crypto
import InputSources
import PacketParsing
import SessionObservation
import SessionRecords
import Values

/// Copies the packets that hold the handshakes of chosen sessions into a small pcapng.
///
/// The inputs are read three times: for the sessions, for where their connections begin, and for their packets.
public struct Extraction {
  private let options: AuditOptions
  private let anonymizes: Bool
  private var chosen = ChosenSessions()

  /// How reading the sessions ended.
  public let outcome: RunOutcome

  /// How many packets were written.
  public private(set) var packets: UInt64 = 0

  /// How many sessions were chosen.
  public var sessions: Int { chosen.count }

  /// Captures whose packets could not be copied, because they cannot be read more than once.
  public private(set) var notReached: [String] = []

  /// Fragments that were left out: what cannot be taken out of them must not be copied.
  public private(set) var leftOut: UInt64 = 0

  /// Key logs that are too long to choose secrets from; the copy holds none of theirs.
  public private(set) var keyLogsLeftOut: [String] = []

  /// Finds the sessions that the options choose.
  public init(_ options: AuditOptions, anonymizes: Bool) {
    self.options = options
    self.anonymizes = anonymizes
    var sink = PlacesSink(choice: SessionChoice(options))
    outcome = Audit.read(options, into: &sink)
    chosen = sink.chosen
  }

  private struct PlacesSink: SessionSink, ~Copyable {
    var chosen = ChosenSessions()
    let choice: SessionChoice

    init(choice: SessionChoice) { self.choice = choice }

    mutating func take(_ session: ObservedSession) {
      guard choice.takes(session) else { return }
      var random: String?
      if let bytes = session.tls?.clientRandom, !bytes.isEmpty {
        var text = Bytes()
        text.appendJSONHexadecimal(bytes)
        random = String(decoding: text.dropFirst().dropLast(), as: UTF8.self)
      }
      chosen.add(session, random: random)
    }
  }

  /// Writes the capture through `write`, which returns false when nobody wants more.
  public mutating func write(_ write: (borrowing Bytes) -> Bool) {
    var output = Bytes()
    var writer = PcapngWriter()
    let note =
      anonymizes
      ? "handshakes of chosen sessions; addresses replaced, names and certificates as they were"
      : "handshakes of chosen sessions"
    writer.begin(application: "atscope \(Audit.version)", comment: note, to: &output)
    let groups = InputFinder(series: options.reading.series).find(options.inputs).groups
    var key = SHA256()
    for random in chosen.randoms.sorted() { key.update(data: Array(random.utf8)) }
    key.update(data: chosen.seed)
    var anonymizer =
      anonymizes
      ? Anonymizer(key: Bytes(key.finalize()), identities: chosen.identities) : nil
    for file in options.reading.keyLogs {
      guard let log = try? FileContents.read(file, limit: Extraction.keyLogLimit) else {
        keyLogsLeftOut.append(file)
        continue
      }
      copySecrets(log, writer, to: &output)
    }
    var missing = Set(chosen.places.keys)
    for group in groups {
      // The files of a series are one capture by the name of the first, and their frame numbers run on.
      guard let name = group.files.first?.displayName, missing.remove(name) != nil else { continue }
      var framesBefore: UInt64 = 0
      for file in group.files { framesBefore += findStarts(in: file, of: name, framesBefore) }
      for file in group.files { copySecrets(of: file, writer, to: &output) }
      framesBefore = 0
      for file in group.files {
        let count = copyPackets(of: file, name, framesBefore, &writer, &anonymizer, &output, write)
        guard let count else { return }
        framesBefore += count
      }
    }
    notReached = missing.sorted()
    _ = write(output)
  }

  // MARK: Passes

  private func reader(of file: InputFile) -> CaptureReader? {
    guard let opened = try? file.open(), case .capture = opened.kind else { return nil }
    return try? CaptureReader(opened.source)
  }

  /// Returns how many packets the file holds.
  private mutating func findStarts(in file: InputFile, of name: String, _ framesBefore: UInt64) -> UInt64 {
    guard var reader = reader(of: file) else { return 0 }
    var headers = PacketHeaders()
    while let record = try? reader.next() {
      var kind: PacketHeaders.Kind? = headers.decode(
        reader.bytes(of: record), linkType: record.linkType.rawValue)
      let isSplit = kind == .unread(.aggregate)
      while let present = kind {
        if present == .tcp, headers.flags.contains(.syn), !headers.flags.contains(.ack) {
          chosen.noteStart(
            of: Extraction.connection(headers, isUDP: false), in: name, at: framesBefore + record.frameNumber)
        }
        kind = isSplit ? headers.decodeSubframe(reader.bytes(of: record)) : nil
      }
    }
    return reader.packetCount
  }

  private static func connection(_ headers: PacketHeaders, isUDP: Bool) -> ChosenSessions.Connection {
    ChosenSessions.Connection(
      Endpoint(address: headers.source, port: headers.sourcePort),
      Endpoint(address: headers.destination, port: headers.destinationPort), isUDP: isUDP)
  }

  /// Secrets stand in front of the packets, and only those that open the handshakes of chosen sessions.
  private func copySecrets(of file: InputFile, _ writer: PcapngWriter, to output: inout Bytes) {
    guard var reader = reader(of: file) else { return }
    while (try? reader.next()) != nil {}
    // Only key logs have lines to choose from; other forms of secrets open everything, and are left out.
    for secrets in reader.metadata.secrets where secrets.type == .tlsKeyLog {
      copySecrets(secrets.data, writer, to: &output)
    }
  }

  private func copySecrets(_ log: Bytes, _ writer: PcapngWriter, to output: inout Bytes) {
    var lines = Bytes()
    for line in log.split(separator: 0x0A) {
      let words = line.split(whereSeparator: { $0 == 0x20 || $0 == 0x0D })
      guard words.count == 3 else { continue }
      let label = String(decoding: words[0], as: UTF8.self)
      let random = String(decoding: words[1], as: UTF8.self).lowercased()
      guard Extraction.handshakeLabels.contains(label), chosen.randoms.contains(random) else { continue }
      lines += line.filter { $0 != 0x0D }
      lines.append(0x0A)
    }
    if !lines.isEmpty { writer.secrets(.tlsKeyLog, lines, to: &output) }
  }

  /// The longest key log that is read for its secrets.
  private static let keyLogLimit = 256 << 20

  private static let handshakeLabels: Set<String> = [
    "CLIENT_HANDSHAKE_TRAFFIC_SECRET", "SERVER_HANDSHAKE_TRAFFIC_SECRET",
  ]

  /// One direction of a connection, for cleartext HTTP.
  private struct Direction: Hashable {
    var source: Endpoint
    var destination: Endpoint
  }

  private mutating func copyPackets(
    of file: InputFile, _ name: String, _ framesBefore: UInt64, _ writer: inout PcapngWriter,
    _ anonymizer: inout Anonymizer?, _ output: inout Bytes,
    _ write: (borrowing Bytes) -> Bool
  ) -> UInt64? {
    guard var reader = reader(of: file) else { return 0 }
    var headers = PacketHeaders()
    var directions: [Direction: HTTPReduction] = [:]
    while let record = try? reader.next() {
      var kind: PacketHeaders.Kind? = headers.decode(
        reader.bytes(of: record), linkType: record.linkType.rawValue)
      let process = reader.mayNameProcesses ? reader.process(of: record) : nil
      // The packets of a frame of 802.11 that holds several are written one by one, without it.
      let isSplit = kind == .unread(.aggregate)
      while let present = isSplit ? headers.decodeSubframe(reader.bytes(of: record)) : kind {
        kind = nil
        guard let place = place(of: headers, present, name, framesBefore + record.frameNumber) else {
          continue
        }
        var bytes = Bytes(copying: reader.bytes(of: record))
        let range = headers.payloadOffset..<(headers.payloadOffset + headers.payloadLength)
        guard range.upperBound <= bytes.count else { continue }
        if present == .tcp, !range.isEmpty {
          var payload = Bytes(bytes[range])
          let isPreamble = place.hasPreamble && framesBefore + record.frameNumber < place.first
          if isPreamble { Preamble.hideUser(&payload) }
          if place.holdsHTTP { payload = reduce(payload, headers, &directions, isPreamble: isPreamble) }
          if anonymizes { Preamble.hideAddresses(&payload) }
          bytes.replaceSubrange(range, with: payload)
        } else if present == .tcp, place.holdsHTTP {
          _ = reduce([], headers, &directions, isPreamble: false)
        }
        var linkType = record.linkType
        var originalLength = record.originalLength
        if anonymizer != nil || isSplit {
          guard let plain = rebuilt(Bytes(bytes[range]), headers, present, &anonymizer) else {
            leftOut += 1
            continue
          }
          (bytes, originalLength) = plain
          linkType = LinkType(rawValue: 101)
        }
        let interface = writer.interface(for: linkType, to: &output)
        writer.packet(
          bytes.span, originalLength: originalLength, interface: interface,
          time: record.hasTimestamp ? record.timestamp : nil,
          process: Extraction.attribution(process, place, linkType), to: &output)
        packets += 1
        if output.count >= 1 << 16 {
          guard write(output) else { return nil }
          output.removeAll(keepingCapacity: true)
        }
      }
    }
    return reader.packetCount
  }

  /// The process to be written beside a packet; nil where the packet's own header names it.
  private static func attribution(
    _ process: CapturedProcess?, _ place: ChosenSessions.Place, _ linkType: LinkType
  ) -> CapturedProcess? {
    if process?.source == .pktap, linkType == .pktap || linkType == .user2 { return nil }
    // A name may have come later than the packet.
    if let process, process.name != nil { return process }
    return place.process ?? process
  }

  private mutating func place(
    of headers: PacketHeaders, _ kind: PacketHeaders.Kind, _ file: String, _ frame: UInt64
  ) -> ChosenSessions.Place? {
    switch kind {
    case .tcp:
      let isBare =
        headers.payloadLengthOnWire == 0 && !headers.flags.contains(.syn) && !headers.flags.contains(.rst)
      return chosen.place(
        of: Extraction.connection(headers, isUDP: false), in: file, at: frame, isBare: isBare)
    case .udp:
      return chosen.place(of: Extraction.connection(headers, isUDP: true), in: file, at: frame, isBare: false)
    case .unread(.fragment):
      // Whose it is only the whole datagram tells; its ends are enough.
      guard
        chosen.isInReach(
          ChosenSessions.Addresses(headers.source, headers.destination), in: file, at: frame,
          isTunnel: ![6, 17].contains(headers.fragment.protocolNumber))
      else { return nil }
      if chosen.holdsCleartext {
        leftOut += 1
        return nil
      }
      return ChosenSessions.Place(
        first: frame, last: frame, start: frame, needsBeginning: false, holdsHTTP: false,
        hasPreamble: false, server: Endpoint(address: headers.destination, port: 0), process: nil)
    case .unread: return nil
    }
  }

  private func reduce(
    _ payload: Bytes, _ headers: PacketHeaders, _ directions: inout [Direction: HTTPReduction],
    isPreamble: Bool
  ) -> Bytes {
    let source = Endpoint(address: headers.source, port: headers.sourcePort)
    let destination = Endpoint(address: headers.destination, port: headers.destinationPort)
    let direction = Direction(source: source, destination: destination)
    var reduction = directions[direction] ?? HTTPReduction()
    if headers.flags.contains(.syn) {
      reduction = HTTPReduction()
      reduction.begin(at: headers.sequence &+ 1)
    }
    defer { directions[direction] = reduction }
    if payload.isEmpty { return payload }
    // What is agreed with a proxy stands in front of the first request; so does the header of another one.
    if isPreamble || reduction.isUnused,
      let count = isPreamble ? payload.count : Preamble.proxyHeader(payload)
    {
      reduction.begin(at: headers.sequence &+ UInt32(truncatingIfNeeded: count))
      if count == payload.count { return payload }
      let rest = Bytes(payload[count...])
      return Bytes(payload[..<count])
        + reduction.reduce(rest, sequence: headers.sequence &+ UInt32(truncatingIfNeeded: count))
    }
    let other = directions[Direction(source: destination, destination: source)]
    if other?.sawTunnel == true { reduction.expectTunnel() }
    return reduction.reduce(payload, sequence: headers.sequence)
  }

  /// A packet of raw IP, with other addresses where they are to be replaced.
  private func rebuilt(
    _ payload: Bytes, _ headers: PacketHeaders, _ kind: PacketHeaders.Kind, _ anonymizer: inout Anonymizer?
  ) -> (Bytes, Int)? {
    let source = anonymizer?.replacement(of: headers.source) ?? headers.source
    let destination = anonymizer?.replacement(of: headers.destination) ?? headers.destination
    return PlainPacket(
      source: source, destination: destination, headers: headers, kind: kind, payload: payload
    ).rendered()
  }
}
