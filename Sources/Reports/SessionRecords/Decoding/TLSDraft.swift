import ByteParsing
import JSONReading
import SessionModel
import TLSParsing

/// The state of reading the `tls` object.
struct TLSDraft {
  private var facts = TLSFacts()
  private var offer = ClientOffer()
  private var serverHello = ServerHelloFacts()
  private var hasOffer = false
  private var hasServerHello = false
  private var legacyVersion: TLSVersion?
  private var keyShareGroup: NamedGroup??
  private var exchangeGroup: NamedGroup??
  private var alpn: String?

  /// The identifier of the record of the session that this one resumes.
  private(set) var resumedFrom: String?

  /// The capture that contains the resumed session; nil if it is the same capture.
  private(set) var resumedFromCapture: String?
  /// The client's session ID; nil if it equals the session's.
  private var offeredSessionID: ShortBytes?

  /// The maximum number of alerts for each side; far more than observation keeps.
  fileprivate static let maximumAlerts = 1024

  mutating func read(_ reader: inout JSONReader) throws(JSONError) {
    try reader.readObject { (key, reader) throws(JSONError) in
      if try readOffer(key, &reader) { return }
      if try readServerHello(key, &reader) { return }
      try readRest(key, &reader)
    }
  }

  /// Returns the facts; the offer and the ServerHello are shared via the decoder.
  mutating func facts(sharingWith decoder: inout SessionDecoder) -> TLSFacts {
    if hasOffer {
      if let version = legacyVersion ?? offer.impliedLegacyVersion { offer.legacyVersion = version }
      facts.sharedOffer = decoder.share(offer)
    }
    if hasServerHello {
      // In TLS 1.3, EncryptedExtensions contains the server's ALPN choice, not the ServerHello.
      if serverHello.hasTLS13Handshake { facts.protectedALPN = alpn } else { serverHello.alpn = alpn }
      serverHello.keyShareGroup = keyShareGroup ?? serverHello.impliedKeyShare(of: facts.group)
      facts.sharedServerHello = decoder.share(serverHello)
    }
    facts.offeredSessionID = offeredSessionID ?? facts.sessionID
    if facts.serverKeyExchange != nil { facts.serverKeyExchange?.group = exchangeGroup ?? facts.group }
    return facts
  }

  private mutating func readOffer(_ key: String, _ reader: inout JSONReader) throws(JSONError) -> Bool {
    switch key {
    case "offeredVersions":
      guard let versions = try reader.readCodePoints(TLSVersion.init(rawValue:)) else { return true }
      offer.versions = versions
    case "legacyVersion": legacyVersion = TLSVersion(rawValue: try reader.readCodePoint())
    case "ssl2ClientHello": offer.isSSL2Format = try reader.readBool()
    case "offeredCipherSuites":
      guard let suites = try reader.readCodePoints(CipherSuite.init(rawValue:)) else { return true }
      offer.cipherSuites = suites
      hasOffer = true
    case "offeredCompressionMethods": offer.compressionMethods = try reader.readOctets()
    case "offeredExtensions":
      offer.extensions = try reader.readCodePoints(ExtensionType.init(rawValue:)) ?? []
    case "offeredGroups": offer.groups = try reader.readCodePoints(NamedGroup.init(rawValue:)) ?? []
    case "offeredSignatureSchemes":
      offer.signatureSchemes = try reader.readCodePoints(SignatureScheme.init(rawValue:)) ?? []
    case "offeredCertificateSignatureSchemes":
      offer.certificateSignatureSchemes = try reader.readCodePoints(SignatureScheme.init(rawValue:)) ?? []
    case "offeredAlpn": offer.alpn = try reader.readNull() ? [] : reader.readTexts()
    case "ja3": offer.ja3 = try reader.readOptionalDigest()
    case "ja4": offer.ja4 = try reader.readOptionalText()
    default: return false
    }
    return true
  }

  private mutating func readServerHello(_ key: String, _ reader: inout JSONReader) throws(JSONError) -> Bool {
    switch key {
    case "version":
      guard let version = try reader.readOptionalCodePoint() else { return true }
      serverHello.version = TLSVersion(rawValue: version)
    case "cipherSuite":
      serverHello.cipherSuite = try reader.readOptionalCodePoint().map(CipherSuite.init(rawValue:))
    case "compressionMethod":
      serverHello.compressionMethod = try reader.readNull() ? nil : reader.readOctet()
    case "serverExtensions":
      guard let extensions = try reader.readCodePoints(ExtensionType.init(rawValue:)) else { return true }
      serverHello.extensions = extensions
      hasServerHello = true
    case "alpn": alpn = try reader.readOptionalText()
    case "decrypted": facts.isDecrypted = try reader.readBool()
    case "keyShareGroup":
      keyShareGroup = .some(try reader.readOptionalCodePoint().map(NamedGroup.init(rawValue:)))
    case "answerIsHelloRetryRequest": serverHello.isHelloRetryRequest = try reader.readBool()
    case "ja3s": serverHello.ja3s = try reader.readOptionalDigest()
    default: return false
    }
    return true
  }

