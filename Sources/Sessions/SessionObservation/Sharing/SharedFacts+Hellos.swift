import ByteParsing
import TLSParsing

extension SharedFacts {
  /// What a ClientHello offers, without GREASE and without what is unique to the connection.
  mutating func offer(_ hello: ClientHello) -> ClientOffer {
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
      .map(SharedFacts.text)
    content.isSSL2Format = hello.format == .ssl2
    return offer(content)
  }

  /// What a ServerHello answers; of one that is cut off, what was read of it.
  mutating func answer(_ hello: ServerHello, isWhole: Bool) -> ServerAnswer {
    var content = ServerAnswer.Content()
    content.version = hello.version
    content.cipherSuite = hello.cipherSuite
    content.compressionMethod = hello.compressionMethod.rawValue
    content.extensions = hello.extensions
    content.alpn = hello.alpn.map(SharedFacts.text)
    content.keyShareGroup = hello.keyShareGroup
    content.isHelloRetryRequest = hello.isHelloRetryRequest
    return answer(content)
  }

  /// What a SERVER-HELLO of SSL 2 answers: the suite is the client's to choose.
  mutating func answer(_ hello: SSL2ServerHello) -> ServerAnswer {
    var content = ServerAnswer.Content()
    content.version = hello.version
    return answer(content)
  }
}
