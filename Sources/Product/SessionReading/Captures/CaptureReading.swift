import CaptureFormats
import HandshakeDecryption
import SessionLinking
import SessionModel
import SessionTracking
import Values

/// Reads one capture, in one part or in several consecutive parts.
struct CaptureReading: ~Copyable {
  private var tracker: SessionTracker
  private var choice: PacketChoice?
  private let chooses: Bool
  private var metadata: [CaptureMetadata] = []
  private var names = BlockNames()

  /// The files of a rotated capture that were begun; empty for other captures.
  private var parts: [CapturePart] = []

  /// The handshakes that later sessions may resume: those of earlier captures and of this one so far.
  private(set) var earlier: EarlierSessions
  private let chains: SuppliedChains
  private let seen: SeenSessions

  /// The number of the capture within the run.
  private let number: UInt32

  /// The number of packets in the parts read so far, selected or not.
  private var packets: UInt64 = 0

  private(set) var sessions: UInt64 = 0
  private(set) var secrets = CaptureSecrets()

  /// The secrets of the given key logs; nil if there are none.
  private let keyLog: SecretStore?

  /// Whether the key logs contain secrets of a session in the capture.
  private(set) var fitsKeyLog = false

  /// Whether the capture's secrets were read before its packets.
  private var hasGathered = false

  init(
    file: String, _ options: ReadingOptions, _ earlier: consuming EarlierSessions, chains: SuppliedChains, number: UInt32,
    secrets: SecretStore, seen: SeenSessions
  ) {
    self.seen = seen
    self.earlier = earlier
    self.number = number
    self.chains = chains
    tracker = SessionTracker(file: file)
    tracker.secrets = secrets
    keyLog = secrets.isEmpty ? nil : secrets
    choice = PacketChoice(options)
    chooses = choice != nil
  }

  /// Reads a part for its secrets only, so that secrets are known before the packets that they decrypt.
  mutating func gatherSecrets(from source: any ByteSource) {
    secrets.gather(source, into: &tracker.secrets)
    hasGathered = true
  }

  /// Whether secrets came after packets that they may decrypt.
  var secretsCameLate: Bool { secrets.cameLate && !hasGathered }

  mutating func beginPart(_ file: String) {
    parts.append(CapturePart(file: file, framesBefore: tracker.framesBefore))
  }

  /// Returns the files that contain the packets from one frame to another.
  private func parts(from first: UInt64, to last: UInt64) -> [CapturePart] {
    // Most sessions are close to the current file, which is the last.
    guard let begin = parts.lastIndex(where: { $0.framesBefore < first }) else { return [] }
    return Array(parts[begin...].prefix { $0.framesBefore < last })
  }

  /// Reads a part and passes on the sessions that end in it. Returns the number of its packets, and the errors that ended it early or cost
  /// secrets or a section.
  mutating func read(_ source: any ByteSource, into sink: inout some SessionSink & ~Copyable)
    throws(ReadingEnded) -> (packets: UInt64, errors: [CaptureError])
  {
    var reader: CaptureReader
    do throws(CaptureError) {
      reader = try CaptureReader(source)
    } catch {
      return (0, [error])
    }
    names.begin(framesBefore: tracker.framesBefore)
    var failure: CaptureError?
    let takesSecrets = reader.metadata.format == .pcapng && !hasGathered
    secrets.beginPart()
    // The loop over all other packets: it must do nothing more for each of them.
    while true {
      if !chooses, !reader.mayNameProcesses { try readFastRecords(&reader, into: &sink) }
      do throws(CaptureError) {
        guard try reader.advance() else { break }
      } catch {
        failure = error
        break
      }
      if takesSecrets, reader.metadata.secrets.count > secrets.takenBlocks {
        secrets.take(from: reader.metadata, into: &tracker.secrets)
      }
      let process = reader.mayNameProcesses ? reader.process(of: reader.record) : nil
      if chooses, choice?.takes(reader.record, reader.packet()) == false { continue }
      let hasFinished = tracker.process(
        reader.packet(), linkType: reader.record.linkType.rawValue, originalLength: reader.record.originalLength,
        at: PacketReference(frame: tracker.framesBefore &+ reader.record.frameNumber, time: reader.record.time), of: process)
      if hasFinished { try deliver(to: &sink, naming: reader.metadata.names) }
    }
    if takesSecrets { secrets.take(from: reader.metadata, into: &tracker.secrets) }
    names.learn(reader.metadata.names)
    packets += reader.packetCount
    tracker.framesBefore &+= reader.frameCount
    metadata.append(reader.metadata)
    return (reader.packetCount, [failure, reader.skipFault].compactMap { $0 })
  }

