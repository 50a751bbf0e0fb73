package import ByteParsing

extension HelloFields {
  /// Appends what a well-formed ClientHello has in common with hellos of the same software: everything except fields that are unique to a
  /// connection. GREASE values are made equal.
  ///
  /// Hellos with equal keys have equal `ClientHello` values, except for the omitted fields and extensions and for GREASE values.
  package func appendClientKey(of body: Span<UInt8>, to key: inout Bytes) {
    guard fault == nil else { return }
    key.append(copying: body.extracting(0..<2))
    append(body, (cipherSuites.lowerBound - 2)..<cipherSuites.upperBound, codePointsFrom: 2, to: &key)
    key.append(copying: body.extracting((compressionMethods.lowerBound - 1)..<compressionMethods.upperBound))
    for (type, range) in extensions {
      let whole = (range.lowerBound - 4)..<range.upperBound
      switch type {
      case .serverName, .sessionTicket, .keyShare, .draftKeyShare, .preSharedKey, .cookie, .padding,
        .encryptedClientHello, .encryptedServerName, .quicTransportParameters, .draftQUICTransportParameters:
        // Unique to the connection.
        key.append(copying: body.extracting(whole.prefix(2)))
      case .supportedGroups, .signatureAlgorithms, .signatureAlgorithmsCert, .delegatedCredential:
        append(body, whole, codePointsFrom: 6, to: &key)
      case .supportedVersions:
        append(body, whole, codePointsFrom: 5, to: &key)
      case _ where isGREASE(type.rawValue):
        append(body, whole.prefix(2), codePointsFrom: 0, to: &key)
      default:
        key.append(copying: body.extracting(whole))
      }
    }
  }

  /// Appends what a well-formed ServerHello has in common with others: everything except the random, the session ID, the key share, a
  /// cookie, and the confirmation of Encrypted ClientHello.
  package func appendServerKey(of body: Span<UInt8>, to key: inout Bytes) {
    guard fault == nil else { return }
    key.append(ServerHello.isHelloRetryRequest(random: body.extracting(random)) ? 1 : 0)
    key.append(copying: body.extracting(0..<2))
    key.append(copying: body.extracting(cipherSuites))
    key.append(copying: body.extracting(compressionMethods))
    for (type, range) in extensions {
      let whole = (range.lowerBound - 4)..<range.upperBound
      switch type {
      case .cookie, .encryptedClientHello: key.append(copying: body.extracting(whole.prefix(4)))
      // The group and the length of the key.
      case .keyShare, .draftKeyShare: key.append(copying: body.extracting(whole.prefix(8)))
      default: key.append(copying: body.extracting(whole))
      }
    }
  }

  /// Appends bytes that contain code points after a prefix, with every GREASE value replaced by `0x0A0A`.
  private func append(_ body: Span<UInt8>, _ range: Range<Int>, codePointsFrom first: Int, to key: inout Bytes) {
    let shift = key.count - range.lowerBound
    key.append(copying: body.extracting(range))
    for index in stride(from: range.lowerBound + first, to: range.upperBound - 1, by: 2)
    where isGREASE(body.raw.big16(index)) {
      (key[index + shift], key[index + shift + 1]) = (0x0A, 0x0A)
    }
  }
}
