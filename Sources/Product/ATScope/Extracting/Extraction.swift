public import ByteParsing
public import PacketExtraction
import SessionModel
import SessionReading
import SessionRecords
import Values

/// Copies the packets that contain the handshakes of chosen sessions into a small pcapng.
///
/// The inputs are read several times: for the sessions, for the connections and their cleartext, for the secrets of their handshakes, and
/// for the packets.
public struct Extraction: Sendable {
  private let options: AuditOptions
  private let anonymizationKey: AnonymizationKey?

  /// Creates an extraction of the sessions that the options choose. Pseudonyms derived from the key replace addresses; without a key, the
  /// extract contains the addresses.
  public init(_ options: AuditOptions, anonymizationKey: AnonymizationKey? = nil) {
    self.options = options
    self.anonymizationKey = anonymizationKey
  }

  /// Finds the sessions and writes the capture through `write`. Reading ends if `write` throws.
  public func write<Failure: Error>(to write: @escaping (Bytes) throws(Failure) -> Void) throws(Failure) -> Counts {
    let first = FirstFailure<Failure>()
    let result = self.write(while: first.catching(write))
    try first.rethrow()
    return result
  }

  /// Finds the sessions and writes the capture through `write`, which returns false once its reader is gone.
  package func write(while write: (Bytes) -> Bool) -> Counts {
    var sink = ChosenSink(choice: SessionChoice(options))
    var options = options
    options.reading.countsSessions = false
    let outcome = Audit.read(options, into: &sink)
    var copy = ExtractCopy(of: sink.chosen, in: options.inputs, options.reading, anonymizationKey, application: "atscope \(Audit.version)")
    copy.write(write)
    let chosen = sink.chosen.counts.merging(sink.added) { $0 - $1 }
    return Counts(outcome: outcome, chosen: chosen, added: sink.added, copy: copy)
  }

  /// The number of sessions and packets that were copied, and what was omitted.
  public struct Counts: Sendable {
    /// The outcome of reading the sessions.
    public let outcome: RunOutcome

    /// The number of sessions that were chosen.
    public let sessions: Int

    /// The number of these sessions in captures that could be read again.
    package let copiedSessions: Int

    /// The number of other sessions that were copied because they show the intermediate that a chosen session lacks.
    public let intermediateSessions: Int

    /// The number of packets that were written.
    public let packets: UInt64

    /// Captures whose packets could not be copied because they cannot be read more than once, and names that several inputs in memory have,
    /// of which only the first was copied.
    public let unrepeatableCaptures: [String]

    /// Captures whose packets could not be copied because the inputs contain only their saved sessions.
    public let capturesWithoutPackets: [String]

    /// The number of IP fragments that were omitted, since they could not be redacted.
    public let omittedFragments: UInt64

    /// The first frames of the sessions that these fragments belong to, by capture. The extract may give them other verdicts.
    public let incompleteSessions: [String: [UInt64]]

    /// The number of connections between the same endpoints as in another capture. The extract is one capture, in which they may count as
    /// one connection.
    public let repeatedConnections: Int

    /// Captures with too many cleartext requests; some were replaced with zeros.
    public let zeroedCaptures: [String]

    /// Key logs that cannot be read twice or are longer than 256 MiB; none of their secrets were copied.
    public let omittedKeyLogs: [String]

    fileprivate init(outcome: RunOutcome, chosen: [String: Int], added: [String: Int], copy: ExtractCopy) {
      self.outcome = outcome
      let missing = Set(copy.notReached + copy.savedAlone)
      func copied(_ counts: [String: Int]) -> Int { counts.reduce(0) { $0 + (missing.contains($1.key) ? 0 : $1.value) } }
      sessions = chosen.values.reduce(0, +)
      (copiedSessions, intermediateSessions) = (copied(chosen), copied(added))
      (packets, omittedFragments) = (copy.packets, copy.leftOut)
      (unrepeatableCaptures, capturesWithoutPackets) = (copy.notReached, copy.savedAlone)
      (incompleteSessions, repeatedConnections) = (copy.incompleteSessions, copy.repeatedConnections)
      (zeroedCaptures, omittedKeyLogs) = (copy.reducedToZeros, copy.keyLogsLeftOut)
    }

    /// Whether everything was copied that the verdicts of the chosen sessions depend on, as far as it is in the inputs.
    package var isWhole: Bool {
      whyEmpty == nil && omittedFragments == 0 && unrepeatableCaptures.isEmpty && capturesWithoutPackets.isEmpty && zeroedCaptures.isEmpty
        && omittedKeyLogs.isEmpty
    }

    /// A line that names the saved sessions without packets, and the captures to give instead; nil if no capture is missing.
    package var adviceOnSavedSessions: String? {
      func listed(_ names: [String]) -> String { names.map(DisplayText.escaped).abbreviated(to: 3) }
      guard !capturesWithoutPackets.isEmpty else { return nil }
      let saved = outcome.summary.inputs.filter { $0.kind == .sessions }.map(\.file)
      let captures = capturesWithoutPackets.count.form(of: "the capture{ itself|s themselves}")
      return "\(listed(saved)): saved sessions contain no packets: give \(captures) (\(listed(capturesWithoutPackets)))"
    }

    /// A clause that explains why no packet was written although sessions were chosen; nil if packets were written, or no session was
    /// chosen.
    package var whyEmpty: String? {
      guard packets == 0, sessions > 0 else { return nil }
      if !capturesWithoutPackets.isEmpty, unrepeatableCaptures.isEmpty { return "the inputs are saved sessions, which contain no packets" }
      if !unrepeatableCaptures.isEmpty { return "no input can be read a second time" }
      if omittedFragments > 0 { return "all packets are IP fragments that cannot be redacted" }
      return "the packets of these sessions were not found again: the inputs changed, or their connections cannot be distinguished"
    }
  }

  private struct ChosenSink: SessionSink, ~Copyable {
    var chosen = ChosenSessions()
    /// The numbers of sessions that were added for their intermediates, by capture.
    var added: [String: Int] = [:]
    private var intermediates = IntermediateSources()
    private let choice: SessionChoice

    init(choice: SessionChoice) { self.choice = choice }

    mutating func take(_ session: ObservedSession) {
      let isChosen = choice.takes(session)
      intermediates.note(session, isChosen: isChosen)
      guard isChosen else { return }
      chosen.add(session)
      for other in intermediates.take(for: session) {
        chosen.add(other)
        added[other.file, default: 0] += 1
      }
    }
  }
}
