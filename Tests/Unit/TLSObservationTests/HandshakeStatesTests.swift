import Testing

@testable import TLSObservation

@Suite struct HandshakeStatesTests {
  @Test func `a ChangeCipherSpec without other messages indicates a resumed session`() {
    var flight = ServerFlight.begun
    flight.noteChangeCipherSpec()
    #expect(!flight.isFull)
    #expect(flight.isEndSeen && flight.hasChangedCipherSpec)
    flight.noteFullHandshake()
    #expect(flight.isFull)
    #expect(flight.hasChangedCipherSpec)
  }

  @Test func `a client message ends the server's flight, whose end can still be observed later`() {
    var flight = ServerFlight.begun
    flight.noteClientFlight()
    #expect(flight.isFull && flight.isOver && !flight.isEndSeen)
    flight.noteServerHelloDone()
    #expect(flight.isEndSeen && !flight.hasChangedCipherSpec)
    flight.noteChangeCipherSpec()
    #expect(flight.isFull && flight.hasChangedCipherSpec)
  }

  @Test func `a Finished that was read stays read`() {
    var server = ServerState.handshaking(.full)
    server.finish(isRead: true)
    server.finish(isRead: false)
    #expect(server.hasFinished && server.isFinishedRead)
    server.flight.noteServerHelloDone()
    #expect(server.isFinishedRead && server.flight.isEndSeen)
  }

  @Test func `a repeated ClientHello stays repeated if the server chooses TLS 1_2`() {
    var negotiation = Negotiation.awaitingServerHello(isClientHelloRepeated: false)
    negotiation.repeatClientHello()
    negotiation.choose(isTLS13: false, isHelloRetryRequest: false)
    #expect(negotiation.isClientHelloRepeated)
    #expect(!negotiation.isTLS13 && !negotiation.awaitsServerHello)
  }

  @Test func `after a HelloRetryRequest and a second ClientHello the ServerHello completes negotiation`() {
    var negotiation = Negotiation.awaitingServerHello(isClientHelloRepeated: false)
    negotiation.choose(isTLS13: true, isHelloRetryRequest: true)
    #expect(negotiation.isTLS13 && negotiation.awaitsServerHello)
    negotiation.repeatClientHello()
    negotiation.choose(isTLS13: true, isHelloRetryRequest: true)
    guard case .helloRetryRequest(isAnswered: true) = negotiation else {
      Issue.record("\(negotiation)")
      return
    }
    negotiation.choose(isTLS13: true, isHelloRetryRequest: false)
    #expect(negotiation.isTLS13 && !negotiation.awaitsServerHello)
  }
}
