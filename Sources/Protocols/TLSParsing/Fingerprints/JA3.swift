/// The text whose MD5 is the JA3 fingerprint: version, suites, extensions, groups, point formats, in decimal and without GREASE values.
package func ja3String(of hello: ClientHello) -> String {
  var text = String(hello.legacyVersion.rawValue)
  append(hello.cipherSuites.map(\.rawValue), to: &text)
  append(hello.extensions.map(\.rawValue), to: &text)
  append(hello.supportedGroups.map(\.rawValue), to: &text)
  append(hello.ecPointFormats.map(UInt16.init), to: &text)
  return text
}

/// The text whose MD5 is the JA3S fingerprint: version, suite, extensions, in decimal.
package func ja3sString(of hello: ServerHello) -> String {
  var text = "\(hello.legacyVersion.rawValue),\(hello.cipherSuite.rawValue)"
  append(hello.extensions.map(\.rawValue), to: &text)
  return text
}

/// Appends a comma and the numbers, separated by hyphens.
private func append(_ values: [UInt16], to text: inout String) {
  text += "," + values.filter { !isGREASE($0) }.map { String($0) }.joined(separator: "-")
}
