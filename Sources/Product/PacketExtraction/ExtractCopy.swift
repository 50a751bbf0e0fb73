package import ByteParsing
import CaptureFormats
import HandshakeDecryption
package import InputSources
import Reassembly
import SessionModel
package import SessionReading
import SessionTracking
import Values

/// Copies the packets of chosen sessions into one pcapng, with the names and secrets that they require.
package struct ExtractCopy {
  package private(set) var packets: UInt64 = 0

  /// Captures that cannot be read again, and names of several captures in memory, of which only the first was copied.
  package private(set) var notReached: [String] = []

  /// Captures of which the inputs contain only saved sessions.
  package private(set) var savedAlone: [String] = []

  /// The number of IP fragments that were omitted, since they could not be redacted.
  package private(set) var leftOut: UInt64 = 0

  /// The first frames of sessions with omitted fragments, by capture.
  package private(set) var incompleteSessions: [String: [UInt64]] = [:]

  /// Captures with more cleartext than is tracked.
  package private(set) var reducedToZeros: [String] = []

  /// Key logs that cannot be read again, or are too long.
  package private(set) var keyLogsLeftOut: [String] = []

  /// The number of connections between the same endpoints as in another capture.
  package let repeatedConnections: Int

  private var chosen: ChosenSessions
  private let inputs: [AuditInput]
  private let options: ReadingOptions
  private let anonymizationKey: AnonymizationKey?

  /// One for each pass, so that an archive is not read from its start for every member.
  private let openers = (announced: InputOpener(), survey: InputOpener(), secrets: InputOpener(), packets: InputOpener())

  /// The program that the capture names as its writer.
  private let application: String

  package init(
    of chosen: ChosenSessions, in inputs: [AuditInput], _ options: ReadingOptions, _ anonymizationKey: AnonymizationKey?,
    application: String
  ) {
    self.chosen = chosen
    self.chosen.reachAnnouncements()
    repeatedConnections = chosen.repeatedConnections
    self.inputs = inputs
    self.options = options
    self.anonymizationKey = anonymizationKey
    self.application = application
  }

  /// Writes the capture through `write`, which returns false once its reader is gone.
  package mutating func write(_ write: (Bytes) -> Bool) {
    var output = Bytes()
    var writer = PcapngWriter()
    let note =
      anonymizationKey != nil
      ? "handshakes of selected sessions; addresses replaced, names and certificates unchanged" : "handshakes of selected sessions"
    writer.begin(application: application, comment: note, to: &output)
    let groups = options.find(inputs).groups
    var anonymizer = anonymizationKey.map { Anonymizer(key: $0, identities: chosen.identities) }
    copyNames(writer, &anonymizer, to: &output)
    for file in options.keyLogs {
      guard let log = try? FileContents.read(file, limit: ExtractCopy.maximumKeyLogByteCount) else {
        keyLogsLeftOut.append(file)
        continue
      }
      copySecrets(log, writer, to: &output)
    }
    var logs = KeyLogs()
    if chosen.hasDecrypted { logs.read(options.keyLogs) }
    var missing = Set(chosen.sessionFrames.keys)
    var copied: [String: InputGroup] = [:]
    var ambiguous: Set<String> = []
    let pipes = Set(inputs.filter { !$0.canBeReadTwice }.map(\.displayName))
    for group in groups {
      // The files of a series count as one capture with the name of the first, and their frame numbers are consecutive.
      guard let name = group.files.first?.displayName, !pipes.contains(name) else { continue }
      if copied[name].map({ $0 != group }) == true { ambiguous.insert(name) }
      guard missing.remove(name) != nil else { continue }
      copied[name] = group
      let map = survey(group.files, of: name, logs.secrets)
      if var current = anonymizer {
        map.hideAddresses(by: &current)
        anonymizer = current
      }
      for file in group.files { copySecrets(of: file, writer, to: &output) }
      var copying = PacketCopying(name, chosen, map, choice: PacketChoice(options), anonymizer)
      let isWanted = group.files.allSatisfy { copying.copy($0, openers.packets, &writer, &output, write) }
      anonymizer = copying.anonymizer
      packets += copying.packets
      leftOut += copying.leftOut
      if !copying.incompleteSessions.isEmpty { incompleteSessions[name] = copying.incompleteSessions }
      guard isWanted else { return }
      if map.losesCleartext { reducedToZeros.append(name) }
    }
    notReached = ambiguous.union(missing.filter(isInput)).sorted()
    savedAlone = missing.filter { !isInput($0) }.sorted()
    _ = write(output)
  }

  /// Whether an input is a capture or contains one.
  private func isInput(_ capture: String) -> Bool { inputs.contains { $0.contains(capture) } }

  // MARK: Passes

  /// Reads a capture like an audit, to find where its connections begin and what their cleartext is.
  private mutating func survey(_ files: [InputFile], of name: String, _ secrets: SecretStore) -> ConnectionMap {
    let wanted = chosen.connections(in: name)
    let survey = PacketSurvey(of: wanted)
    let requestEnds = chosen.requestEnds(in: name)
    var connections: [ConnectionKey: ConnectionLayouts.Wanted] = [:]
    for (connection, last) in wanted where !connection.isUDP {
      connections[connection.key] = ConnectionLayouts.Wanted(last: last, requestEnds: requestEnds[connection] ?? [])
    }
    let layouts = ConnectionLayouts(of: connections)
    var tracker = SessionTracker(file: name)
    tracker.observer = layouts
    // Only decryption shows where a client's handshake with certificates ends.
    tracker.secrets = secrets
    if chosen.hasDecrypted {
      var blocks = CaptureSecrets()
      for file in files {
        guard let opened = try? openers.announced.open(file), case .capture = opened.kind else { continue }
        blocks.gather(opened.source, into: &tracker.secrets)
      }
    }
    var choice = PacketChoice(options)
    for file in files {
      guard var reader = file.captureReader(openers.survey) else { continue }
      while let record = try? reader.next() {
        if choice?.takes(record, reader.bytes(of: record)) == false { continue }
        let reference = PacketReference(
          frame: tracker.framesBefore &+ record.frameNumber, time: record.hasTimestamp ? record.timestamp : nil)
        layouts.frame = reference.frame
        let moves = layouts.moves.count
        tracker.process(reader.bytes(of: record), linkType: record.linkType.rawValue, originalLength: record.originalLength, at: reference)
        for move in layouts.moves[moves...] { survey.follow(move.from, to: move.to) }
        survey.read(reader.bytes(of: record), linkType: record.linkType.rawValue, at: reference)
        tracker.clearFinished()
      }
      tracker.framesBefore &+= reader.frameCount
    }
    tracker.finish()
    survey.finish()
    let map = ConnectionMap(layouts, survey)
    chosen.complete(name, by: map)
    return map
  }

  /// Writes the names of addresses, since the packets that contained them are not copied.
  private func copyNames(_ writer: PcapngWriter, _ anonymizer: inout Anonymizer?, to output: inout Bytes) {
    guard !chosen.names.isEmpty else { return }
    let known = chosen.names.map { address, names in
      (address: anonymizer?.replacement(of: address) ?? address, names: names)
    }
    writer.names(known.sorted { $0.address.bytes.lexicographicallyPrecedes($1.address.bytes) }, to: &output)
  }

  /// Copies the secrets of a capture that decrypt chosen handshakes. In the extract, secrets precede the packets.
  private func copySecrets(of file: InputFile, _ writer: PcapngWriter, to output: inout Bytes) {
    guard var reader = file.captureReader(openers.secrets) else { return }
    while (try? reader.next()) != nil {}
    // Only key logs can be filtered by session. Other kinds of secrets decrypt everything, and are omitted.
    for secrets in reader.metadata.secrets where secrets.type == .tlsKeyLog {
      copySecrets(secrets.data, writer, to: &output)
    }
  }

  private func copySecrets(_ log: Bytes, _ writer: PcapngWriter, to output: inout Bytes) {
    var lines = Bytes()
    func take(_ line: Span<UInt8>?) {
      guard let line, let random = KeyLogLine(line)?.handshakeRandom, chosen.randoms.contains(random) else { return }
      lines.append(copying: line)
      lines.append(0x0A)
      if lines.count >= ExtractCopy.secretsBlockByteCount {
        writer.secrets(.tlsKeyLog, lines, to: &output)
        lines.removeAll(keepingCapacity: true)
      }
    }
    var reader = KeyLogLines()
    reader.read(log.span, take)
    reader.finish(take)
    if !lines.isEmpty { writer.secrets(.tlsKeyLog, lines, to: &output) }
  }

  /// The size from which a block of secrets is followed by another, in bytes: readers limit the length of a block.
  private static let secretsBlockByteCount = 64 << 10

  /// The maximum size of a key log, in bytes.
  private static let maximumKeyLogByteCount = 256 << 20
}