  private mutating func readRest(_ key: String, _ reader: inout JSONReader) throws(JSONError) {
    switch key {
    case "sni": facts.serverName = try reader.readOptionalText()
    case "outerSNI": facts.outerHello = OuterHello(serverName: try reader.readOptionalText())
    case "clientRandom": facts.clientRandom = try reader.readShortBytes()
    case "innerClientRandom":
      let random = try reader.readShortBytes()
      if !random.isEmpty { facts.innerRandom = random }
    case "serverRandom": facts.serverRandom = try reader.readShortBytes()
    case "sessionID": facts.sessionID = try reader.readShortBytes()
    case "offeredSessionID": offeredSessionID = try reader.readShortBytes()
    case "offeredTicket": facts.offeredTicket = try reader.readShortBytes()
    case "issuedTicket": facts.issuedTicket = try reader.readShortBytes()
    case "helloRetryRequest": facts.hasHelloRetryRequest = try reader.readBool()
    case "resumed": facts.isResumed = try reader.readOptionalBool()
    case "resumption": facts.resumption = try reader.readOptionalCase()
    case "group": facts.group = try reader.readOptionalCodePoint().map(NamedGroup.init(rawValue:))
    case "serverKeyExchange": try readServerKeyExchange(&reader)
    case "handshakeSignature": facts.handshakeSignature = try reader.readOptionalCase()
    case "ocspStapled": facts.hasStapledOCSPResponse = try reader.readOptionalBool() ?? false
    case "ocspResponse": facts.ocspResponse = try reader.readOptionalBase64()
    case "sctList": facts.sctList = try reader.readOptionalBase64()
    case "clientCertificateRequested":
      let isRequested = try reader.readOptionalBool()
      facts.isClientCertificateRequested = isRequested == true
      facts.forgoesClientCertificate = isRequested == false
    case "clientAlerts": facts.clientAlerts = try reader.readAlerts()
    case "serverAlerts": facts.serverAlerts = try reader.readAlerts()
    case "established": _ = try reader.readBool()  // follows from the outcome
    case "resumedFrom": resumedFrom = try reader.readOptionalText()
    case "resumedFromCapture": resumedFromCapture = try reader.readOptionalText()
    case "outcome": facts.outcome = try reader.readCase()
    default: try reader.skipValue()
    }
  }

  private mutating func readServerKeyExchange(_ reader: inout JSONReader) throws(JSONError) {
    if try reader.readNull() { return }
    var exchange = ServerKeyExchangeFacts(bits: nil, group: nil, signatureScheme: nil)
    try reader.readObject { (key, reader) throws(JSONError) in
      switch key {
      case "bits": exchange.bits = try reader.readOptionalCount()
      case "signatureScheme":
        exchange.signatureScheme = try reader.readOptionalCodePoint().map(SignatureScheme.init(rawValue:))
      case "group": exchangeGroup = .some(try reader.readOptionalCodePoint().map(NamedGroup.init(rawValue:)))
      default: try reader.skipValue()
      }
    }
    facts.serverKeyExchange = exchange
  }
}

extension JSONReader {
  fileprivate mutating func readOctet() throws(JSONError) -> UInt8 {
    UInt8(truncatingIfNeeded: try readInteger(upTo: 255))
  }

  fileprivate mutating func readOctets() throws(JSONError) -> [UInt8] {
    try readNull() ? [] : readList { (reader) throws(JSONError) in try reader.readOctet() }
  }

  /// Reads hexadecimal bytes; empty for `null`.
  fileprivate mutating func readShortBytes() throws(JSONError) -> ShortBytes {
    try readNull() ? ShortBytes() : ShortBytes(readHexadecimal(limit: ShortBytes.capacity))
  }

  fileprivate mutating func readAlerts() throws(JSONError) -> [ObservedAlert] {
    try readList(limit: TLSDraft.maximumAlerts) { (reader) throws(JSONError) in
      var alert = ObservedAlert(level: 0, description: AlertDescription(rawValue: 0), frame: 0)
      try reader.readObject { (key, reader) throws(JSONError) in
        switch key {
        case "level": alert.level = try reader.readOctet()
        case "description": alert.code = AlertDescription(rawValue: try reader.readOctet())
        case "frame": alert.frame = try reader.readInteger()
        default: try reader.skipValue()
        }
      }
      return alert
    }
  }
}