  /// Reads packets on the fast path, up to the next record that requires the general one.
  private mutating func readFastRecords(_ reader: inout CaptureReader, into sink: inout some SessionSink & ~Copyable) throws(ReadingEnded) {
    var records = reader.bufferedRecords
    let frames = tracker.framesBefore &+ reader.frameCount
    let linkType = records.linkType
    let isEthernet = linkType == .ethernet
    // The loops over the packets must do nothing more for each of them. The first is for Ethernet, the link type of nearly all captures.
    while isEthernet, let record = records.next() {
      let hasFinished = tracker.process(
        ethernet: record.packet, originalLength: record.originalLength,
        at: PacketReference(frame: frames &+ records.count, time: record.timestamp))
      if hasFinished { try deliver(to: &sink, naming: reader.metadata.names) }
    }
    if isEthernet { tracker.count(packets: records.count) }
    while !isEthernet, let record = records.next() {
      let hasFinished = tracker.process(
        record.packet, linkType: linkType.rawValue, originalLength: record.originalLength,
        at: PacketReference(frame: frames &+ records.count, time: record.timestamp))
      if hasFinished { try deliver(to: &sink, naming: reader.metadata.names) }
    }
    reader.pass(over: records.count, leaving: records.unread)
  }

  /// Ends the sessions that are still open after the last part.
  mutating func finish(into sink: inout some SessionSink & ~Copyable) throws(ReadingEnded) {
    while tracker.finishSome() { try deliver(to: &sink) }
    try deliver(to: &sink)
  }

  /// Passes on the sessions that have ended, with the names that the capture contains so far.
  private mutating func deliver(to sink: inout some SessionSink & ~Copyable, naming blocks: [CaptureName]) throws(ReadingEnded) {
    names.learn(blocks)
    try deliver(to: &sink)
  }

  private mutating func deliver(to sink: inout some SessionSink & ~Copyable) throws(ReadingEnded) {
    while var session = tracker.popFinished() {
      sessions += 1
      session.captureNumber = number
      if !parts.isEmpty { session.parts = parts(from: session.firstFrame, to: session.lastFrame) }
      if let keyLog, !fitsKeyLog, let tls = session.sharedTLS {
        // The random of a truncated ClientHello is not known, so the secrets may be those of the session.
        fitsKeyLog =
          tls.clientRandom.isEmpty && session.evidence.truncatedPackets > 0
          || keyLog.secrets(ofRandom: tls.innerRandom ?? tls.clientRandom) != nil || keyLog.innerKeys(ofRandom: tls.clientRandom) != nil
      }
      // Its secrets may be among those that were left out.
      if tracker.secrets.isTruncated { session.evidence.remove(.secretsMissing) }
      _ = earlier.complete(&session)
      seen.note(session)
      chains.complete(&session)
      if !names.isEmpty, session.isHostAddressKnown { session.nameHints += names.hints(for: session) }
      try sink.take(session)
    }
  }

  /// The account of what was read, and what was not.
  var account: CaptureAccount {
    CaptureAccount(metadata: metadata, health: tracker.health, packets: packets, choice: choice)
  }
}
