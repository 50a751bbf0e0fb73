import ByteParsing

extension ClientHello: HelloExtensions {
  /// `encrypted_client_hello` of a client (RFC 9849 §5), without what is secret or random.
  package struct EncryptedClientHello: Hashable, Sendable {
    /// Which of the two hellos carries it.
    package enum Kind: String, Hashable, Sendable {
      /// The one that everybody sees; GREASE looks the same.
      case outer
      /// The one inside.
      case inner
    }

    /// Which of the two hellos carries it.
    package var kind: Kind

    /// Bytes of the extension's body.
    package var byteCount: Int
  }

  mutating func readExtension(_ type: ExtensionType, from body: inout ByteReader) throws(ParseError) {
    switch type {
    case .serverName:
      let whole = body
      guard let range = try Self.readServerName(from: &body) else { return }
      let start = range.lowerBound - whole.offset
      serverName = Bytes(copying: whole.rest.extracting(start..<(start + range.count)))
    case .supportedVersions:
      let versions = try body.readOnlyCodePoints("versions", 2...254, as: TLSVersion.self)
      offeredVersions = versions.filter { !isGREASE($0.rawValue) }
      hasGREASEVersion = offeredVersions.count < versions.count
    case .supportedGroups:
      supportedGroups = try body.readOnlyCodePoints("named_group_list", 2...0xFFFF)
    case .ecPointFormats:
      var list = try body.readVector("ec_point_format_list", 1...255)
      try body.requireEnd(of: "ec_point_formats")
      ecPointFormats = Array(list.readRest())
    case .signatureAlgorithms:
      signatureSchemes = try body.readOnlyCodePoints("supported_signature_algorithms", 2...0xFFFE)
    case .signatureAlgorithmsCert:
      certificateSignatureSchemes = try body.readOnlyCodePoints("supported_signature_algorithms", 2...0xFFFE)
    case .delegatedCredential:
      delegatedCredentialSchemes = try body.readOnlyCodePoints("supported_signature_algorithm", 2...0xFFFE)
    case .compressCertificate:
      certificateCompressionAlgorithms = try body.readOnlyCodePoints("algorithms", 2...254)
    case .alpn:
      alpn = try readProtocolNames(from: &body)
    case .keyShare, .draftKeyShare:
      let groups = try Self.readKeyShares(from: &body)
      if keyShareGroups.isEmpty { keyShareGroups = groups }
    case .pskKeyExchangeModes:
      var list = try body.readVector("ke_modes", 1...255)
      try body.requireEnd(of: "psk_key_exchange_modes")
      pskKeyExchangeModes = Array(list.readRest())
    case .preSharedKey:
      pskIdentityCount = try Self.readPSKIdentities(from: &body)
    case .sessionTicket:
      sessionTicket = body.readRest()
    case .earlyData:
      try body.requireEnd(of: "early_data")
      offersEarlyData = true
    case .statusRequest:
      let asksForOCSP = try Self.readStatusRequest(from: &body)
      requestsOCSP = requestsOCSP || asksForOCSP
    case .statusRequestV2:
      let asksForOCSP = try Self.readStatusRequestV2(from: &body)
      requestsOCSP = requestsOCSP || asksForOCSP
    case .signedCertificateTimestamp:
      try body.requireEnd(of: "signed_certificate_timestamp")
      requestsSCTs = true
    case .extendedMasterSecret:
      try body.requireEnd(of: "extended_master_secret")
      extendedMasterSecret = true
    case .renegotiationInfo:
      _ = try body.readVector("renegotiated_connection", 0...255)
      try body.requireEnd(of: "renegotiation_info")
      hasRenegotiationInfo = true
    case .encryptedClientHello:
      encryptedClientHello = try Self.readEncryptedClientHello(from: &body)
    case .heartbeat:
      let mode = try body.readUInt8("mode")
      try body.requireEnd(of: "heartbeat")
      heartbeatMode = mode
    case .serverCertificateType:
      serverCertificateTypes = try Self.readCertificateTypes(from: &body)
    case .clientCertificateType:
      clientCertificateTypes = try Self.readCertificateTypes(from: &body)
    default:
      break
    }
  }

  /// The types that a client takes or has (RFC 7250 §3).
  private static func readCertificateTypes(from body: inout ByteReader) throws(ParseError) -> [UInt8] {
    var list = try body.readVector("certificate_types", 1...255)
    try body.requireEnd(of: "certificate_type")
    return Array(list.readRest())
  }

