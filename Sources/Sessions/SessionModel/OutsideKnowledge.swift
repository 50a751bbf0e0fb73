public import ByteParsing

/// A name that the capture gives to a server's address; a hint, and never an input of the policy.
public struct NameHint: Hashable, Sendable {
  /// What gave the name.
  public enum Source: String, Hashable, Sendable {
    /// An answer of DNS.
    case dns
    /// A Name Resolution Block of pcapng.
    case nameResolutionBlock
  }

  /// The name.
  public var name: String

  /// What gave it.
  public var source: Source

  /// The packet that carries it; nil where no packet does.
  public var frame: UInt64?

  /// Creates a hint.
  public init(name: String, source: Source, frame: UInt64?) {
    self.name = name
    self.source = source
    self.frame = frame
  }
}

/// Certificates that stand in for those that a session did not show.
public struct AssumedChain: Hashable, Sendable {
  /// Where they come from.
  public enum Source: String, Hashable, Sendable {
    /// The handshake that this session resumes showed them: they are judged as this session's own (policy text I).
    case earlierSession
    /// The user says that the host has them: judged likewise.
    case supplied
    /// Another session with the same host in the same inputs showed them, and the user says that they are this session's too:
    /// judged likewise.
    case captured
    /// Another session with the same name at the same address showed them: shown, and never judged.
    case probable
  }

  /// The session that showed certificates which another one goes back to.
  public struct Origin: Hashable, Sendable {
    /// The record name of that session.
    public var session: String

    /// The capture that holds it.
    public var file: String

    /// The packets of its Certificate message.
    public var frames: FrameList

    /// Creates an origin.
    public init(session: String, file: String, frames: FrameList) {
      self.session = session
      self.file = file
      self.frames = frames
    }
  }

  /// The certificates.
  public var chain: CertificateChain

  /// Where they come from.
  public var source: Source

  /// The session that showed them; nil where none did.
  public var origin: Origin?

  /// The OCSP response that was stapled to them.
  public var ocspResponse: Bytes?

  /// What was stapled to those above the leaf, by their places.
  public var issuerOCSPResponses: [Int: Bytes]

  /// The SignedCertificateTimestampList that was delivered beside them.
  public var sctList: Bytes?

  /// Creates a chain with what was delivered beside it.
  public init(
    chain: CertificateChain, source: Source, origin: Origin? = nil, ocspResponse: Bytes? = nil,
    issuerOCSPResponses: [Int: Bytes] = [:], sctList: Bytes? = nil
  ) {
    self.chain = chain
    self.source = source
    self.origin = origin
    self.ocspResponse = ocspResponse
    self.issuerOCSPResponses = issuerOCSPResponses
    self.sctList = sctList
  }

  /// Whether rules look at them.
  public var isJudged: Bool { source != .probable }
}

/// A file of a rotated capture.
public struct CapturePart: Hashable, Sendable {
  /// The file, by its display name.
  public var file: String

  /// Packets of the parts before it: a frame's number in its own file is smaller by as many.
  public var framesBefore: UInt64

  /// Creates a part.
  public init(file: String, framesBefore: UInt64) {
    self.file = file
    self.framesBefore = framesBefore
  }
}

/// What is known of a session from elsewhere. Few sessions have any, so that it stands apart from them.
package final class OutsideKnowledge: Sendable {
  /// What is known.
  package struct Content {
    var resumedFrom: String?
    var resumedFromCapture: String?
    var assumedChain: AssumedChain?
    var nameHints: [NameHint]
    var parts: [CapturePart] = []
    var controlSession: String?
    /// The control connection of FTP that announced this one in the clear; no part of records.
    var controlEnds: FTPControlEnds?

    /// Creates what is known of a session for whose host the capture has names.
    package init(nameHints: [NameHint] = []) { self.nameHints = nameHints }
  }

  /// What is known.
  package let content: Content

  package init(_ content: Content) { self.content = content }

  /// Adds to what is known that a control connection of FTP announced the connection for data.
  package init(_ other: OutsideKnowledge?, announcedBy control: FTPControlEnds) {
    var content = other?.content ?? Content()
    content.controlEnds = control
    self.content = content
  }
}

