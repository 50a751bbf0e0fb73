public import ByteParsing
import CaptureFormats
import HandshakeDecryption
import InputSources
import Reassembly
import SessionModel
import SessionTracking
import Values

/// Copies the packets that contain the handshakes of chosen sessions into a small pcapng.
///
/// The inputs are read three times: for the sessions, for the connections and their cleartext, and for the packets. If secrets decrypted a
/// session, they are read once more for the secrets that they contain.
public struct Extraction: Sendable {
  /// The inputs, and the choice of hosts and processes.
  public var options: AuditOptions

  /// The secret of the pseudonyms that replace addresses; nil to keep addresses.
  public var anonymizationKey: AnonymizationKey?

  /// Creates an extraction of the sessions that the options choose.
  public init(_ options: AuditOptions, anonymizationKey: AnonymizationKey? = nil) {
    self.options = options
    self.anonymizationKey = anonymizationKey
  }

  /// Finds the sessions and writes the capture through `write`, which returns false once its reader is gone.
  public func write(to write: (borrowing Bytes) -> Bool) -> Result {
    var sink = ChosenSink(choice: SessionChoice(options))
    let outcome = Audit.read(options, into: &sink)
    sink.chosen.reachAnnouncements()
    let result = Result(outcome: outcome, sessions: sink.chosen.count)
    var copy = ExtractCopy(
      options: options, anonymizationKey: anonymizationKey, chosen: sink.chosen, hasDecrypted: sink.hasDecrypted, result: result)
    copy.write(write)
    return copy.result
  }

  /// The number of sessions and packets that were copied, and what was omitted.
  public struct Result: JobResult {
    /// The outcome of reading the sessions.
    public let outcome: RunOutcome

    /// The number of sessions that were chosen.
    public let sessions: Int

    /// The number of packets that were written.
    public internal(set) var packets: UInt64 = 0

    /// Captures whose packets could not be copied because they cannot be read more than once.
    public internal(set) var notReached: [String] = []

    /// Captures whose packets could not be copied because the inputs contain only their saved sessions.
    public internal(set) var savedAlone: [String] = []

    /// The number of IP fragments that were omitted, since they could not be redacted.
    public internal(set) var leftOut: UInt64 = 0

    /// Captures with too many cleartext requests; some were replaced with zeros.
    public internal(set) var reducedToZeros: [String] = []

    /// Key logs that cannot be read twice or are longer than 256 MiB; none of their secrets were copied.
    public internal(set) var keyLogsLeftOut: [String] = []

    /// A clause that explains why no packet was written although sessions were chosen; nil if packets were written, or no session was
    /// chosen.
    public var whyEmpty: String? {
      guard packets == 0, sessions > 0 else { return nil }
      if !savedAlone.isEmpty, notReached.isEmpty {
        return "the inputs are saved sessions, which contain no packets"
      }
      if !notReached.isEmpty { return "no input can be read a second time" }
      if leftOut > 0 { return "all packets are IP fragments that cannot be redacted" }
      return
        "the packets of these sessions were not found again: the inputs changed, or their connections cannot be distinguished"
    }
  }

  private struct ChosenSink: SessionSink, ~Copyable {
    var chosen = ChosenSessions()
    var hasDecrypted = false
    let choice: SessionChoice

    init(choice: SessionChoice) { self.choice = choice }

    mutating func take(_ session: ObservedSession) {
      guard choice.takes(session) else { return }
      if session.tls?.isDecrypted == true { hasDecrypted = true }
      let randoms = [session.tls?.clientRandom, session.tls?.innerRandom].compactMap { $0 }
      chosen.add(session, randoms: randoms.filter { !$0.isEmpty }.map(hexadecimal))
    }
  }

  static func reader(of file: InputFile) -> CaptureReader? {
    guard let opened = try? file.open(), case .capture = opened.kind else { return nil }
    return try? CaptureReader(opened.source)
  }
}

private struct ExtractCopy {
  let options: AuditOptions
  let anonymizationKey: AnonymizationKey?
  var chosen: ChosenSessions

  /// Whether secrets decrypted the handshake of a chosen session.
  let hasDecrypted: Bool

  var result: Extraction.Result

