public import ByteParsing
public import TLSParsing

extension TLSFacts {
  /// What facts hold; gathered in place while a handshake is read, and given to an object when it is over. The properties of
  /// the facts say what each is.
  @usableFromInline
  package struct Content: Sendable {
    @usableFromInline package var offer: ClientOffer?
    @usableFromInline package var answer: ServerAnswer?
    @usableFromInline package var serverName: String?
    @usableFromInline package var clientRandom: ShortBytes = ShortBytes()
    @usableFromInline package var serverRandom: ShortBytes = ShortBytes()
    @usableFromInline package var sessionID: ShortBytes = ShortBytes()
    @usableFromInline package var offeredSessionID: ShortBytes = ShortBytes()
    @usableFromInline package var helloRetryRequest: Bool = false
    @usableFromInline package var resumed: Bool?
    @usableFromInline package var resumption: Resumption?
    @usableFromInline package var group: NamedGroup?
    @usableFromInline package var serverKeyExchange: ServerKeyExchangeFacts?
    @usableFromInline package var handshakeSignature: HandshakeSignature?
    @usableFromInline package var ocspStapled: Bool = false
    @usableFromInline package var clientCertificateRequested: Bool = false
    @usableFromInline package var forgoesClientCertificate: Bool = false
    @usableFromInline package var isDecrypted: Bool = false
    @usableFromInline package var outcome: Outcome = .incomplete
    @usableFromInline package var established: Bool = false
    @usableFromInline package var chain: CertificateChain?
    @usableFromInline package var clientChain: CertificateChain?
    package var serverNameDigest: UInt64 = 0
    package var offeredTicket = ShortBytes()
    package var issuedTicket = ShortBytes()

    /// What few handshakes show, apart from the rest: facts are made for each connection, and so own little.
    @usableFromInline var rare: Rare?

    package init() {}
  }

  /// Facts that most handshakes do not have; never changed, only replaced.
  @usableFromInline
  final class Rare: Sendable {
    @usableFromInline
    struct Content: Sendable {
      @usableFromInline var ocspResponse: Bytes?
      @usableFromInline var issuerOCSPResponses: [Int: Bytes] = [:]
      @usableFromInline var sctList: Bytes?
      @usableFromInline var clientAlerts: [ObservedAlert] = []
      @usableFromInline var serverAlerts: [ObservedAlert] = []
      @usableFromInline var protectedALPN: String?
      @usableFromInline var innerRandom: ShortBytes?
      @usableFromInline var outerHello: OuterHello?

      init() {}
    }

    @usableFromInline let content: Content

    init(_ content: Content) { self.content = content }
  }
}

extension TLSFacts.Content {
  @usableFromInline package var ocspResponse: Bytes? {
    @inlinable get { rare?.content.ocspResponse }
    set { change(newValue != nil) { $0.ocspResponse = newValue } }
  }

  @usableFromInline package var issuerOCSPResponses: [Int: Bytes] {
    @inlinable get { rare?.content.issuerOCSPResponses ?? [:] }
    set { change(!newValue.isEmpty) { $0.issuerOCSPResponses = newValue } }
  }

  @inlinable var hasIssuerOCSPResponses: Bool {
    guard let rare else { return false }
    return !rare.content.issuerOCSPResponses.isEmpty
  }

  @usableFromInline package var sctList: Bytes? {
    @inlinable get { rare?.content.sctList }
    set { change(newValue != nil) { $0.sctList = newValue } }
  }

  @usableFromInline package var clientAlerts: [ObservedAlert] {
    @inlinable get { rare?.content.clientAlerts ?? [] }
    set { change(!newValue.isEmpty) { $0.clientAlerts = newValue } }
  }

  @usableFromInline package var serverAlerts: [ObservedAlert] {
    @inlinable get { rare?.content.serverAlerts ?? [] }
    set { change(!newValue.isEmpty) { $0.serverAlerts = newValue } }
  }

  @usableFromInline package var protectedALPN: String? {
    @inlinable get { rare?.content.protectedALPN }
    set { change(newValue != nil) { $0.protectedALPN = newValue } }
  }

  @usableFromInline package var innerRandom: ShortBytes? {
    @inlinable get { rare?.content.innerRandom }
    set { change(newValue != nil) { $0.innerRandom = newValue } }
  }

  @usableFromInline package var outerHello: OuterHello? {
    @inlinable get { rare?.content.outerHello }
    set { change(newValue != nil) { $0.outerHello = newValue } }
  }

  @inlinable var hasAlerts: Bool {
    guard let rare else { return false }
    return !rare.content.clientAlerts.isEmpty || !rare.content.serverAlerts.isEmpty
  }

  private mutating func change(_ isNeeded: Bool, _ body: (inout TLSFacts.Rare.Content) -> Void) {
    guard rare != nil || isNeeded else { return }
    var content = rare?.content ?? TLSFacts.Rare.Content()
    body(&content)
    rare = TLSFacts.Rare(content)
  }
}
