import SessionObservation
import TLSParsing
import Values

/// What a judgement depends on besides the time, the shared parts of a session and the server's name: in few
/// words, so that it is made and compared without touching memory.
struct SessionFeatures: Hashable {
  /// Kinds and states, a few bits each.
  private var states: UInt64 = 0

  /// The server's port, the key exchange, the alerts.
  private var numbers: UInt64 = 0

  /// The server's address where it stands for the host; a host with a name is judged by its name alone (policy text A.3),
  /// and names of large services resolve to many addresses.
  private var address: IPAddress

  init(_ session: borrowing ObservedSession) {
    address =
      session.serverName == nil || session.serverNameSource == .address
      ? session.server.address : IPAddress(v4: 0)
    append(session.application.code, bits: 2)
    append(session.serverNameSource.map(\.code) ?? 0, bits: 3)
    append(session.evidence.clientHello.code, bits: 3)
    append(session.evidence.serverHello.code, bits: 3)
    append(session.evidence.certificates.code, bits: 3)
    append(session.evidence.certificateStatus.code, bits: 3)
    append(session.evidence.incomplete.map(\.code) ?? 0, bits: 3)
    append(!session.tunnel.isEmpty && session.tunnel.contains { $0.hasPrefix(Exemption.startTLSPrefix) })
    if session.http != nil {
      let traffic = HTTPTraffic(session)
      append(traffic.redirectsToHTTPS)
      append(traffic.isWebSocket)
      append(traffic.isCertificateTraffic)
    } else {
      append(0, bits: 3)
    }
    numbers = UInt64(session.server.port)
    if session.tls != nil { appendHandshake(session) }
  }

  private mutating func appendHandshake(_ session: borrowing ObservedSession) {
    append(session.tls?.outcome.code ?? 0, bits: 3)
    append(session.tls?.established == true)
    append(session.tls?.ocspStapled == true)
    append(session.tls?.ocspResponse != nil)
    append(session.tls?.clientCertificateRequested == true)
    append(session.tls?.group != nil)
    append(session.tls?.serverKeyExchange?.signatureScheme != nil)
    numbers |= UInt64(session.tls?.group?.rawValue ?? 0) << 16
    numbers |= UInt64(session.tls?.serverKeyExchange?.signatureScheme?.rawValue ?? 0) << 32
    for alert in session.tls?.serverAlerts ?? [] where alert.level == 2 {
      append(true)
      append(UInt64(alert.description.rawValue), bits: 8)
      break
    }
    for alert in session.tls?.clientAlerts ?? [] {
      // Only the first of each of these is ever quoted.
      switch alert.description.rawValue {
      case 42, 46, 48: if numbers >> 48 & 0x3F == 0 { numbers |= UInt64(alert.description.rawValue) << 48 }
      case 44: numbers |= 1 << 62
      case 45: numbers |= 1 << 63
      default: break
      }
    }
  }

  private mutating func append(_ value: UInt64, bits: UInt64) { states = states << bits | value }

  private mutating func append(_ flag: Bool) { states = states << 1 | (flag ? 1 : 0) }
}

extension ObservedSession.Application {
  fileprivate var code: UInt64 {
    switch self {
    case .tls: 0
    case .http: 1
    case .dtls: 2
    }
  }
}

extension ObservedSession.NameSource {
  fileprivate var code: UInt64 {
    switch self {
    case .connect: 1
    case .sni: 2
    case .httpHost: 3
    case .address: 4
    }
  }
}

extension Evidence.State {
  fileprivate var code: UInt64 {
    switch self {
    case .complete: 0
    case .partial: 1
    case .missing: 2
    case .encrypted: 3
    case .resumed: 4
    case .notSent: 5
    }
  }
}

extension Evidence.Incomplete {
  fileprivate var code: UInt64 {
    switch self {
    case .startedLate: 1
    case .loss: 2
    case .snaplen: 3
    case .oneDirection: 4
    case .stillOpen: 5
    case .limit: 6
    }
  }
}

extension TLSFacts.Outcome {
  fileprivate var code: UInt64 {
    switch self {
    case .established: 0
    case .refusedByClient: 1
    case .refusedByServer: 2
    case .reset: 3
    case .incomplete: 4
    }
  }
}
