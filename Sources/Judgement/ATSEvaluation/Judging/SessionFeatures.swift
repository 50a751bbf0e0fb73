import PolicyResolution
import SessionModel
import TLSParsing
import TrustEvaluation
import Values

/// What a judgement depends on besides the time and the server's name, in a few words: a session is compared
/// with others without following a reference or keeping one.
struct SessionFeatures: Equatable {
  /// Kinds and states, a few bits each.
  private(set) var states: UInt64

  /// The host's port, the key exchange and its signature, the alerts.
  private(set) var numbers: UInt64

  /// The address where it stands for the host; a host with a name is judged by its name alone
  /// (policy text A.3), and names of large services resolve to many addresses.
  private(set) var address: IPAddress

  /// The identities of the parts that sessions share: offer, answer, chain and what was found of its trust.
  /// They stand for the parts only as long as someone else keeps those alive.
  private(set) var shared = (offer: UInt(0), answer: UInt(0), chain: UInt(0), trust: UInt(0))

  /// Bytes of the list of SCTs in the TLS extension, -1 for none; the list itself is compared apart.
  private(set) var sctByteCount = -1

  /// Bytes of the stapled OCSP response, -1 for none; the response itself is compared apart.
  private(set) var ocspByteCount = -1

  /// Whether a STARTTLS began the handshake; of which protocol is compared apart.
  private(set) var hasStartTLS = false

  static func == (a: SessionFeatures, b: SessionFeatures) -> Bool {
    a.states == b.states && a.numbers == b.numbers && a.shared == b.shared && a.address == b.address
      && a.sctByteCount == b.sctByteCount && a.ocspByteCount == b.ocspByteCount
  }

  init(_ session: borrowing ObservedSession, _ trust: ChainTrust?) {
    shared.trust = identity(trust)
    address =
      session.serverName == nil || session.serverNameSource == .address
      ? session.hostAddress : IPAddress(v4: 0)
    numbers = UInt64(session.hostPort)
    states = session.application.code
    append(session.serverNameSource.map(\.code) ?? 0, bits: 3)
    append(session.evidence.clientHello.code, bits: 3)
    append(session.evidence.serverHello.code, bits: 3)
    append(session.evidence.certificates.code, bits: 3)
    append(session.evidence.certificateStatus.code, bits: 3)
    append(session.evidence.certificateStatus == .resumed && session.inheritsStatus)
    append(session.evidence.incomplete.map(\.code) ?? 0, bits: 3)
    append(session.evidence.missingBytes != 0)
    append(UInt64(Exemption.systemProcess(session).map { $0 + 1 } ?? 0), bits: 5)
    hasStartTLS = !session.tunnel.isEmpty && Exemption.startTLS(session) != nil
    append(hasStartTLS)
    append(session.isFTPData)
    if session.application == .http {
      let traffic = HTTPTraffic(session)
      append(traffic.redirectsToHTTPS)
      append(traffic.isWebSocket)
      append(traffic.isCertificateTraffic)
      append(traffic.mayBeCertificateTraffic)
      append(traffic.lacksAnswers)
      append(HostIdentity.isCompressed(in: session))
    } else {
      append(0, bits: 5)
      appendHandshake(session)
    }
  }

  /// Adds what a handshake shows.
  private mutating func appendHandshake(_ session: borrowing ObservedSession) {
    (shared.offer, shared.answer, shared.chain) = session.identities
    sctByteCount = session.tls?.sctList?.count ?? -1
    append(session.tls?.outcome.code ?? 0, bits: 3)
    append(session.ending.map(PredictedErrors.code(of:)) ?? 0, bits: 4)
    append(session.tls?.established == true)
    append(session.tls?.ocspStapled == true)
    ocspByteCount = session.tls?.ocspResponse?.count ?? -1
    append(session.tls?.clientCertificateRequested == true)
    append(session.tls?.forgoesClientCertificate == true)
    append(session.tls?.resumed == true)
    append(session.tls?.isDecrypted == true)
    append(session.isInnerHelloHidden)
    append(session.tls?.outerHello != nil)
    append(session.secretsAreMissing)
    append(session.evidence.lacksClientCertificate)
    append(session.tls?.group != nil)
    append(session.transport == .quic)
    numbers |= UInt64(session.tls?.group?.rawValue ?? 0) << 16
    let scheme = session.tls?.serverKeyExchange?.signatureScheme
    append(scheme != nil)
    numbers |= UInt64(scheme?.rawValue ?? 0) << 32
    numbers |= (session.tls?.handshakeSignature?.code ?? 0) << 54
    guard session.tls?.hasAlerts == true else { return }
    appendRefusal(session.tls?.serverAlerts ?? [])
    appendComplaints(session.tls?.clientAlerts ?? [])
  }

  /// Adds the first fatal alert, else the last one.
  private mutating func appendRefusal(_ alerts: [ObservedAlert]) {
    guard let alert = alerts.first(where: { $0.level == 2 }) ?? alerts.last else { return }
    append(true)
    append(alert.level == 2)
    append(UInt64(alert.description.rawValue), bits: 8)
  }

  /// Adds the alerts about certificates, of which only the first of each kind is ever quoted.
  private mutating func appendComplaints(_ alerts: [ObservedAlert]) {
    for alert in alerts {
      switch alert.description.rawValue {
      case 42, 46, 48: if numbers >> 48 & 0x3F == 0 { numbers |= UInt64(alert.description.rawValue) << 48 }
      case 44: numbers |= 1 << 62
      case 45: numbers |= 1 << 63
      default: break
      }
    }
  }

  /// A hash of all of it.
  func hash(seed: UInt64) -> UInt64 {
    var hash = mixed(mixed(mixed(seed, states), numbers), address.low)
    if address.isIPv6 { hash = mixed(hash, address.high) }
    hash = mixed(mixed(mixed(hash, UInt64(shared.offer)), UInt64(shared.answer)), UInt64(shared.chain))
    return mixed(hash, UInt64(shared.trust))
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

extension HandshakeSignature {
  fileprivate var code: UInt64 {
    switch self {
    case .valid: 1
    case .invalid: 2
    case .notVerifiable: 3
    case .notVerified: 4
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

/// Mixes a value into a hash, which a file cannot aim at as long as the first hash is a secret.
func mixed(_ hash: UInt64, _ value: UInt64) -> UInt64 {
  let product = (hash ^ value).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
  return product.high ^ product.low
}
