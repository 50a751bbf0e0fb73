import ByteParsing
import CertificateParsing
import PacketParsing
import TestBytes
import TLSParsing
import Testing
import Values

import SessionModel
@testable import SessionLinking
@testable import CleartextObservation
@testable import SessionTracking

/// Builds sessions: a full handshake, and sessions that may resume it.
struct SessionMaker {
  var file = "a.pcap"
  var frame: UInt64 = 1
  var name: String? = "api.example.com"
  var server = IPAddress(v4: 0xCB00_7107)
  var version = TLSVersion.tls12
  var chain: CertificateChain? = nil
  var sessionID = Bytes()
  var offered = Bytes()
  var issued = Bytes()
  var resumption: TLSFacts.Resumption? = nil
  var outcome = TLSFacts.Outcome.established
  var signature: HandshakeSignature? = nil

  static let chain = CertificateChain(
    [
      ObservedCertificate(
        certificate: Certificate(parsing: Bytes([0x30, 0]).span), sha256: "00", spkiSHA256: nil)
    ],
    isComplete: true)

  var session: ObservedSession {
    var session = ObservedSession(
      file: file, firstFrame: frame, lastFrame: frame + 5, start: Timestamp(seconds: Int64(frame)), end: nil,
      transport: .tcp, application: .tls,
      client: Endpoint(address: IPAddress(v4: 1), port: UInt16(truncatingIfNeeded: frame)),
      server: Endpoint(address: server, port: 443))
    session.serverName = name
    session.serverNameSource = name == nil ? nil : .sni
    var content = ServerHelloFacts()
    content.version = version
    var facts = TLSFacts()
    facts.sharedServerHello = Shared(content)
    facts.chain = chain
    facts.sessionID = ShortBytes(sessionID)
    facts.offeredTicket = ShortBytes(ticket: offered.span)
    facts.issuedTicket = ShortBytes(ticket: issued.span)
    facts.isResumed = resumption != nil
    facts.resumption = resumption
    facts.outcome = outcome
    facts.handshakeSignature = signature
    facts.sctList = chain == nil ? nil : [1, 2, 3]
    facts.issuerOCSPResponses = chain == nil ? [:] : [1: [4, 5]]
    session.sharedTLS = Shared(facts)
    session.evidence.certificates = chain == nil ? .resumed : .complete
    return session
  }

  /// A full handshake that issues a ticket and a session ID.
  static var full: SessionMaker {
    SessionMaker(chain: chain, sessionID: [9, 9, 9], issued: Bytes("ticket".utf8))
  }

  /// A session that resumes it with the ticket.
  static var byTicket: SessionMaker {
    SessionMaker(frame: 20, sessionID: [7], offered: Bytes("ticket".utf8), resumption: .ticket)
  }
}

extension EarlierSessions {
  /// Returns the session completed with facts of earlier ones, or nil if they add nothing.
  fileprivate mutating func completed(_ session: ObservedSession) -> ObservedSession? {
    var session = session
    return complete(&session) ? session : nil
  }
}

@Suite struct EarlierSessionsTests {
  /// Returns the last of the sessions, completed with the earlier ones.
  func last(_ makers: SessionMaker...) -> ObservedSession? {
    var earlier = EarlierSessions()
    var last: ObservedSession?
    for maker in makers { last = earlier.completed(maker.session) }
    return last
  }

  @Test func `a ticket is identified by its truncated SHA-256, an empty one by no bytes`() {
    #expect(hexadecimal(ShortBytes(ticket: Bytes("ticket".utf8).span)) == "14069429150abcbf244c4c2fb2c4c46a")
    #expect(ShortBytes(ticket: Bytes().span).isEmpty)
  }

  @Test func `a ticket links a session to the handshake that issued it`() throws {
    let full = SessionMaker.full
    let resumed = try #require(last(full, .byTicket))
    let identifier = full.session.identifier
    #expect(resumed.resumedFrom == identifier)
    #expect(resumed.assumedChain?.source == .earlierSession)
    #expect(resumed.assumedChain?.chain === SessionMaker.chain)
    #expect(resumed.assumedChain?.origin?.session == identifier)
    #expect(resumed.assumedChain?.origin?.file == full.file)
    #expect(resumed.assumedChain?.origin?.frames == full.session.evidence.frames[.certificates])
    #expect(resumed.assumedChain?.sctList == [1, 2, 3])
    #expect(resumed.assumedChain?.issuerOCSPResponses == [1: [4, 5]])
    #expect(resumed.sharedTLS?.chain == nil)
    #expect(resumed.judgedTLS?.chain === SessionMaker.chain)
    #expect(resumed.judgedTLS?.sctList == [1, 2, 3])
    #expect(resumed.judgedTLS?.issuerOCSPResponses == [1: [4, 5]])
  }

