import ATSEvaluation
public import ByteParsing
import CaptureFormats
import PacketParsing
import Reporting
import SessionModel
import SessionRecords
import Values

/// Finds sessions by their identifier or by one of their packets, and shows everything that is known of them.
public struct SessionSearch {
  /// What a session is found by.
  public enum Key: Sendable {
    /// The first digits of its identifier, or all sixteen; lower case.
    case identifier(String)
    /// The number of a packet of its connection.
    case frame(UInt64)
  }

  private let matches: [(session: ObservedSession, judgement: Shared<Judgement>)]

  /// How reading the inputs ended.
  public let outcome: RunOutcome

  /// The identifiers of the sessions that were found, each once, in the order of the inputs.
  public let identifiers: [String]

  /// Whether further sessions match, beyond those that are kept.
  public let hasFurther: Bool

  /// Whether no session was found.
  public var isEmpty: Bool { matches.isEmpty }

  /// Reads the inputs.
  public static func run(_ options: AuditOptions, _ key: Key) -> SessionSearch {
    var ends: [String: PacketEnds] = [:]
    if case .frame(let frame) = key { ends = PacketEnds.ofPackets(frame, in: options) }
    var sink = Sink(options, key, ends)
    let outcome = Audit.read(options, into: &sink)
    var matches = sink.exact
    if case .frame = key {
      let known = Set(sink.exact.map(\.session.file))
      matches += sink.order.filter { !known.contains($0) }.compactMap { sink.nearest[$0] }
    }
    var identifiers: [String] = []
    for match in matches {
      let identifier = SessionEncoder.identifier(of: match.session)
      if !identifiers.contains(identifier) { identifiers.append(identifier) }
    }
    return SessionSearch(
      matches: matches, outcome: outcome, identifiers: identifiers, hasFurther: sink.hasFurther)
  }

  /// The sessions for people, a blank line between two.
  public func text(width: Int = 80, useColor: Bool = false) -> Bytes {
    let detail = SessionDetail(TextOptions(width: width, useColor: useColor))
    var output = Bytes()
    for (index, match) in matches.enumerated() {
      if index > 0 { output.append(0x0A) }
      output += detail.rendered(match.session, match.judgement)
    }
    return output
  }

  /// The records of the sessions, one a line.
  public func json() -> Bytes {
    var encoder = SessionEncoder()
    var output = Bytes()
    for match in matches {
      encoder.append(match.session, match.judgement, to: &output)
      output.append(0x0A)
    }
    return output
  }

  /// Each session that was found in one line: identifier, host, and file with frames.
  public var list: [String] {
    matches.map { match in
      let session = match.session
      let host = session.serverName ?? session.hostAddress.description
      return "\(SessionEncoder.identifier(of: session))  \(DisplayText.escaped(host)), frames "
        + "\(session.firstFrame)-\(session.lastFrame) of \(DisplayText.escaped(session.file))"
    }
  }

  static let maximumCount = 16

  /// Keeps the sessions that match.
  private struct Sink: SessionSink, ~Copyable {
    var exact: [(session: ObservedSession, judgement: Shared<Judgement>)] = []

    /// For each capture, the session between the endpoints of the packet that began last before it, else first after it.
    var nearest: [String: (session: ObservedSession, judgement: Shared<Judgement>)] = [:]

    /// The captures of `nearest`, in the order of the inputs.
    var order: [String] = []
    var hasFurther = false
    var judged: Int? { count }

    private var count = 0
    private var judge: ProgramJudges
    private let choice: SessionChoice
    private let key: Key
    private let ends: [String: PacketEnds]

    init(_ options: AuditOptions, _ key: Key, _ ends: [String: PacketEnds]) {
      judge = ProgramJudges(options)
      choice = SessionChoice(options)
      self.key = key
      self.ends = ends
    }

    mutating func take(_ session: ObservedSession) {
      let judgement = judge.judge(session)
      guard choice.takes(session) else { return }
      count += 1
      switch key {
      case .identifier(let prefix):
        if SessionEncoder.identifier(of: session).hasPrefix(prefix) { keep(session, judgement) }
      case .frame(let frame):
        if session.names(frame) {
          keep(session, judgement)
        } else if let ends = ends[session.file], ends.isBetween(session.client, session.server) {
          consider(session, judgement, at: frame)
        }
      }
    }

    private mutating func keep(_ session: ObservedSession, _ judgement: Shared<Judgement>) {
      guard exact.count < SessionSearch.maximumCount else {
        hasFurther = true
        return
      }
      exact.append((session, judgement))
    }

    private mutating func consider(
      _ session: ObservedSession, _ judgement: Shared<Judgement>, at frame: UInt64
    ) {
      if nearest[session.file] == nil {
        guard order.count < SessionSearch.maximumCount else {
          hasFurther = true
          return
        }
        order.append(session.file)
      } else if session.firstFrame > frame {
        return
      }
      nearest[session.file] = (session, judgement)
    }
  }
}

extension ObservedSession {
  /// Whether a packet is among those that show something of the session.
  fileprivate func names(_ frame: UInt64) -> Bool {
    if frame == firstFrame || frame == lastFrame || frame == quic?.close?.frame { return true }
    if Evidence.Part.allCases.contains(where: { evidence.frames[$0].contains(frame) }) { return true }
    if http?.requests.contains(where: { $0.frame == frame }) == true { return true }
    return tls.map { ($0.clientAlerts + $0.serverAlerts).contains { $0.frame == frame } } ?? false
  }
}

private struct PacketEnds {
  let sender: Endpoint
  let receiver: Endpoint

  func isBetween(_ one: Endpoint, _ other: Endpoint) -> Bool {
    sender == one && receiver == other || sender == other && receiver == one
  }

  /// The endpoints of the packet of this number in each capture that can be read again, by the capture's name.
  static func ofPackets(_ frame: UInt64, in options: AuditOptions) -> [String: PacketEnds] {
    var ends: [String: PacketEnds] = [:]
    for group in options.find().groups {
      var before: UInt64 = 0
      for file in group.files where file.size != nil {
        guard before < frame, let name = group.files.first?.displayName,
          var reader = Extraction.reader(of: file)
        else { break }
        while let record = try? reader.next() {
          guard before &+ record.frameNumber >= frame else { continue }
          var headers = PacketHeaders()
          let kind = headers.decode(reader.bytes(of: record), linkType: record.linkType.rawValue)
          if before &+ record.frameNumber == frame, kind == .tcp || kind == .udp {
            ends[name] = PacketEnds(sender: headers.sender, receiver: headers.receiver)
          }
          break
        }
        before &+= reader.frameCount
      }
    }
    return ends
  }
}
