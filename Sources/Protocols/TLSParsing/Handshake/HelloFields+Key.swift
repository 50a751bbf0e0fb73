public import ByteParsing

extension HelloFields {
  /// Appends what a client's hello has in common with the hellos of the same software: all but the fields that are new in each
  /// connection. GREASE values are made equal.
  ///
  /// Hellos with equal keys are decoded into equal `ClientHello` values, but for the fields and extensions that the key leaves out.
  public func appendClientKey(of body: Span<UInt8>, to key: inout Bytes) {
    append(legacyVersion.rawValue, to: &key)
    append(UInt16(truncatingIfNeeded: cipherSuites.count), to: &key)
    appendCodePoints(body.extracting(cipherSuites), to: &key)
    append(UInt16(truncatingIfNeeded: compressionMethods.count), to: &key)
    key.append(copying: body.extracting(compressionMethods))
    for (type, range) in extensions {
      guard !isGREASE(type.rawValue) else {
        append(0x0A0A, to: &key)
        continue
      }
      append(type.rawValue, to: &key)
      let data = body.extracting(range)
      switch type {
      case .serverName, .sessionTicket, .keyShare, .draftKeyShare, .preSharedKey, .cookie, .padding,
        .encryptedClientHello, .encryptedServerName, .quicTransportParameters, .draftQUICTransportParameters:
        // New in each connection.
        break
      case .supportedGroups, .signatureAlgorithms, .signatureAlgorithmsCert, .delegatedCredential:
        appendList(data, prefix: 2, to: &key)
      case .supportedVersions: appendList(data, prefix: 1, to: &key)
      default: appendList(data, prefix: data.count, to: &key)
      }
    }
  }

  /// Appends what a server's hello has in common with others: all but the random, the session ID, the key share, a cookie, and the
  /// confirmation of Encrypted ClientHello.
  public func appendServerKey(of body: Span<UInt8>, to key: inout Bytes) {
    append(legacyVersion.rawValue, to: &key)
    key.append(ServerHello.isHelloRetryRequest(random: body.extracting(random)) ? 1 : 0)
    key.append(copying: body.extracting(cipherSuites))
    key.append(copying: body.extracting(compressionMethods))
    for (type, range) in extensions {
      append(type.rawValue, to: &key)
      append(UInt16(truncatingIfNeeded: range.count), to: &key)
      switch type {
      case .cookie, .encryptedClientHello: break
      case .keyShare, .draftKeyShare:
        // The group and the length of the key.
        key.append(copying: body.extracting(range.prefix(4)))
      default: key.append(copying: body.extracting(range))
      }
    }
  }
}

private func append(_ value: UInt16, to key: inout Bytes) {
  key.append(UInt8(value >> 8))
  key.append(UInt8(value & 0xFF))
}

/// Appends the body of an extension, of which code points follow the first bytes.
private func appendList(_ data: Span<UInt8>, prefix: Int, to key: inout Bytes) {
  append(UInt16(truncatingIfNeeded: data.count), to: &key)
  let start = min(prefix, data.count)
  key.append(copying: data.extracting(0..<start))
  appendCodePoints(data.extracting(start..<data.count), to: &key)
}

/// Appends code points of two bytes, every GREASE value as `0x0A0A`.
private func appendCodePoints(_ points: Span<UInt8>, to key: inout Bytes) {
  let start = key.count
  key.append(copying: points)
  for index in stride(from: start, to: key.count - 1, by: 2)
  where isGREASE(UInt16(key[index]) << 8 | UInt16(key[index + 1])) {
    (key[index], key[index + 1]) = (0x0A, 0x0A)
  }
}
