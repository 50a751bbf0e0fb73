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

/// Sessions made by hand: a full handshake, and what may go back to it.
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

  /// A full handshake that gives out a ticket and a session ID.
  static var full: SessionMaker {
    SessionMaker(chain: chain, sessionID: [9, 9, 9], issued: Bytes("ticket".utf8))
  }

  /// A session that goes back to it by the ticket.
  static var byTicket: SessionMaker {
    SessionMaker(frame: 20, sessionID: [7], offered: Bytes("ticket".utf8), resumption: .ticket)
  }
}

extension EarlierSessions {
  /// A session with what earlier ones tell of it; nil where they tell nothing.
  fileprivate mutating func completed(_ session: ObservedSession) -> ObservedSession? {
    var session = session
    return complete(&session) ? session : nil
  }
}

@Suite struct EarlierSessionsTests {
  /// What the last of the sessions is known to be.
  func last(_ makers: SessionMaker...) -> ObservedSession? {
    var earlier = EarlierSessions()
    var last: ObservedSession?
    for maker in makers { last = earlier.completed(maker.session) }
    return last
  }

  @Test func `a ticket is named by its SHA-256, and none by nothing`() {
    #expect(hexadecimal(ShortBytes(ticket: Bytes("ticket".utf8).span)) == "14069429150abcbf244c4c2fb2c4c46a")
    #expect(ShortBytes(ticket: Bytes().span).isEmpty)
  }

