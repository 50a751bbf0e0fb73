import ByteParsing
import SessionModel
import TLSParsing
import Values

/// A name and its digest, which is computed once.
struct KnownName {
  let text: String
  let digest: UInt64

  init(_ text: String) {
    self.text = text
    digest = LinkDigest.digest(ofName: text)
  }
}

/// A ServerHello without what is unique to the connection.
final class KnownServerHello: Sendable {
  let serverHello: Shared<ServerHelloFacts>
  let sctList: Bytes?
  let selectsPSK: Bool
  /// Whether the version is TLS 1.3 or a draft of it.
  let isTLS13: Bool
  /// Whether the server sends a raw public key instead of certificates (RFC 7250 §4.2).
  let showsRawPublicKey: Bool
  /// Whether the client may send only a raw public key.
  let requestsRawPublicKey: Bool

  /// Combines the facts of `hello` with what they lack. If the version is uncertain, it counts as TLS 1.3.
  init(_ serverHello: Shared<ServerHelloFacts>, _ hello: ServerHello, isVersionCertain: Bool = true) {
    self.serverHello = serverHello
    sctList = hello.sctList
    selectsPSK = hello.selectedPSK != nil
    showsRawPublicKey = hello.serverCertificateType == 2
    requestsRawPublicKey = hello.clientCertificateType == 2
    isTLS13 =
      !isVersionCertain || serverHello.hasTLS13Handshake
      || serverHello.version.map { (TLSVersion.tls13.rawValue..<0x0400).contains($0.rawValue) } == true
  }
}

extension SharedFacts {
  /// The maximum length of a key under which a hello is kept, in bytes: a few times that of the longest real hellos.
  static let maximumKeyByteCount = 4096

  /// The offer of a ClientHello. A well-formed hello with a known key is not decoded again.
  mutating func offer(_ fields: HelloFields, of body: Span<UInt8>, transport: JA4Inputs.Transport) -> Shared<ClientOffer> {
    let format: ClientHello.Format = transport == .dtls ? .dtls : .tls
    guard fields.fault == nil else { return offer(ClientHello(fields, of: body, format: format), transport: transport) }
    helloKey.removeAll(keepingCapacity: true)
    // The fingerprints depend on the transport.
    helloKey.append(contentsOf: transport.rawValue.utf8)
    fields.appendClientKey(of: body, to: &helloKey)
    let key = ByteKey(copying: helloKey.span)
    if let known = offersByKey.renewed(key, cost: helloKey.count) { return known }
    let offer = offer(ClientHello(fields, of: body, format: format), transport: transport)
    if helloKey.count <= SharedFacts.maximumKeyByteCount {
      offersByKey.insert(offer, for: key, cost: helloKey.count)
      madeBytes &+= helloKey.count
    }
    return offer
  }

  /// The facts of a well-formed ServerHello. One with a known key is not decoded again.
  mutating func serverHello(_ fields: HelloFields, of body: Span<UInt8>) -> KnownServerHello {
    helloKey.removeAll(keepingCapacity: true)
    fields.appendServerKey(of: body, to: &helloKey)
    let key = ByteKey(copying: helloKey.span)
    if let known = serverHellosByKey.renewed(key, cost: helloKey.count) { return known }
    let hello = ServerHello(fields, of: body)
    let known = KnownServerHello(serverHello(hello, version: hello.version), hello)
    if helloKey.count <= SharedFacts.maximumKeyByteCount {
      serverHellosByKey.insert(known, for: key, cost: helloKey.count)
    }
    return known
  }

  /// The offer of a ClientHello, without GREASE and without what is unique to the connection.
  mutating func offer(_ hello: ClientHello, transport: JA4Inputs.Transport) -> Shared<ClientOffer> {
    var offer = ClientOffer()
    offer.legacyVersion = hello.legacyVersion
    offer.versions = hello.offeredVersions.filter { !isGREASE($0.rawValue) }
    offer.cipherSuites = hello.cipherSuites.filter { !isGREASE($0.rawValue) }
    offer.compressionMethods = hello.compressionMethods.map(\.rawValue)
    offer.extensions = hello.extensions.filter { !isGREASE($0.rawValue) }
    offer.groups = hello.supportedGroups.filter { !isGREASE($0.rawValue) }
    offer.signatureSchemes = hello.signatureSchemes.filter { !isGREASE($0.rawValue) }
    offer.certificateSignatureSchemes = hello.certificateSignatureSchemes.filter { !isGREASE($0.rawValue) }
    // A GREASE protocol name consists of two bytes like those of the code points (RFC 8701 §3.1).
    offer.alpn = hello.alpn.filter { $0.count != 2 || !isGREASE($0.raw.big16(0)) }
      .map { InputText.string(decoding: $0) }
    offer.isSSL2Format = hello.format == .ssl2
    if hello.isComplete, hello.format != .ssl2 {
      offer.ja3 = ja3(of: hello)
      offer.ja4 = ja4(of: hello, transport: transport)
    }
    return share(offer)
  }

  /// The facts of a ServerHello; of a truncated one, the part that was read. `version` is nil if it may be in the missing part.
  mutating func serverHello(_ hello: ServerHello, version: TLSVersion?) -> Shared<ServerHelloFacts> {
    var facts = ServerHelloFacts()
    facts.version = version
    facts.cipherSuite = hello.cipherSuite
    facts.compressionMethod = hello.compressionMethod.rawValue
    facts.extensions = hello.extensions
    facts.alpn = hello.alpn.map { InputText.string(decoding: $0) }
    facts.keyShareGroup = hello.keyShareGroup
    facts.isHelloRetryRequest = hello.isHelloRetryRequest
    if hello.isComplete { facts.ja3s = ja3s(of: hello) }
    return share(facts)
  }

  /// The facts of an SSL 2 SERVER-HELLO, which contains no chosen suite: the client chooses it.
  mutating func serverHello(_ hello: SSL2ServerHello) -> Shared<ServerHelloFacts> {
    var facts = ServerHelloFacts()
    facts.version = hello.version
    return share(facts)
  }
}
