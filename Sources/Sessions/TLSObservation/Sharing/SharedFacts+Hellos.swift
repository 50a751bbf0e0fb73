import ByteParsing
import SessionModel
import TLSParsing
import Values

/// A name and its digest, which is made once.
struct KnownName {
  let text: String
  let digest: UInt64

  init(_ text: String) {
    self.text = text
    digest = LinkDigest.digest(ofName: text)
  }
}

/// What all ClientHellos of a shape have in common.
struct KnownOffer {
  var offer: Shared<ClientOffer>
  var offersTicket: Bool
  var offersEarlyData: Bool
}

/// What a ClientHello was found to be by scanning it.
struct ScannedOffer {
  let scan: ClientHelloScan
  let known: KnownOffer
}

/// What a ServerHello was found to be by scanning it.
struct ScannedAnswer {
  let scan: ServerHelloScan
  let known: KnownAnswer
}

/// What all ServerHellos of a shape have in common.
final class KnownAnswer: Sendable {
  let serverHello: Shared<ServerHelloFacts>
  let sctList: Bytes?
  let selectsPSK: Bool
  /// Of the version family of TLS 1.3, drafts included.
  let isTLS13: Bool
  let isHelloRetryRequest: Bool
  let keyShareGroup: NamedGroup?
  /// The server shows a raw public key in place of certificates (RFC 7250 §4.2).
  let showsRawPublicKey: Bool

  /// Takes the facts of `hello`, and from it what they lack; one whose version is not certain is of the family of TLS 1.3.
  init(
    _ serverHello: Shared<ServerHelloFacts>, _ hello: ServerHello, isSettled: Bool = true,
    showsRawPublicKey: Bool = false
  ) {
    self.serverHello = serverHello
    sctList = hello.sctList
    selectsPSK = hello.selectedPSK != nil
    self.showsRawPublicKey = showsRawPublicKey
    let version = serverHello.version
    isTLS13 =
      !isSettled || version.rawValue >= TLSVersion.tls13.rawValue && version.rawValue < 0x0400
      || version.hasTLS13Handshake
    isHelloRetryRequest = serverHello.isHelloRetryRequest
    keyShareGroup = serverHello.keyShareGroup
  }
}

extension SharedFacts {
  /// Where the parts of a ClientHello lie, and what it shares with others of its shape; nil where it is not well formed.
  mutating func clientHello(_ body: Span<UInt8>, transport: JA4Inputs.Transport) -> ScannedOffer? {
    guard let scan = ClientHelloScan(body, shape: &helloShape) else { return nil }
    return ScannedOffer(scan: scan, known: knownOffer(body, transport))
  }

  /// Where the parts of a ServerHello lie, and what it shares with others of its shape; nil where it is not well formed.
  mutating func serverHello(_ body: Span<UInt8>) -> ScannedAnswer? {
    guard let scan = ServerHelloScan(body, shape: &helloShape), let known = knownAnswer(body) else {
      return nil
    }
    return ScannedAnswer(scan: scan, known: known)
  }

  /// What a whole and well-formed ClientHello, which was scanned last, shares with others of its shape, found without
  /// parsing it again.
  private mutating func knownOffer(_ body: Span<UInt8>, _ transport: JA4Inputs.Transport) -> KnownOffer {
    let isQUIC = transport == .quic
    let shape = helloShape.isWhole ? ByteKey(copying: helloShape.bytes) : nil
    if let shape,
      let known = isQUIC
        ? quicOffers.renewed(shape, cost: shape.bytes.count)
        : tlsOffers.renewed(shape, cost: shape.bytes.count)
    {
      return known
    }
    let hello = ClientHello(parsingPrefix: body)
    let known = KnownOffer(
      offer: offer(hello, transport: transport), offersTicket: !(hello.sessionTicket ?? []).isEmpty,
      offersEarlyData: hello.offersEarlyData)
    if let shape {
      if isQUIC {
        quicOffers.insert(known, for: shape, cost: shape.bytes.count)
      } else {
        tlsOffers.insert(known, for: shape, cost: shape.bytes.count)
      }
      madeBytes &+= shape.bytes.count
    }
    return known
  }

  /// What a whole and well-formed ServerHello, which was scanned last, shares with others of its shape; nil where it
  /// cannot be parsed.
  private mutating func knownAnswer(_ body: Span<UInt8>) -> KnownAnswer? {
    let shape = helloShape.isWhole ? ByteKey(copying: helloShape.bytes) : nil
    if let shape, let known = answerShapes.renewed(shape, cost: shape.bytes.count) { return known }
    guard let hello = try? ServerHello(parsingPrefix: body) else { return nil }
    let known = KnownAnswer(serverHello(hello), hello, showsRawPublicKey: hello.serverCertificateType == 2)
    if let shape { answerShapes.insert(known, for: shape, cost: shape.bytes.count) }
    return known
  }

  /// What a ClientHello offers, without GREASE and without what is unique to the connection.
  mutating func offer(_ hello: ClientHello, transport: JA4Inputs.Transport = .tls) -> Shared<ClientOffer> {
    var offer = ClientOffer()
    offer.legacyVersion = hello.legacyVersion
    offer.versions = hello.offeredVersions.filter { !isGREASE($0.rawValue) }
    offer.cipherSuites = hello.cipherSuites.filter { !isGREASE($0.rawValue) }
    offer.compressionMethods = hello.compressionMethods.map(\.rawValue)
    offer.extensions = hello.extensions.filter { !isGREASE($0.rawValue) }
    offer.groups = hello.supportedGroups.filter { !isGREASE($0.rawValue) }
    offer.signatureSchemes = hello.signatureSchemes.filter { !isGREASE($0.rawValue) }
    offer.certificateSignatureSchemes = hello.certificateSignatureSchemes.filter { !isGREASE($0.rawValue) }
    // A protocol name of GREASE is two bytes of the same kind as the code points (RFC 8701 §3.1).
    offer.alpn = hello.alpn.filter { $0.count != 2 || !isGREASE(UInt16($0[0]) << 8 | UInt16($0[1])) }
      .map { InputText.string(decoding: $0) }
    offer.isSSL2Format = hello.format == .ssl2
    if hello.isComplete, hello.format != .ssl2 {
      offer.ja3 = ja3(of: hello)
      offer.ja4 = ja4(of: hello, transport: hello.format == .dtls ? .dtls : transport)
    }
    return share(offer)
  }

  /// What a server chose in its hello; of one that is cut off, what was read of it.
  mutating func serverHello(_ hello: ServerHello) -> Shared<ServerHelloFacts> {
    var facts = ServerHelloFacts()
    facts.version = hello.version
    facts.cipherSuite = hello.cipherSuite
    facts.compressionMethod = hello.compressionMethod.rawValue
    facts.extensions = hello.extensions
    facts.alpn = hello.alpn.map { InputText.string(decoding: $0) }
    facts.keyShareGroup = hello.keyShareGroup
    facts.isHelloRetryRequest = hello.isHelloRetryRequest
    if hello.isComplete { facts.ja3s = ja3s(of: hello) }
    return share(facts)
  }

  /// What a SERVER-HELLO of SSL 2 shows: the suite is the client's to choose.
  mutating func serverHello(_ hello: SSL2ServerHello) -> Shared<ServerHelloFacts> {
    var facts = ServerHelloFacts()
    facts.version = hello.version
    return share(facts)
  }
}
