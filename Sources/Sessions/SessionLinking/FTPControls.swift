import ByteParsing
import SessionModel
import Values

/// FTP control connections under TLS, and the data connections that belong to them (RFC 4217).
///
/// A data connection is linked to its control connection by the announcement in cleartext, by the session that it resumes (up to TLS 1.2),
/// or by a TLS 1.3 pre-shared key. The capture never contains that key's identity on the control connection, so it counts only if the two
/// hosts have no other session that it could come from.
struct FTPControls {
  /// The minimum number of control connections, and of pairs of hosts, remembered.
  static let minimumCount = 8192

  /// The state of two hosts, or of two endpoints.
  private final class Known {
    /// The latest control connection; nil if there is none.
    var control: Control?
    /// Whether other connections used TLS 1.3, and may have issued keys that a client offers.
    var hasOtherKeys = false
  }

  /// A session on a control connection. An object, since thousands of entries have room for one and few have one.
  final class Control: Sendable {
    let client: Endpoint
    let server: Endpoint
    let identifier: UInt64
    let lastFrame: UInt64
    let serverName: String?
    let givesKeys: Bool

    /// Creates the control connection of a session that is on one.
    init(_ session: borrowing ObservedSession) {
      client = session.client
      server = Endpoint(address: session.hostAddress, port: session.hostPort)
      identifier = SessionIdentifier(session).hash
      lastFrame = session.lastFrame
      serverName = session.serverName
      let hasEnded = session.sharedTLS?.isEstablished == true || session.sharedTLS?.outcome == .incomplete
      givesKeys = hasEnded && session.sharedTLS?.sharedServerHello?.hasTLS13Handshake == true
    }
  }

  private var table = RecentTable<[LinkDigest: Known]>(entriesPerGeneration: minimumCount)

  /// The number of evicted entries.
  var forgotten: UInt64 { table.evicted }

  /// Whether a session is on a control connection: after AUTH TLS, or on the port of implicit FTPS.
  static func isControl(_ session: borrowing ObservedSession) -> Bool {
    guard session.application == .tls, session.transport == .tcp, !session.isFTPData else { return false }
    if session.tunnel.contains(.ftpControl) { return true }
    return session.hostPort == 990 && offersNoProtocol(session)
  }

  private static func offersNoProtocol(_ session: borrowing ObservedSession) -> Bool {
    session.sharedTLS?.sharedOffer.map { $0.alpn.allSatisfy { $0 == "ftp" } } ?? true
  }

  /// Whether a session may be a data connection of a control connection: it is between the same hosts on another port, and offers no
  /// protocol other than FTP.
  static func mayBeData(_ session: borrowing ObservedSession, of control: Control) -> Bool {
    session.application == .tls && session.transport == .tcp && offersNoProtocol(session) && !isControl(session)
      && session.client.address == control.client.address && session.hostAddress == control.server.address
      && session.hostPort != control.server.port && session.sharedTLS?.sharedOffer != nil
  }

  /// Records a session. Returns the identifier of the control connection's session if this one is on its data connection.
  mutating func controlSession(of session: borrowing ObservedSession, resuming origin: Control?) -> UInt64? {
    let pair = LinkDigest(
      client: Endpoint(address: session.client.address, port: 0), server: Endpoint(address: session.hostAddress, port: 0))
    if let ends = session.controlEnds {
      guard let control = table[LinkDigest(client: ends.client, server: ends.server)]?.control,
        control.client == ends.client, control.server == ends.server, control.lastFrame < session.lastFrame
      else { return nil }
      return control.identifier
    }
    guard session.application == .tls, session.transport == .tcp else { return nil }
    if let origin, FTPControls.mayBeData(session, of: origin) { return origin.identifier }
    if FTPControls.isControl(session) {
      remember(session, pair)
      return nil
    }
    guard session.sharedTLS?.sharedServerHello?.hasTLS13Handshake == true else { return nil }
    if session.sharedTLS?.isResumed == true, session.sharedTLS?.resumption == .psk, let known = table[pair], !known.hasOtherKeys,
      let control = known.control, control.givesKeys, control.lastFrame < session.lastFrame, control.serverName == session.serverName,
      !FTPControls.portsOfHTTPS.contains(session.hostPort), FTPControls.mayBeData(session, of: control)
    {
      return control.identifier
    }
    known(pair).hasOtherKeys = true
    return nil
  }

  /// Ports on which a key comes from an earlier HTTPS connection, captured or not.
  private static let portsOfHTTPS: Set<UInt16> = [443, 8443]

  private mutating func remember(_ session: borrowing ObservedSession, _ pair: LinkDigest) {
    let control = Control(session)
    known(pair).control = control
    known(LinkDigest(client: control.client, server: control.server)).control = control
  }

  private mutating func known(_ digest: LinkDigest) -> Known {
    if let known = table[digest] { return known }
    let known = Known()
    table.insert(known, for: digest)
    return known
  }
}
