import ATSEvaluation
public import ByteParsing
import CaptureFormats
import CommandReports
import InputSources
import PacketParsing
import Reporting
import SessionModel
import SessionRecords
import Values

/// Finds sessions by identifier or by a packet, and reports all facts about them.
public struct SessionSearch: Sendable {
  /// The property by which a session is found.
  public enum Key: Hashable, Sendable {
    /// The first digits of the identifier, or all sixteen, in lower case.
    case identifier(String)
    /// The number of a packet of the connection, from 1.
    case frame(UInt64)
  }

  private let options: AuditOptions
  private let key: Key

  /// Creates a search in the sessions that the options choose.
  public init(_ options: AuditOptions, for key: Key) {
    self.options = options
    self.key = key
  }

  /// Reads the inputs.
  public func run() -> FoundSessions {
    var ends: [String: PacketEndpoints] = [:]
    if case .frame(let frame) = key { ends = PacketEndpoints.ofPackets(frame, in: options) }
    var sink = JudgedSink(options, Matches(key, ends)) { $0.add(JudgedSession($1, $2)) }
    let outcome = Audit.read(options, into: &sink)
    let matches = sink.finished()
    return FoundSessions(
      key: key, isTimeStated: options.judging.assumptions.judgedAt != nil, outcome: outcome, sessions: matches.all,
      hasFurther: matches.hasFurther)
  }

  /// The sessions that were found.
  public struct FoundSessions: Report {
    fileprivate let key: Key

    /// Whether certificates are judged at a time from the options.
    fileprivate let isTimeStated: Bool

    /// The outcome of reading the inputs.
    public let outcome: RunOutcome

    /// The sessions that contain the packet or have the identifier, at most 16; for captures in which no session contains the packet, the
    /// last session between its endpoints that began before it on its connection, or the first after it.
    public let sessions: [JudgedSession]

    /// Whether further sessions match, which are not stored.
    public let hasFurther: Bool

    /// The distinct identifiers of the sessions, in the order of the inputs.
    public var identifiers: [String] { sessions.map(\.session.identifier).distinct() }

    /// The report in a format; JSON is a record of the schema `atscope.session/1` per line.
    public func rendered(_ format: TextOrJSON, width: Int, useColor: Bool) -> Bytes {
      var output = Bytes()
      switch format {
      case .text:
        let options = TextOptions(width: width, useColor: useColor)
        for (index, match) in sessions.enumerated() {
          if index > 0 { output.append(0x0A) }
          let steps = NextSteps(match.session, isTimeStated: isTimeStated, isFailing: match.verdict == .fail)
          output += SessionDetail.rendered(match.session, match.sharedJudgement, steps, options)
        }
      case .json:
        var encoder = SessionEncoder()
        for match in sessions {
          encoder.append(match.session, match.sharedJudgement, to: &output)
          output.append(0x0A)
        }
      }
      return output
    }

    /// A sentence that no session was found, without a period; `choice` is a clause on the options that select sessions.
    package func absence(_ choice: String) -> String {
      switch key {
      case .identifier(let prefix): "no session\(choice) begins with \(prefix); --format csv of audit or sessions lists the identifiers"
      case .frame(let frame) where outcome.summary.inputs.contains { $0.kind == .sessions }:
        "no session\(choice) is known to contain frame \(frame): saved sessions name only some frames of their connections; "
          + "give the capture, or the identifier"
      case .frame(let frame): "frame \(frame) is not part of any TLS session or cleartext request\(choice)"
      }
    }

    /// The sessions, one line each: identifier, host, and file with frames.
    package var list: [String] {
      sessions.map { match in
        let session = match.session
        return "\(session.identifier)  \(DisplayText.escaped(session.host)), \(Wording.location(of: session))"
      }
    }
  }

  private struct Matches {
    let key: Key
    let ends: [String: PacketEndpoints]

    var exact: [JudgedSession] = []

    /// By capture, the last session between the endpoints of the packet that began before it; the first after it if there is none, or if
    /// that one is of an earlier connection.
    private var nearest: [String: JudgedSession] = [:]

    /// The captures of `nearest`, in the order of the inputs.
    private var order: [String] = []
    private(set) var hasFurther = false

