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
    digest = TicketDigest.digest(ofName: text)
  }
}

/// A ServerHello without what is new in each connection.
final class KnownAnswer: Sendable {
  let answer: ServerAnswer
  let sctList: Bytes?
  let selectsPSK: Bool
  /// Whether the version is TLS 1.3 or a draft of it.
  let isTLS13: Bool
  /// Whether the server shows a raw public key in place of certificates (RFC 7250 §4.2).
  let showsRawPublicKey: Bool

  /// Takes an answer and the hello that it was made from; one whose version is not certain counts as TLS 1.3.
  init(_ answer: ServerAnswer, _ hello: ServerHello, isSettled: Bool = true) {
    self.answer = answer
    sctList = hello.sctList
    selectsPSK = hello.selectedPSK != nil
    showsRawPublicKey = hello.serverCertificateType == 2
    let version = answer.content.version
    isTLS13 =
      !isSettled || version.rawValue >= TLSVersion.tls13.rawValue && version.rawValue < 0x0400
      || version.hasTLS13Handshake
  }
}

extension SharedFacts {
  /// The longest key under which a hello is kept, in bytes: a few times that of the longest real hellos.
  static let keyLimit = 4096

  /// What a ClientHello offers. A sound hello whose key is known is not decoded again.
  mutating func offer(
    _ fields: HelloFields, of body: Span<UInt8>, transport: JA4Inputs.Transport
  ) -> ClientOffer {
    let format: ClientHello.Format = transport == .dtls ? .dtls : .tls
    guard fields.fault == nil else {
      return offer(ClientHello(fields, of: body, format: format), transport: transport)
    }
    helloKey.removeAll(keepingCapacity: true)
    // The fingerprints name the transport.
    helloKey.append(contentsOf: transport.rawValue.utf8)
    fields.appendClientKey(of: body, to: &helloKey)
    if let known = offersByKey.value(for: helloKey.span) { return known }
    let offer = offer(ClientHello(fields, of: body, format: format), transport: transport)
    if helloKey.count <= SharedFacts.keyLimit {
      offersByKey.insert(offer, for: Bytes(copying: helloKey.span))
      madeBytes &+= helloKey.count
    }
    return offer
  }

  /// What a sound ServerHello answers. One whose key is known is not decoded again.
  mutating func answer(_ fields: HelloFields, of body: Span<UInt8>) -> KnownAnswer {
    helloKey.removeAll(keepingCapacity: true)
    fields.appendServerKey(of: body, to: &helloKey)
    if let known = answersByKey.value(for: helloKey.span) { return known }
    let hello = ServerHello(fields, of: body)
    let known = KnownAnswer(answer(hello), hello)
    if helloKey.count <= SharedFacts.keyLimit {
      answersByKey.insert(known, for: Bytes(copying: helloKey.span))
    }
    return known
  }

  /// What a ClientHello offers, without GREASE and without what is unique to the connection.
  mutating func offer(_ hello: ClientHello, transport: JA4Inputs.Transport) -> ClientOffer {
    var content = ClientOffer.Content()
    content.legacyVersion = hello.legacyVersion
    content.versions = hello.offeredVersions.filter { !isGREASE($0.rawValue) }
    content.cipherSuites = hello.cipherSuites.filter { !isGREASE($0.rawValue) }
    content.compressionMethods = hello.compressionMethods.map(\.rawValue)
    content.extensions = hello.extensions.filter { !isGREASE($0.rawValue) }
    content.groups = hello.supportedGroups.filter { !isGREASE($0.rawValue) }
    content.signatureSchemes = hello.signatureSchemes.filter { !isGREASE($0.rawValue) }
    content.certificateSignatureSchemes = hello.certificateSignatureSchemes.filter { !isGREASE($0.rawValue) }
    // A protocol name of GREASE is two bytes of the same kind as the code points (RFC 8701 §3.1).
    content.alpn = hello.alpn.filter { $0.count != 2 || !isGREASE(UInt16($0[0]) << 8 | UInt16($0[1])) }
      .map { InputText.string(decoding: $0) }
    content.isSSL2Format = hello.format == .ssl2
    if hello.isComplete, hello.format != .ssl2 {
      content.ja3 = ja3(of: hello)
      content.ja4 = ja4(of: hello, transport: transport)
    }
    return offer(content)
  }

  /// What a ServerHello answers; of one that is cut off, what was read of it.
  mutating func answer(_ hello: ServerHello) -> ServerAnswer {
    var content = ServerAnswer.Content()
    content.version = hello.version
    content.cipherSuite = hello.cipherSuite
    content.compressionMethod = hello.compressionMethod.rawValue
    content.extensions = hello.extensions
    content.alpn = hello.alpn.map { InputText.string(decoding: $0) }
    content.keyShareGroup = hello.keyShareGroup
    content.isHelloRetryRequest = hello.isHelloRetryRequest
    if hello.isComplete { content.ja3s = ja3s(of: hello) }
    return answer(content)
  }

  /// What a SERVER-HELLO of SSL 2 answers: the suite is the client's to choose.
  mutating func answer(_ hello: SSL2ServerHello) -> ServerAnswer {
    var content = ServerAnswer.Content()
    content.version = hello.version
    return answer(content)
  }
}
