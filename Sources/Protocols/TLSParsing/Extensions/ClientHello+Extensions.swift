import ByteParsing

extension ClientHello: HelloExtensions {
  mutating func readExtension(_ type: ExtensionType, from body: inout ByteReader) throws(ParseError) {
    switch type {
    case .serverName:
      let whole = body
      guard let range = try Self.readServerName(from: &body) else { return }
      let start = range.lowerBound - whole.offset
      serverName = Bytes(copying: whole.rest.extracting(start..<(start + range.count)))
    case .supportedVersions:
      offeredVersions = try body.readOnlyCodePoints("versions", 2...254).filter { !isGREASE($0.rawValue) }
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
    case .alpn:
      alpn = try readProtocolNames(from: &body)
    default:
      break
    }
  }

  /// The range of the first `host_name` in a ServerNameList (RFC 6066 §3); nil if the list contains only other types.
  static func readServerName(from body: inout ByteReader) throws(ParseError) -> Range<Int>? {
    var list = try body.readVector("server_name_list", 1...0xFFFF)
    try body.requireEnd(of: "server_name")
    var hostName: Range<Int>?
    while list.remaining > 0 {
      let type = try list.readUInt8("name_type")
      let name = try list.readVector("host_name", 1...0xFFFF)
      if type == 0, hostName == nil { hostName = name.remainingRange }
    }
    return hostName
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
