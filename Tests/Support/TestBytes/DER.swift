package import ByteParsing

/// Encodes DER.
package enum DER {
  /// An element with a tag, its length in the shortest form, and the parts as its contents.
  package static func element(_ tag: UInt8, _ parts: Bytes...) -> Bytes {
    let contents = parts.reduce(Bytes(), +)
    if contents.count < 0x80 { return [tag, UInt8(contents.count)] + contents }
    var octets = Bytes()
    var rest = contents.count
    while rest > 0 {
      octets.insert(UInt8(truncatingIfNeeded: rest), at: 0)
      rest >>= 8
    }
    return [tag, 0x80 | UInt8(octets.count)] + octets + contents
  }

  package static func sequence(_ parts: Bytes...) -> Bytes { element(0x30, parts.reduce(Bytes(), +)) }

  /// An optional field: a SEQUENCE of these elements in an explicit tag, or nothing if there are none.
  package static func tagged(_ tag: UInt8, _ elements: [Bytes]) -> Bytes {
    elements.isEmpty ? [] : element(tag, sequence(Bytes(elements.joined())))
  }

  /// The BOOLEAN TRUE.
  package static let yes: Bytes = [0x01, 0x01, 0xFF]

  package static func integer(_ value: UInt8) -> Bytes { element(0x02, [value]) }

  package static func octets(_ contents: Bytes) -> Bytes { element(0x04, contents) }

  /// A BIT STRING without unused bits.
  package static func bits(_ contents: Bytes) -> Bytes { element(0x03, [0], contents) }

  /// The characters of a text, as a string type or a time.
  package static func string(_ tag: UInt8, _ text: String) -> Bytes { element(tag, Bytes(text.utf8)) }

  /// An OBJECT IDENTIFIER.
  package static func oid(_ dotted: String) -> Bytes {
    let arcs = dotted.split(separator: ".").compactMap { UInt64($0) }
    var contents = Bytes()
    for arc in [arcs[0] * 40 + arcs[1]] + arcs.dropFirst(2) {
      var septets: Bytes = [UInt8(arc & 0x7F)]
      var rest = arc >> 7
      while rest > 0 {
        septets.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
        rest >>= 7
      }
      contents += septets
    }
    return element(0x06, contents)
  }

  /// A GeneralizedTime such as `20260101000000Z`.
  package static func time(_ text: String) -> Bytes { string(0x18, text) }

  /// A Name with a commonName, or an empty Name for an empty text.
  package static func name(
    _ commonName: String, tag: UInt8 = 0x0C, mailbox: String? = nil, organization: String? = nil
  ) -> Bytes {
    if commonName.isEmpty { return sequence() }
    func attribute(_ type: String, _ value: Bytes) -> Bytes { element(0x31, sequence(oid(type), value)) }
    return sequence(
      organization.map { attribute("2.5.4.10", string(0x0C, $0)) } ?? [], attribute("2.5.4.3", string(tag, commonName)),
      mailbox.map { attribute("1.2.840.113549.1.9.1", string(0x16, $0)) } ?? [])
  }

  /// An Extension.
  package static func certificateExtension(_ identifier: String, critical: Bool = false, _ value: Bytes) -> Bytes {
    sequence(oid(identifier), critical ? yes : [], octets(value))
  }

  /// A SignedCertificateTimestampList (RFC 6962 §3.3), which an extension contains in an OCTET STRING.
  package static func sctList(_ scts: [Bytes]) -> Bytes { vector16(Bytes(scts.map(vector16).joined())) }
}