  @Test func `status that the first handshake does not show is noted if the resumed session requests it`() {
    func notes(firstAsks: Bool, status: Evidence.State, nextAsks: Bool) -> [EvidenceNote]? {
      func session(_ maker: SessionMaker, asks: Bool) -> ObservedSession {
        var session = maker.session
        var content = ClientOffer()
        content.extensions = asks ? [.statusRequest, .signedCertificateTimestamp] : [.statusRequest]
        session.sharedTLS?.sharedOffer = Shared(content)
        session.evidence.serverHello = .complete
        session.evidence.certificateStatus = status
        return session
      }
      var earlier = EarlierSessions()
      _ = earlier.completed(session(.full, asks: firstAsks))
      return earlier.completed(session(.byTicket, asks: nextAsks))?.evidence.notes
    }
    let note = [EvidenceNote.firstHandshakeStatusMissing]
    for status in [Evidence.State.complete, .notSent] {
      #expect(notes(firstAsks: true, status: status, nextAsks: true) == [])
      #expect(notes(firstAsks: false, status: status, nextAsks: true) == note)
    }
    #expect(notes(firstAsks: true, status: .missing, nextAsks: true) == note)
    // If the client does not request all of it, its absence decides nothing.
    #expect(notes(firstAsks: false, status: .missing, nextAsks: false) == [])
  }

  @Test func `a session ID links a session to the handshake that issued it`() {
    let resumed = last(
      .full, SessionMaker(frame: 20, sessionID: [9, 9, 9], resumption: .sessionID))
    #expect(resumed?.assumedChain?.source == .earlierSession)
  }

  /// Returns the last session of a second capture, completed with the earlier ones.
  func last(_ first: [SessionMaker], thenElsewhere makers: [SessionMaker]) -> ObservedSession? {
    var earlier = EarlierSessions()
    for maker in first { _ = earlier.completed(maker.session) }
    earlier.beginCapture()
    var last: ObservedSession?
    for var maker in makers {
      maker.file = "b.pcap"
      last = earlier.completed(maker.session)
    }
    return last
  }

  @Test func `a link to another capture names that capture, also across renewed tickets`() {
    var second = SessionMaker.byTicket
    second.issued = Bytes("next".utf8)
    var third = SessionMaker.byTicket
    (third.frame, third.offered) = (30, Bytes("next".utf8))
    #expect(last(.full, second, third)?.resumedFromCapture == nil)
    for (first, then) in [([SessionMaker.full, second], [third]), ([.full], [second, third])] {
      let resumed = last(first, thenElsewhere: then)
      #expect(resumed?.assumedChain?.source == .earlierSession)
      #expect(resumed?.resumedFromCapture == "a.pcap")
    }
  }

  @Test func `a handshake in the same capture takes precedence over one in another`() {
    var own = SessionMaker.full
    own.issued = []
    var resumed = SessionMaker.byTicket
    resumed.sessionID = own.sessionID
    let linked = last([.full], thenElsewhere: [own, resumed])
    #expect(linked?.resumedFrom != nil)
    #expect(linked?.resumedFromCapture == nil)
  }

  @Test func `another server or a later handshake is not an origin across captures`() {
    var other = SessionMaker.byTicket
    other.name = "www.example.com"
    #expect(last([.full], thenElsewhere: [other]) == nil)
    var unnamed = (SessionMaker.full, SessionMaker.byTicket)
    (unnamed.0.name, unnamed.1.name) = (nil, nil)
    #expect(last([unnamed.0], thenElsewhere: [unnamed.1])?.resumedFromCapture == "a.pcap")
    unnamed.1.server = IPAddress(v4: 5)
    #expect(last([unnamed.0], thenElsewhere: [unnamed.1]) == nil)
    var late = SessionMaker.full
    late.frame = 30
    #expect(last([late], thenElsewhere: [.byTicket]) == nil)
  }

  @Test func `a chain of the same server in another capture is not a probable one`() {
    var unknown = SessionMaker.byTicket
    unknown.offered = Bytes("other".utf8)
    #expect(last(.full, unknown)?.assumedChain?.source == .probable)
    #expect(last([.full], thenElsewhere: [unknown]) == nil)
  }

  @Test func `sessions of another capture do not displace those of the same capture`() {
    var many: [SessionMaker] = []
    for index in 0..<(2 * EarlierSessions.minimumCount - 1) {
      var maker = SessionMaker.full
      (maker.sessionID, maker.issued) = ([], Bytes("ticket \(index)".utf8))
      many.append(maker)
    }
    #expect(last(many, thenElsewhere: [.full, .byTicket])?.resumedFromCapture == nil)
    #expect(last(many, thenElsewhere: [.full, .byTicket])?.resumedFrom != nil)
  }

  @Test func `a session with another server name inherits nothing but is linked`() {
    var other = SessionMaker.byTicket
    other.name = "www.example.com"
    let resumed = last(.full, other)
    #expect(resumed?.resumedFrom != nil)
    #expect(resumed?.assumedChain == nil)
  }