  mutating func write(_ write: (borrowing Bytes) -> Bool) {
    var output = Bytes()
    var writer = PcapngWriter()
    let note =
      anonymizationKey != nil
      ? "handshakes of selected sessions; addresses replaced, names and certificates unchanged"
      : "handshakes of selected sessions"
    writer.begin(application: "atscope \(Audit.version)", comment: note, to: &output)
    let groups = options.find().groups
    var anonymizer = anonymizationKey.map { Anonymizer(key: $0, identities: chosen.identities) }
    copyNames(writer, &anonymizer, to: &output)
    for file in options.reading.keyLogs {
      guard let log = try? FileContents.read(file, limit: ExtractCopy.maximumKeyLogByteCount) else {
        result.keyLogsLeftOut.append(file)
        continue
      }
      copySecrets(log, writer, to: &output)
    }
    var logs = KeyLogs()
    if hasDecrypted { logs.read(options.reading.keyLogs) }
    var missing = Set(chosen.sessionFrames.keys)
    for group in groups {
      // The files of a series count as one capture with the name of the first, and their frame numbers are consecutive.
      guard let name = group.files.first?.displayName, missing.remove(name) != nil else { continue }
      let map = survey(group.files, of: name, logs.secrets)
      if var present = anonymizer {
        map.hideAddresses(by: &present)
        anonymizer = present
      }
      for file in group.files { copySecrets(of: file, writer, to: &output) }
      var copying = PacketCopying(name, chosen, map, choice: PacketChoice(options.reading), anonymizer)
      let isWanted = group.files.allSatisfy { copying.copy($0, &writer, &output, write) }
      anonymizer = copying.anonymizer
      result.packets += copying.packets
      result.leftOut += copying.leftOut
      guard isWanted else { return }
      if map.losesCleartext { result.reducedToZeros.append(name) }
    }
    result.notReached = missing.filter(isInput).sorted()
    result.savedAlone = missing.filter { !isInput($0) }.sorted()
    _ = write(output)
  }

  /// Whether an input is a capture or contains one.
  private func isInput(_ capture: String) -> Bool {
    options.inputs.map(\.displayName).contains {
      capture == $0 || capture.hasPrefix($0 + "!") || capture.hasPrefix($0 + "/")
    }
  }

  // MARK: Passes

  /// Reads a capture like an audit, to find where its connections begin and what their cleartext is.
  private mutating func survey(
    _ files: [InputFile], of name: String, _ secrets: SecretStore
  ) -> ConnectionMap {
    let wanted = chosen.connections(in: name)
    let survey = PacketSurvey(of: wanted)
    let requestEnds = chosen.requestEnds(in: name)
    var connections: [ConnectionKey: ConnectionLayouts.Wanted] = [:]
    for (connection, last) in wanted where !connection.isUDP {
      connections[connection.key] = ConnectionLayouts.Wanted(
        upTo: last, requestEnds: requestEnds[connection] ?? [])
    }
    let layouts = ConnectionLayouts(of: connections)
    var tracker = SessionTracker(file: name)
    tracker.layouts = layouts
    // Only decryption shows where a client's handshake with certificates ends.
    tracker.secrets = secrets
    if hasDecrypted {
      var blocks = CaptureSecrets()
      for file in files {
        guard let opened = try? file.open(), case .capture = opened.kind else { continue }
        blocks.gather(opened.source, into: &tracker.secrets)
      }
    }
    var choice = PacketChoice(options.reading)
    for file in files {
      guard var reader = Extraction.reader(of: file) else { continue }
      while let record = try? reader.next() {
        if choice?.takes(record, reader.bytes(of: record)) == false { continue }
        let reference = PacketReference(
          frame: tracker.framesBefore &+ record.frameNumber,
          time: record.hasTimestamp ? record.timestamp : nil)
        layouts.frame = reference.frame
        let moves = layouts.moves.count
        tracker.process(
          reader.bytes(of: record), linkType: record.linkType.rawValue,
          originalLength: record.originalLength, at: reference)
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
    guard var reader = Extraction.reader(of: file) else { return }
    while (try? reader.next()) != nil {}
    // Only key logs can be filtered by session. Other kinds of secrets decrypt everything, and are omitted.
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
      guard ExtractCopy.handshakeLabels.contains(label), chosen.randoms.contains(random) else { continue }
      lines += line.filter { $0 != 0x0D }
      lines.append(0x0A)
    }
    if !lines.isEmpty { writer.secrets(.tlsKeyLog, lines, to: &output) }
  }

  /// The maximum size of a key log, in bytes.
  private static let maximumKeyLogByteCount = 256 << 20

  private static let handshakeLabels: Set<String> = [
    "CLIENT_HANDSHAKE_TRAFFIC_SECRET", "SERVER_HANDSHAKE_TRAFFIC_SECRET", "ECH_SECRET", "ECH_CONFIG",
  ]
}
