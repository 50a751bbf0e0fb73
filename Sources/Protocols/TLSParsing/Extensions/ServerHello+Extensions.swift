import ByteParsing

extension ServerHello: HelloExtensions {
  mutating func readExtension(_ type: ExtensionType, from body: inout ByteReader) throws(ParseError) {
    switch type {
    case .supportedVersions:
      let selected = try body.readUInt16("selected_version")
      try body.requireEnd(of: "supported_versions")
      version = TLSVersion(rawValue: selected)
    case .alpn:
      let names = try readProtocolNames(from: &body)
      guard names.count == 1 else { throw ParseError(.unexpectedValue(UInt64(names.count)), in: "protocol_name_list", at: body.offset) }
      alpn = names.first
    case .keyShare, .draftKeyShare:
      let group = NamedGroup(rawValue: try body.readUInt16("group"))
      // A HelloRetryRequest contains only the group.
      if !isHelloRetryRequest { _ = try body.readVector("key_exchange", 1...0xFFFF) }
      try body.requireEnd(of: "key_share")
      keyShareGroup = keyShareGroup ?? group
    case .preSharedKey:
      let selected = try body.readUInt16("selected_identity")
      try body.requireEnd(of: "pre_shared_key")
      selectedPSK = selected
    case .signedCertificateTimestamp:
      sctList = try readSCTList(from: &body)
    case .clientCertificateType:
      let type = try body.readUInt8("client_certificate_type")
      try body.requireEnd(of: "client_certificate_type")
      clientCertificateType = type
    case .serverCertificateType:
      let type = try body.readUInt8("server_certificate_type")
      try body.requireEnd(of: "server_certificate_type")
      serverCertificateType = type
    default:
      break
    }
  }
}

/// Reads a SignedCertificateTimestampList with its length (RFC 6962 §3.3), without decoding its items.
func readSCTList(from body: inout ByteReader) throws(ParseError) -> Bytes {
  let whole = body.rest
  _ = try body.readVector("sct_list", 1...0xFFFF)
  try body.requireEnd(of: "signed_certificate_timestamp")
  return Bytes(copying: whole)
}
