public import Values

/// The facts that a capture contains about one session.
///
/// Facts only: nothing here evaluates them.
public struct ObservedSession: Sendable {
  /// The transport of a session.
  public enum Transport: String, Sendable {
    /// A TCP connection.
    case tcp
    /// UDP (DTLS).
    case udp
    /// QUIC.
    case quic
  }

  /// The protocol of a session.
  public enum Application: String, Sendable {
    /// TLS, including any version of SSL.
    case tls
    /// Cleartext HTTP.
    case http
    /// DTLS.
    case dtls
  }

  /// The source of a server's name (policy text A.3).
  public enum NameSource: String, Sendable {
    /// The host requested from a proxy: the target of the HTTP CONNECT or SOCKS request that opened the tunnel. If that is an address, the
    /// client sent no name.
    case connect
    /// The server_name extension.
    case sni
    /// The absolute request target or the Host field of a cleartext request.
    case httpHost = "http-host"
    /// No name was sent, so the URL most likely contained the address of the server.
    case address
  }

  /// The input that contains the session, by its display name.
  public package(set) var file: String

  /// The first packet that carries a byte of the session.
  public package(set) var firstFrame: UInt64

  /// The packet that decided the outcome; otherwise the last packet.
  public package(set) var lastFrame: UInt64

  /// The time of `firstFrame`; nil if the capture has none.
  public package(set) var start: Timestamp?

  /// The time of `lastFrame`; nil if the capture has none.
  public package(set) var end: Timestamp?

  /// The transport that carries the session: TCP, UDP for DTLS, or QUIC for a TLS handshake within QUIC packets.
  public package(set) var transport: Transport

  /// The protocol that is judged: TLS, DTLS or cleartext HTTP. HTTP within TLS counts as TLS.
  public package(set) var application: Application

  /// The sender of the ClientHello or of the request.
  public package(set) var client: Endpoint

  /// The receiver of the ClientHello or of the request.
  public package(set) var server: Endpoint

  /// The process that opened the connection; nil if the capture does not name it.
  public package(set) var process: CapturedProcess?

  /// The host as the client names it, in lower case; nil if unknown (policy text A.3).
  public package(set) var serverName: String?

  /// The source of `serverName`; nil if that is nil.
  public package(set) var serverNameSource: NameSource?

  /// The layers around the session, outermost first.
  public package(set) var tunnel: [EnclosingLayer] = []

  /// The cleartext requests; nil for TLS.
  public package(set) var http: HTTPFacts?

  /// Facts about the QUIC connection; nil for other transports.
  public package(set) var quic: QUICFacts?

  /// The box of ``tls``, which copies of the session share.
  package var sharedTLS: Shared<TLSFacts>?

  /// The captured extent of each part, with its packets.
  public package(set) var evidence = Evidence()

  /// The number of the capture in this run, which distinguishes captures of the same name; not part of records.
  package var captureNumber: UInt32 = 0

  /// Whether an earlier run saved the session, so that there are no packets that a key log could decrypt; not part of records.
  package var isSaved = false

  /// The `identifier` of the session that this one resumes; nil if unknown.
  public package(set) var resumedFrom: String?

  /// The display name of the capture that contains the session of `resumedFrom`; nil if it is the same capture.
  public package(set) var resumedFromCapture: String?

  /// The box of ``assumedChain``, which sessions share.
  package var sharedAssumedChain: Shared<AssumedChain>?

  /// Names that the capture associates with the host's address.
  public package(set) var nameHints: [NameHint] = []

  /// The files that contain the session's packets, in order; empty if its capture is one file.
  package var parts: [CapturePart] = []

  /// The `identifier` of the FTP control connection's session if this is its data connection; nil if unknown.
  public package(set) var controlSession: String?

  /// The FTP control connection that announced this one in cleartext; nil if none did, and in saved sessions.
  package var controlEnds: Shared<FTPControlEndpoints>?

  package init(
    file: String, firstFrame: UInt64, lastFrame: UInt64, start: Timestamp?, end: Timestamp?,
    transport: Transport, application: Application, client: Endpoint, server: Endpoint
  ) {
    self.file = file
    self.firstFrame = firstFrame
    self.lastFrame = lastFrame
    self.start = start
    self.end = end
    self.transport = transport
    self.application = application
    self.client = client
    self.server = server
  }
}

extension ObservedSession {
  /// The TLS or DTLS handshake; nil for cleartext HTTP.
  public var tls: TLSFacts? { sharedTLS?.value }

  /// The stable identifier of the session, which records contain as `id`: sixteen hexadecimal digits, computed at each call.
  ///
  /// It depends on the endpoints, the start, and the randoms of the hellos or the host of the request, not on the capture's name.
  public var identifier: String { SessionIdentifier(self).text }

  /// Certificates that rules evaluate in place of the session's own; nil if there are none.
  public var assumedChain: AssumedChain? { sharedAssumedChain?.value }

  /// Whether only the address that the packets go to is known about the host.
  package var isHostTheServer: Bool { serverNameSource == .address && hostAddress == server.address }

  /// Whether this is an FTP data connection: announced in cleartext on the control connection, or linked to it by resumption.
  public var isFTPData: Bool { !tunnel.isEmpty && tunnel.contains(.ftpData) }

  /// The protocol that changed to TLS before the handshake, in lower case, such as `smtp`; nil if none did.
  package var startTLSProtocol: String? { tunnel.lazy.compactMap(\.startTLSProtocol).first }

  /// Returns the file that contains a packet of the session, and the packet's number in that file.
  public func location(of frame: UInt64) -> (file: String, frame: UInt64) {
    guard let part = parts.last(where: { $0.framesBefore < frame }) else { return (file, frame) }
    return (part.file, frame - part.framesBefore)
  }
}
