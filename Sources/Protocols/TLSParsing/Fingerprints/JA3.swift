import ByteParsing

/// The text whose MD5 is the JA3 fingerprint: version, suites, extensions, groups, point formats, in decimal and
/// without GREASE values.
public func ja3String(of hello: ClientHello) -> String {
  [
    String(hello.legacyVersion.rawValue),
    decimal(hello.cipherSuites.map(\.rawValue)),
    decimal(hello.extensions.map(\.rawValue)),
    decimal(hello.supportedGroups.map(\.rawValue)),
    decimal(hello.ecPointFormats.map(UInt16.init)),
  ].joined(separator: ",")
}

/// The text whose MD5 is the JA3S fingerprint: version, suite, extensions, in decimal.
public func ja3sString(of hello: ServerHello) -> String {
  [
    String(hello.legacyVersion.rawValue), String(hello.cipherSuite.rawValue),
    decimal(hello.extensions.map(\.rawValue)),
  ].joined(separator: ",")
}

private func decimal(_ values: [UInt16]) -> String {
  values.lazy.filter { !isGREASE($0) }.map { String($0) }.joined(separator: "-")
}