  @Test func `a session without a server name inherits nothing but is linked`() {
    var full = SessionMaker.full
    var resumed = SessionMaker.byTicket
    (full.name, resumed.name) = (nil, nil)
    #expect(last(full, resumed)?.resumedFrom != nil)
    #expect(last(full, resumed)?.assumedChain == nil)
  }

  @Test func `contested certificates and those with an invalid handshake signature are not inherited`() {
    var contested = SessionMaker.full.session
    contested.evidence.contested = [.certificates: FrameList()]
    var unsigned = SessionMaker.full
    unsigned.signature = .invalid
    for origin in [contested, unsigned.session] {
      var earlier = EarlierSessions()
      _ = earlier.completed(origin)
      let resumed = earlier.completed(SessionMaker.byTicket.session)
      #expect(resumed?.resumedFrom != nil)
      #expect(resumed?.assumedChain == nil)
    }
  }

  @Test func `an incomplete certificate chain is not inherited`() {
    var cut = SessionMaker.full
    cut.chain = CertificateChain(SessionMaker.chain.certificates, isComplete: false)
    let resumed = last(cut, .byTicket)
    #expect(resumed?.resumedFrom != nil)
    #expect(resumed?.assumedChain == nil)
  }

  @Test func `a handshake whose end is not in the capture is an origin, since it was resumed`() {
    var cut = SessionMaker.full
    cut.outcome = .incomplete
    #expect(last(cut, .byTicket)?.assumedChain?.source == .earlierSession)
  }

  @Test func `a handshake without certificates is linked, and another one's chain is probable`() {
    var bare = SessionMaker.full
    (bare.frame, bare.chain) = (10, nil)
    #expect(last(bare, .byTicket)?.resumedFrom != nil)
    #expect(last(bare, .byTicket)?.assumedChain == nil)
    var other = SessionMaker.full
    (other.sessionID, other.issued) = ([], [])
    #expect(last(other, bare, .byTicket)?.resumedFrom != nil)
    #expect(last(other, bare, .byTicket)?.assumedChain?.source == .probable)
  }

  @Test func `a session with an unknown ticket has no link, and its server's chain is only probable`() {
    var unknown = SessionMaker.byTicket
    unknown.offered = Bytes("other".utf8)
    let resumed = last(.full, unknown)
    #expect(resumed?.resumedFrom == nil)
    #expect(resumed?.assumedChain?.source == .probable)
    #expect(resumed?.judgedTLS?.chain == nil)
  }

  @Test func `a TLS 1_3 pre-shared key yields only a probable chain and no link`() {
    var later = SessionMaker.byTicket
    (later.version, later.resumption) = (.tls13, .psk)
    #expect(last(.full, later)?.assumedChain?.source == .probable)
    #expect(last(.full, later)?.resumedFrom == nil)
  }

  @Test func `another address of the same server name yields no probable chain`() {
    var elsewhere = SessionMaker(frame: 20, version: .tls13)
    elsewhere.server = IPAddress(v4: 5)
    #expect(last(.full, elsewhere) == nil)
  }

  @Test func `failed, later and TLS 1_3 handshakes are not origins`() {
    for outcome in [TLSFacts.Outcome.refusedByClient, .refusedByServer, .reset] {
      var failed = SessionMaker.full
      failed.outcome = outcome
      #expect(last(failed, .byTicket)?.resumedFrom == nil)
    }
    var late = SessionMaker.full
    late.frame = 30
    #expect(last(late, .byTicket) == nil)
    var modern = SessionMaker.full
    modern.version = .tls13
    #expect(last(modern, .byTicket)?.resumedFrom == nil)
  }

  @Test func `a session without a ServerHello is left unchanged`() {
    var earlier = EarlierSessions()
    _ = earlier.completed(SessionMaker.full.session)
    var silent = SessionMaker.byTicket.session
    silent.sharedTLS?.sharedServerHello = nil
    #expect(earlier.completed(silent) == nil)
  }

  @Test func `the number of remembered sessions is bounded, and evicted ones are counted`() {
    var earlier = EarlierSessions()
    for index in 0..<(3 * EarlierSessions.minimumCount) {
      var maker = SessionMaker.full
      maker.sessionID = []
      maker.issued = Bytes("ticket \(index)".utf8)
      _ = earlier.completed(maker.session)
    }
    #expect(earlier.forgotten == UInt64(2 * EarlierSessions.minimumCount))
    var first = SessionMaker.byTicket
    first.offered = Bytes("ticket 0".utf8)
    #expect(earlier.completed(first.session)?.resumedFrom == nil)
    first.offered = Bytes("ticket \(3 * EarlierSessions.minimumCount - 1)".utf8)
    #expect(earlier.completed(first.session)?.resumedFrom != nil)
  }
}
