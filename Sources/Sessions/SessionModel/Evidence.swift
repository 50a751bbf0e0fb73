/// What was seen of each part of a session, and in which packets.
public struct Evidence: Hashable, Sendable {
  /// How much of a message the capture shows.
  public enum State: String, Hashable, Sendable {
    /// All of it.
    case complete
    /// Some of it.
    case partial
    /// None of it, though it may have been sent.
    case missing
    /// It traveled encrypted.
    case encrypted
    /// The session was resumed, so it was not sent again.
    case resumed
    /// The peer continued without it.
    case notSent
  }

  /// Why a session is incomplete.
  public enum Incomplete: String, Hashable, Sendable {
    /// The capture began after the connection did.
    case startedLate
    /// Bytes are missing in the middle.
    case loss
    /// Packets were truncated to the snapshot length.
    case snaplen
    /// Only one direction is in the capture.
    case oneDirection
    /// The capture ended, or the connection fell silent, before the handshake was over.
    case stillOpen
    /// A limit of this program was reached.
    case limit
  }

  /// The messages whose frames are named.
  public enum Part: String, CaseIterable, Hashable, Sendable {
    /// ClientHello, or the first request of cleartext HTTP.
    case clientHello
    /// ServerHello.
    case serverHello
    /// Certificate of the server.
    case certificates
    /// CertificateStatus.
    case certificateStatus
    /// ServerKeyExchange.
    case serverKeyExchange
    /// The packet that settled the outcome.
    case outcome
  }

  /// State of the ClientHello.
  public package(set) var clientHello = State.missing
  /// State of the ServerHello.
  public package(set) var serverHello = State.missing
  /// State of the server's Certificate.
  public package(set) var certificates = State.missing
  /// State of the CertificateStatus.
  public package(set) var certificateStatus = State.missing
  /// State of the ServerKeyExchange.
  public package(set) var serverKeyExchange = State.missing

  /// Bytes of the handshake that the capture lacks, as far as they can be counted.
  public package(set) var missingBytes = 0

  /// Packets of the connection that the snapshot length cut.
  public package(set) var truncatedPackets = 0

  /// Whether the packets' times can be believed (after 1995 and before 2100).
  public package(set) var isClockPlausible = true

  /// Why the session is incomplete; nil where it is not.
  public package(set) var incomplete: Incomplete?

  /// The packets of each part, in order.
  public package(set) var frames = Frames()

  /// The first packet of each direction in which bytes came again with another content than before.
  public package(set) var disagreements = FrameList()

  /// The packets with copies of a part that disagree where no checksum decides; nil where no part is contested, as almost always. Of
  /// cleartext HTTP the requests count as the ClientHello, and the responses as the ServerHello.
  public package(set) var contested: [Part: FrameList]?

  /// Stable remarks on oddities, such as `tls-not-at-start`; sorted.
  public package(set) var notes: [String] = []

  /// Notes that copies of a part disagree.
  package mutating func contest(_ part: Part, _ frames: FrameList) {
    var all = contested ?? [:]
    for frame in frames { all[part, default: FrameList()].insert(frame) }
    contested = all
  }

  /// Whether copies of a part disagree where no checksum decides.
  public func isContested(_ part: Part) -> Bool { contested?[part] != nil }

  /// Creates the evidence of a session of which nothing has been seen.
  package init() {}
}