extension ObservedSession {
  /// Whether anything is known from elsewhere.
  public var hasOutsideKnowledge: Bool { outside != nil }

  /// The record name of the session whose certificates this one goes back to; nil where it is not known.
  public var resumedFrom: String? {
    get { outside?.content.resumedFrom }
    set { changeOutside(newValue != nil) { $0.resumedFrom = newValue } }
  }

  /// The capture that holds the session of `resumedFrom`, by its display name; nil where it is this session's own.
  public var resumedFromCapture: String? {
    get { outside?.content.resumedFromCapture }
    set { changeOutside(newValue != nil) { $0.resumedFromCapture = newValue } }
  }

  /// Certificates that stand in for those of the session.
  public var assumedChain: AssumedChain? {
    get { outside?.content.assumedChain }
    set { changeOutside(newValue != nil) { $0.assumedChain = newValue } }
  }

  /// Names that the capture gives to the host's address.
  public var nameHints: [NameHint] {
    get { outside?.content.nameHints ?? [] }
    set { changeOutside(!newValue.isEmpty) { $0.nameHints = newValue } }
  }

  /// The files that hold the session's packets, in their order; empty where its capture is one file.
  public var parts: [CapturePart] {
    get { outside?.content.parts ?? [] }
    set { changeOutside(!newValue.isEmpty) { $0.parts = newValue } }
  }

  /// What `tunnel` holds of a control connection of FTP that changed to TLS.
  package static let ftpControlTunnel = "starttls ftp"

  /// What `tunnel` holds of a data connection of FTP.
  package static let ftpDataTunnel = "ftp-data"

  /// Whether it is a data connection of FTP: announced on the control connection in the clear, or linked to that by resumption.
  public var isFTPData: Bool { !tunnel.isEmpty && tunnel.contains(ObservedSession.ftpDataTunnel) }

  /// The record name of the session on the control connection of FTP whose data connection this is; nil where it is not known.
  public var controlSession: String? {
    get { outside?.content.controlSession }
    set { changeOutside(newValue != nil) { $0.controlSession = newValue } }
  }

  /// The control connection of FTP that announced this one in the clear; nil where none did, and in saved sessions.
  public var controlEnds: FTPControlEnds? { outside?.content.controlEnds }

  /// The file that holds a packet of the session, and the packet's number in it.
  public func place(of frame: UInt64) -> (file: String, frame: UInt64) {
    guard let part = parts.last(where: { $0.framesBefore < frame }) else { return (file, frame) }
    return (part.file, frame - part.framesBefore)
  }

  private mutating func changeOutside(_ isNeeded: Bool, _ body: (inout OutsideKnowledge.Content) -> Void) {
    guard outside != nil || isNeeded else { return }
    var content = outside?.content ?? OutsideKnowledge.Content()
    body(&content)
    outside = OutsideKnowledge(content)
  }
}

extension ObservedSession {
  /// What is noted of a session that asks for what servers deliver beside certificates, where the handshake that it goes
  /// back to did not, or that was not seen in full.
  package static let unknownStatusNote = "first-handshake-status-not-seen"

  /// Whether what the server delivers beside its certificates is known in full from the handshake that this one goes back to.
  package var inheritsStatus: Bool {
    evidence.certificateStatus == .resumed && assumedChain?.source == .earlierSession
      && !evidence.notes.contains(ObservedSession.unknownStatusNote)
  }
}

extension ObservedSession {
  /// Whether rules see certificates that the session did not show itself.
  package var hasJudgedAssumption: Bool {
    outside?.content.assumedChain?.isJudged == true && tls?.chain == nil
  }

  /// The session as rules are to see it: with the certificates that stand in for those that it did not show itself.
  package var asJudged: ObservedSession {
    guard hasJudgedAssumption, let assumed = assumedChain else { return self }
    var session = self
    session.tls?.chain = assumed.chain
    if tls?.sctList == nil { session.tls?.sctList = assumed.sctList }
    if let response = assumed.ocspResponse, tls?.ocspResponse == nil {
      session.tls?.ocspResponse = response
      session.tls?.ocspStapled = true
    }
    if !assumed.issuerOCSPResponses.isEmpty {
      session.tls?.issuerOCSPResponses = assumed.issuerOCSPResponses
    }
    return session
  }
}
