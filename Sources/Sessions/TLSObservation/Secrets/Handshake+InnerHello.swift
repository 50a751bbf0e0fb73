import ByteParsing
import HandshakeDecryption
import SessionModel
import TLSParsing

/// Encrypted ClientHello, decrypted with the secrets of a key log (RFC 9849, RFC 9850 §2.3).
extension Handshake {
  /// Decrypts the inner hello of the outer one that was just read, if the key log has its secret.
  mutating func decryptInnerHello(_ outer: Span<UInt8>, sharing shared: borrowing SharedFacts) {
    guard facts.sharedOffer?.extensions.contains(.encryptedClientHello) == true,
      let keys = shared.secrets.innerKeys(ofRandom: facts.clientRandom)
    else { return }
    inner = InnerHello(in: outer, keys)
    if inner == nil { note(.innerHelloNotDecrypted) }
  }

  /// Accepts the inner hello if the ServerHello that was just read shows that the server did.
  mutating func confirmInnerHello(_ serverHello: Span<UInt8>, sharing shared: inout SharedFacts) {
    let isRetry = if case .helloRetryRequest = negotiation { true } else { false }
    guard let inner, facts.innerRandom == nil, let suite = facts.sharedServerHello?.cipherSuite,
      isRetry || !facts.hasHelloRetryRequest, inner.isAccepted(by: serverHello, suite: suite, isRetry: isRetry)
    else { return }
    acceptInnerHello(inner.random, sharing: &shared)
    // After a HelloRetryRequest the second inner hello also counts, and is not decrypted.
    if isRetry { return }
    let body = inner.body
    transcript = HandshakeTranscript(clientHello: body.span)
  }

  /// Records that the server accepted the inner hello with this random. If that hello was decrypted, its offer and name replace those of
  /// the outer hello; the fingerprints remain those of the outer hello, which is on the network.
  mutating func acceptInnerHello(_ random: ShortBytes, sharing shared: inout SharedFacts) {
    guard facts.innerRandom == nil else { return }
    facts.innerRandom = random
    transcript = nil
    guard let inner, inner.random == random, let outer = facts.sharedOffer else { return }
    let body = inner.body
    let hello = ClientHello(parsingPrefix: body.span)
    guard hello.isComplete else {
      note(.innerHelloNotDecrypted)
      return
    }
    facts.outerHello = OuterHello(serverName: facts.serverName)
    var offer = shared.offer(hello, transport: transport).value
    (offer.ja3, offer.ja4) = (outer.ja3, outer.ja4)
    facts.sharedOffer = shared.share(offer)
    (facts.serverName, facts.serverNameDigest) = (nil, 0)
    if let name = hello.serverName { record(shared.name(name.span)) }
  }
}