  @Test func `a ticket leads back to the handshake that gave it out`() throws {
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

  @Test func `what the first handshake leaves open of status is noted where it matters`() {
    func notes(firstAsks: Bool, status: Evidence.State, nextAsks: Bool) -> [String]? {
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
    let note = ["first-handshake-status-not-seen"]
    for status in [Evidence.State.complete, .notSent] {
      #expect(notes(firstAsks: true, status: status, nextAsks: true) == [])
      #expect(notes(firstAsks: false, status: status, nextAsks: true) == note)
    }
    #expect(notes(firstAsks: true, status: .missing, nextAsks: true) == note)
    // Where the client does not ask for all of it, nothing is decided by what lacks.
    #expect(notes(firstAsks: false, status: .missing, nextAsks: false) == [])
  }

  @Test func `a session ID leads back to the handshake that gave it out`() {
    let resumed = last(
      .full, SessionMaker(frame: 20, sessionID: [9, 9, 9], resumption: .sessionID))
    #expect(resumed?.assumedChain?.source == .earlierSession)
  }

  /// What the last session of a second capture is known to be.
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

  @Test func `a link to another capture names it, also through tickets that are given anew`() {
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

  @Test func `the handshake of the own capture comes before that of another`() {
    var own = SessionMaker.full
    own.issued = []
    var resumed = SessionMaker.byTicket
    resumed.sessionID = own.sessionID
    let linked = last([.full], thenElsewhere: [own, resumed])
    #expect(linked?.resumedFrom != nil)
    #expect(linked?.resumedFromCapture == nil)
  }

  @Test func `another server, or a handshake that came later, is no origin across captures`() {
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

  @Test func `what another capture showed of a server is not even probable`() {
    var unknown = SessionMaker.byTicket
    unknown.offered = Bytes("other".utf8)
    #expect(last(.full, unknown)?.assumedChain?.source == .probable)
    #expect(last([.full], thenElsewhere: [unknown]) == nil)
  }

  @Test func `however much another capture showed, the own one is remembered as it is alone`() {
    var many: [SessionMaker] = []
    for index in 0..<(2 * EarlierSessions.maximumCount - 1) {
      var maker = SessionMaker.full
      (maker.sessionID, maker.issued) = ([], Bytes("ticket \(index)".utf8))
      many.append(maker)
    }
    #expect(last(many, thenElsewhere: [.full, .byTicket])?.resumedFromCapture == nil)
    #expect(last(many, thenElsewhere: [.full, .byTicket])?.resumedFrom != nil)
  }

  @Test func `nothing is inherited under another name, but the link is shown`() {
    var other = SessionMaker.byTicket
    other.name = "www.example.com"
    let resumed = last(.full, other)
    #expect(resumed?.resumedFrom != nil)
    #expect(resumed?.assumedChain == nil)
  }

  @Test func `nothing is inherited where the names are not known`() {
    var full = SessionMaker.full
    var resumed = SessionMaker.byTicket
    (full.name, resumed.name) = (nil, nil)
    #expect(last(full, resumed)?.resumedFrom != nil)
    #expect(last(full, resumed)?.assumedChain == nil)
  }

  @Test func `nothing is inherited from certificates that are contested, or did not sign the handshake`() {
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

  @Test func `nothing is inherited from certificates that were not whole`() {
    var cut = SessionMaker.full
    cut.chain = CertificateChain(SessionMaker.chain.certificates, isComplete: false)
    let resumed = last(cut, .byTicket)
    #expect(resumed?.resumedFrom != nil)
    #expect(resumed?.assumedChain == nil)
  }

  @Test func `a handshake whose end is not in the capture is an origin: it was resumed`() {
    var cut = SessionMaker.full
    cut.outcome = .incomplete
    #expect(last(cut, .byTicket)?.assumedChain?.source == .earlierSession)
  }

  @Test func `a handshake without certificates is linked to, and what another one showed is probable`() {
    var bare = SessionMaker.full
    (bare.frame, bare.chain) = (10, nil)
    #expect(last(bare, .byTicket)?.resumedFrom != nil)
    #expect(last(bare, .byTicket)?.assumedChain == nil)
    var other = SessionMaker.full
    (other.sessionID, other.issued) = ([], [])
    #expect(last(other, bare, .byTicket)?.resumedFrom != nil)
    #expect(last(other, bare, .byTicket)?.assumedChain?.source == .probable)
  }

  @Test func `an unknown ticket leads nowhere, a known server is probable and decides nothing`() {
    var unknown = SessionMaker.byTicket
    unknown.offered = Bytes("other".utf8)
    let resumed = last(.full, unknown)
    #expect(resumed?.resumedFrom == nil)
    #expect(resumed?.assumedChain?.source == .probable)
    #expect(resumed?.judgedTLS?.chain == nil)
  }

  @Test func `a key of TLS 1 3 leads to what is probable only`() {
    var later = SessionMaker.byTicket
    (later.version, later.resumption) = (.tls13, .psk)
    #expect(last(.full, later)?.assumedChain?.source == .probable)
    #expect(last(.full, later)?.resumedFrom == nil)
  }

  @Test func `another address of the same name is not probable`() {
    var elsewhere = SessionMaker(frame: 20, version: .tls13)
    elsewhere.server = IPAddress(v4: 5)
    #expect(last(.full, elsewhere) == nil)
  }

  @Test func `handshakes that failed, came later or are of TLS 1 3 are no origin`() {
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

  @Test func `a session that got no answer is left alone`() {
    var earlier = EarlierSessions()
    _ = earlier.completed(SessionMaker.full.session)
    var silent = SessionMaker.byTicket.session
    silent.sharedTLS?.sharedServerHello = nil
    #expect(earlier.completed(silent) == nil)
  }

  @Test func `what is remembered is bounded, and what is forgotten is counted`() {
    var earlier = EarlierSessions()
    for index in 0..<(3 * EarlierSessions.maximumCount) {
      var maker = SessionMaker.full
      maker.sessionID = []
      maker.issued = Bytes("ticket \(index)".utf8)
      _ = earlier.completed(maker.session)
    }
    #expect(earlier.forgotten == UInt64(2 * EarlierSessions.maximumCount))
    var first = SessionMaker.byTicket
    first.offered = Bytes("ticket 0".utf8)
    #expect(earlier.completed(first.session)?.resumedFrom == nil)
    first.offered = Bytes("ticket \(3 * EarlierSessions.maximumCount - 1)".utf8)
    #expect(earlier.completed(first.session)?.resumedFrom != nil)
  }
}

@Suite struct NameTableTests {
  let address = IPAddress(v4: 0xCB00_7107)

  @Test func `only names from before a packet are known to it`() {
    var names = NameTable()
    names.learn("later.example", of: address, from: .dns, frame: 9)
    names.learn("file.example", of: address, from: .nameResolutionBlock, frame: nil)
    names.learn("later.example", of: address, from: .dns, frame: 12)
    #expect(names.hints(for: address, before: 9).map(\.name) == ["file.example"])
    #expect(names.hints(for: address, before: 10).map(\.name) == ["later.example", "file.example"])
    #expect(names.hints(for: address, before: 10).map(\.frame) == [9, nil])
    #expect(names.hints(for: IPAddress(v4: 1), before: 99).isEmpty)
  }

  @Test func `a session whose ClientHello is missing has hints to the name of its server`() {
    var traffic = TestTraffic(port: 443)
    traffic.tracker.shared.names.learn("a.example", of: address, from: .dns, frame: 1)
    traffic.lose(sampleClientHello, fromClient: true)
    traffic.say(sampleServerHello, fromClient: false)
    let session = traffic.finish().first
    #expect(session?.serverName == nil)
    #expect(session?.nameHints.map(\.name) == ["a.example"])
  }

  @Test
  func `a session that names its host has the names of its address besides, but where a proxy was asked`() {
    for proxy in ["", "CONNECT b.example:443 HTTP/1.1\r\n\r\n"] {
      var traffic = TestTraffic(port: 443)
      traffic.tracker.shared.names.learn("a.example", of: address, from: .dns, frame: 1)
      if !proxy.isEmpty {
        traffic.say(Bytes(proxy.utf8), fromClient: true)
        traffic.say(Bytes("HTTP/1.1 200 OK\r\n\r\n".utf8), fromClient: false)
      }
      traffic.say(sampleClientHello, fromClient: true)
      let session = traffic.finish().first
      #expect(session?.serverName == (proxy.isEmpty ? "server" : "b.example"))
      #expect(session?.nameHints.map(\.name) == (proxy.isEmpty ? ["a.example"] : []))
    }
  }

  @Test func `requests in the clear have them, too`() {
    var traffic = TestTraffic(port: 80)
    traffic.tracker.shared.names.learn("a.example", of: address, from: .dns, frame: 1)
    traffic.say(Bytes("GET / HTTP/1.1\r\nHost: b.example\r\n\r\n".utf8), fromClient: true)
    #expect(traffic.finish().first?.nameHints.map(\.name) == ["a.example"])
  }

  @Test func `of one address the latest names are kept`() {
    var names = NameTable()
    for index in 0..<20 { names.learn("n\(index)", of: address, from: .dns, frame: UInt64(index)) }
    #expect(names.hints(for: address, before: 99).map(\.name) == (12..<20).map { "n\($0)" })
  }

  @Test func `addresses are bounded, and what is forgotten is counted`() {
    var names = NameTable()
    for index in 0..<(3 * NameTable.maximumAddressCount) {
      names.learn("n", of: IPAddress(v4: UInt32(index)), from: .dns, frame: 1)
    }
    #expect(names.forgotten == UInt64(2 * NameTable.maximumAddressCount))
    #expect(names.hints(for: IPAddress(v4: 0), before: 9).isEmpty)
    #expect(names.hints(for: IPAddress(v4: UInt32(3 * NameTable.maximumAddressCount - 1)), before: 9).count == 1)
  }

  @Test func `messages over TCP are read in whatever pieces they come`() {
    // An answer that gives 203.0.113.7 to a.example.
    let message: Bytes =
      [0, 1, 0x81, 0x80, 0, 0, 0, 1, 0, 0, 0, 0] + [1, 0x61, 7] + Bytes("example".utf8)
      + [0, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 203, 0, 113, 7]
    let stream = [0, UInt8(message.count)] + message + [0, UInt8(message.count)] + message
    for size in 1...stream.count {
      var names = NameTable()
      let streams = DNSStreams()
      for start in stride(from: 0, to: stream.count, by: size) {
        let piece = Bytes(stream[start..<min(start + size, stream.count)])
        streams.consume(piece.span, in: .fromLower, frame: 3, into: &names)
      }
      #expect(names.hints(for: address, before: 4).map(\.name) == ["a.example"])
    }
    var names = NameTable()
    let broken = DNSStreams()
    broken.lose()
    broken.consume(stream.span, in: .fromLower, frame: 3, into: &names)
    #expect(names.hints(for: address, before: 4).isEmpty)
  }
}