    private static let maximumCount = 16

    init(_ key: Key, _ ends: [String: PacketEndpoints]) {
      self.key = key
      self.ends = ends
    }

    /// The exact matches, followed by the nearest sessions of captures without an exact match.
    var all: [JudgedSession] {
      let known = Set(exact.map(\.session.file))
      return exact + order.filter { !known.contains($0) }.compactMap { nearest[$0] }
    }

    mutating func add(_ judged: JudgedSession) {
      let session = judged.session
      switch key {
      case .identifier(let prefix):
        if session.identifier.hasPrefix(prefix) { keep(judged) }
      case .frame(let frame):
        if session.names(frame) {
          keep(judged)
        } else if let ends = ends[session.file], ends.isBetween(session.client, session.server) {
          consider(judged, at: frame, of: ends.start)
        }
      }
    }

    private mutating func keep(_ judged: JudgedSession) {
      if exact.count < Matches.maximumCount { exact.append(judged) } else { hasFurther = true }
    }

    private mutating func consider(_ judged: JudgedSession, at frame: UInt64, of start: UInt64) {
      let file = judged.session.file
      if let known = nearest[file] {
        guard judged.session.firstFrame <= frame || known.session.firstFrame < start else { return }
      } else {
        guard order.count < Matches.maximumCount else {
          hasFurther = true
          return
        }
        order.append(file)
      }
      nearest[file] = judged
    }
  }
}

extension ObservedSession {
  /// Whether a packet is part of the evidence of the session.
  fileprivate func names(_ frame: UInt64) -> Bool {
    if frame == firstFrame || frame == lastFrame || frame == quic?.close?.frame { return true }
    if Evidence.Part.allCases.contains(where: { evidence.frames[$0].contains(frame) }) { return true }
    if http?.requests.contains(where: { $0.frame == frame }) == true { return true }
    return sharedTLS.map { ($0.clientAlerts + $0.serverAlerts).contains { $0.frame == frame } } ?? false
  }
}

/// The sender and the receiver of a packet.
private struct PacketEndpoints {
  let sender: Endpoint
  let receiver: Endpoint

  /// The last SYN between them up to the packet, which begins its connection; 0 if the capture lacks it.
  var start: UInt64 = 0

  func isBetween(_ one: Endpoint, _ other: Endpoint) -> Bool {
    sender == one && receiver == other || sender == other && receiver == one
  }

  /// Returns the endpoints of the packet of this number in each capture that can be read again, by the name of the capture.
  static func ofPackets(_ frame: UInt64, in options: AuditOptions) -> [String: PacketEndpoints] {
    var ends: [String: PacketEndpoints] = [:]
    for group in options.find().groups {
      var found: PacketEndpoints?
      visit(group, from: frame, to: frame) { headers, kind, _ in
        if kind == .tcp || kind == .udp { found = PacketEndpoints(sender: headers.sender, receiver: headers.receiver) }
      }
      guard var packet = found, let name = group.files.first?.displayName else { continue }
      visit(group, from: 1, to: frame) { headers, kind, number in
        if kind == .tcp, headers.flags.intersection([.syn, .ack]) == .syn, packet.isBetween(headers.sender, headers.receiver) {
          packet.start = number
        }
      }
      ends[name] = packet
    }
    return ends
  }

  /// Decodes the packets of a capture with numbers from `first` to `last`.
  private static func visit(
    _ group: InputGroup, from first: UInt64, to last: UInt64, _ body: (PacketHeaders, PacketHeaders.Kind, UInt64) -> Void
  ) {
    let opener = InputOpener()
    var before: UInt64 = 0
    for file in group.files where file.size != nil {
      guard before < last, var reader = file.captureReader(opener) else { return }
      while let record = try? reader.next(), before &+ record.frameNumber <= last {
        guard before &+ record.frameNumber >= first else { continue }
        var headers = PacketHeaders()
        let kind = headers.decode(reader.bytes(of: record), linkType: record.linkType.rawValue)
        body(headers, kind, before &+ record.frameNumber)
      }
      before &+= reader.frameCount
    }
  }
}
