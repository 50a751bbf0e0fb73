/// Encodes DER.
package enum DER {
  /// An element with this tag and these contents.
  package static func element(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
    let count = contents.count
    var head: [UInt8] = [tag]
    switch count {
    case ..<0x80: head.append(UInt8(count))
    case ..<0x100: head += [0x81, UInt8(count)]
    case ..<0x1_0000: head += [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
    default: head += [0x83, UInt8(count >> 16 & 0xFF), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)]
    }
    return head + contents
  }

  /// A SEQUENCE.
  package static func sequence(_ parts: [UInt8]...) -> [UInt8] { element(0x30, parts.flatMap { $0 }) }

  /// An OBJECT IDENTIFIER.
  package static func oid(_ dotted: String) -> [UInt8] {
    let arcs = dotted.split(separator: ".").compactMap { UInt64($0) }
    var contents: [UInt8] = []
    for arc in [arcs[0] * 40 + arcs[1]] + arcs.dropFirst(2) {
      var septets = [UInt8(arc & 0x7F)]
      var rest = arc >> 7
      while rest > 0 {
        septets.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
        rest >>= 7
      }
      contents += septets
    }
    return element(0x06, contents)
  }

  /// A Name with a commonName, or an empty Name for an empty text.
  package static func name(
    _ commonName: String, tag: UInt8 = 0x0C, mailbox: String? = nil, organization: String? = nil
  ) -> [UInt8] {
    if commonName.isEmpty { return sequence() }
    let address = mailbox.map {
      element(0x31, sequence(oid("1.2.840.113549.1.9.1"), element(0x16, Array($0.utf8))))
    }
    let owner = organization.map {
      element(0x31, sequence(oid("2.5.4.10"), element(0x0C, Array($0.utf8))))
    }
    return sequence(
      owner ?? [], element(0x31, sequence(oid("2.5.4.3"), element(tag, Array(commonName.utf8)))),
      address ?? [])
  }

  /// An Extension.
  package static func certificateExtension(
    _ identifier: String, critical: Bool = false, _ value: [UInt8]
  ) -> [UInt8] {
    sequence(oid(identifier), critical ? [0x01, 0x01, 0xFF] : [], element(0x04, value))
  }
}
