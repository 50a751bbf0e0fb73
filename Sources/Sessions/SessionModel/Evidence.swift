/// The captured extent of each part of a session, with its packets.
public struct Evidence: Hashable, Sendable {
  /// The extent to which the capture contains a message.
  public enum State: String, Hashable, Sendable {
    /// The whole message.
    case complete
    /// Part of the message.
    case partial
    /// Nothing, although it may have been sent.
    case missing
    /// It was sent encrypted and was not decrypted.
    case encrypted
    /// The session was resumed, so the message was not sent again.
    case resumed
    /// The peer continued without sending it.
    case notSent
  }

  /// The reason why a session is incomplete.
  public enum Incomplete: String, Hashable, Sendable {
    /// The capture began after the connection did.
    case startedLate
    /// Bytes are missing in the middle of the connection.
    case loss
    /// Packets were truncated to the snapshot length.
    case snaplen
    /// The capture contains only one direction.
    case oneDirection
    /// The capture ended, or the connection became idle, before the handshake was complete.
    case stillOpen
    /// A limit of this program was reached.
    case limit
  }

  /// The messages whose frames are recorded.
  public enum Part: String, CaseIterable, Hashable, Sendable {
    /// ClientHello, or the first request of cleartext HTTP.
    case clientHello
    /// The ServerHello.
    case serverHello
    /// The server's Certificate.
    case certificates
    /// The CertificateStatus message.
    case certificateStatus
    /// The ServerKeyExchange message.
    case serverKeyExchange
    /// The packet that decided the outcome.
    case outcome
  }

  /// The captured extent of the ClientHello; for cleartext HTTP, of the first request.
  public package(set) var clientHello = State.missing
  /// The captured extent of the ServerHello.
  public package(set) var serverHello = State.missing
  /// The captured extent of the server's Certificate message.
  public package(set) var certificates = State.missing
  /// The captured extent of the stapled OCSP response: CertificateStatus, or in TLS 1.3 an extension of the Certificate message.
  public package(set) var certificateStatus = State.missing
  /// The captured extent of the ServerKeyExchange, which TLS 1.3 does not have.
  public package(set) var serverKeyExchange = State.missing

  /// The number of handshake bytes that the capture lacks, as far as they can be counted.
  public package(set) var missingBytes = 0

  /// The number of the connection's packets that were truncated to the snapshot length.
  public package(set) var truncatedPackets = 0

  /// Whether the packet times are plausible: not before 1995, and before 2100.
  public package(set) var isClockPlausible = true

  /// The reason why the session is incomplete; nil if it is complete.
  public package(set) var incomplete: Incomplete?

  /// The packets that carry each part, in ascending order.
  public package(set) var frames = Frames()

  /// The first packet of each direction in which bytes were sent again with different content.
  public package(set) var disagreements = FrameList()

  /// The packets with copies of a part that disagree although no checksum decides between them; nil if no part is contested, as almost
  /// always. For cleartext HTTP, requests count as the ClientHello and responses as the ServerHello.
  public package(set) var contested: [Part: FrameList]?

  /// The notes about the session, sorted by name.
  public package(set) var notes: [EvidenceNote] = []

  /// Records that copies of a part disagree.
  package mutating func contest(_ part: Part, _ frames: FrameList) {
    var all = contested ?? [:]
    for frame in frames { all[part, default: FrameList()].insert(frame) }
    contested = all
  }

  /// Returns whether copies of a part disagree although no checksum decides between them.
  package func isContested(_ part: Part) -> Bool { contested?[part] != nil }

  package init() {}
}