  /// Where the first `host_name` of a ServerNameList is (RFC 6066 §3); `nil` if the list holds other kinds only.
  static func readServerName(from body: inout ByteReader) throws(ParseError) -> Range<Int>? {
    var list = try body.readVector("server_name_list", 1...0xFFFF)
    try body.requireEnd(of: "server_name")
    var hostName: Range<Int>?
    while list.remaining > 0 {
      let type = try list.readUInt8("name_type")
      let name = try list.readVector("host_name", 1...0xFFFF)
      if type == 0, hostName == nil { hostName = name.offset..<(name.offset + name.remaining) }
    }
    return hostName
  }

  /// The groups of `KeyShareClientHello` (RFC 8446 §4.2.8).
  private static func readKeyShares(from body: inout ByteReader) throws(ParseError) -> [NamedGroup] {
    var shares = try body.readVector("client_shares", 0...0xFFFF)
    try body.requireEnd(of: "key_share")
    var groups: [NamedGroup] = []
    while shares.remaining > 0 {
      groups.append(NamedGroup(rawValue: try shares.readUInt16("group")))
      _ = try shares.readVector("key_exchange", 1...0xFFFF)
    }
    return groups
  }

  /// How many identities `OfferedPsks` holds (RFC 8446 §4.2.11).
  private static func readPSKIdentities(from body: inout ByteReader) throws(ParseError) -> Int {
    var identities = try body.readVector("identities", 7...0xFFFF)
    var count = 0
    while identities.remaining > 0 {
      _ = try identities.readVector("identity", 1...0xFFFF)
      try identities.skip(byteCount: 4, "obfuscated_ticket_age")
      count += 1
    }
    _ = try body.readVector("binders", 33...0xFFFF)
    try body.requireEnd(of: "pre_shared_key")
    return count
  }

  /// Whether a CertificateStatusRequest asks for OCSP (RFC 6066 §8).
  private static func readStatusRequest(from body: inout ByteReader) throws(ParseError) -> Bool {
    let type = CertificateStatusType(rawValue: try body.readUInt8("status_type"))
    guard type == .ocsp else { return false }
    _ = try body.readVector("responder_id_list", 0...0xFFFF)
    _ = try body.readVector("request_extensions", 0...0xFFFF)
    try body.requireEnd(of: "status_request")
    return true
  }

  /// Whether a CertificateStatusRequestListV2 asks for OCSP in either form (RFC 6961 §2.2).
  private static func readStatusRequestV2(from body: inout ByteReader) throws(ParseError) -> Bool {
    var list = try body.readVector("certificate_status_req_list", 1...0xFFFF)
    try body.requireEnd(of: "status_request_v2")
    var asksForOCSP = false
    while list.remaining > 0 {
      let type = CertificateStatusType(rawValue: try list.readUInt8("status_type"))
      _ = try list.readVector("request", 0...0xFFFF)
      if type == .ocsp || type == .ocspMulti { asksForOCSP = true }
    }
    return asksForOCSP
  }

  /// ECHClientHello (RFC 9849 §5).
  private static func readEncryptedClientHello(
    from body: inout ByteReader
  ) throws(ParseError) -> EncryptedClientHello {
    let byteCount = body.remaining
    let type = try body.readUInt8("type")
    switch type {
    case 0:
      try body.skip(byteCount: 4, "cipher_suite")
      try body.skip(byteCount: 1, "config_id")
      _ = try body.readVector("enc", 0...0xFFFF)
      _ = try body.readVector("payload", 1...0xFFFF)
    case 1:
      break
    default:
      throw ParseError(.unexpectedValue(UInt64(type)), in: "type", at: body.offset)
    }
    try body.requireEnd(of: "encrypted_client_hello")
    return EncryptedClientHello(kind: type == 0 ? .outer : .inner, byteCount: byteCount)
  }
}

/// The names of a ProtocolNameList (RFC 7301 §3.1).
func readProtocolNames(from body: inout ByteReader) throws(ParseError) -> [Bytes] {
  var list = try body.readVector("protocol_name_list", 2...0xFFFF)
  try body.requireEnd(of: "application_layer_protocol_negotiation")
  var names: [Bytes] = []
  while list.remaining > 0 {
    var name = try list.readVector("protocol_name", 1...255)
    names.append(name.readRest())
  }
  return names
}
