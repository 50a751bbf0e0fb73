import ByteParsing
package import CertificateParsing

/// The nine leaves that Apple's systems refuse by issuer and serial number, regardless of responses and lists
/// (`SecPolicyCheckBlackListedLeaf`). They were fraudulently issued in March 2011.
package enum BlockedLeaf {
  private static let serials: Set<String> = [
    "d8f35f4eb7872b2dab0692e315382fb0", "9239d5348f40d1695a745470e1f23f43", "b0b7133ed096f9b56fae91c874bd3ac0",
    "e9028b9578e415dc1a710a2b88154447", "392a434f0e07df1f8aa305de34e0c229", "3e75ced46b693021218830ae86a82a71",
    "d7558fdaf5f1105bb213282b707729a3", "047ecbe9fca55f7bd09eae36e10cae1e", "f5c86af36162f13a64f54f6dc9587c06",
  ]

  /// The issuer's Name, UTN-USERFirst-Hardware, with the letters of its PrintableStrings in uppercase.
  private static let issuer: Bytes = {
    let attributes: [(type: UInt8, value: String)] = [
      (6, "US"), (8, "UT"), (7, "SALT LAKE CITY"), (10, "THE USERTRUST NETWORK"),
      (11, "HTTP://WWW.USERTRUST.COM"), (3, "UTN-USERFIRST-HARDWARE"),
    ]
    let sets = attributes.map { type, value in
      let value = DEREncoding.element(0x13, Bytes(value.utf8))
      let pair = DEREncoding.element(0x30, DEREncoding.element(0x06, [0x55, 0x04, type]) + value)
      return DEREncoding.element(0x31, pair)
    }
    return DEREncoding.element(0x30, sets.reduce(Bytes(), +))
  }()

  package static func isBlocked(_ leaf: Certificate) -> Bool {
    var serial = leaf.serial[...]
    while serial.hasPrefix("00") { serial = serial.dropFirst(2) }
    guard serials.contains(String(serial)) else { return false }
    return leaf.issuerDER.elementsEqual(issuer) { (0x61...0x7A).contains($0) ? $0 - 0x20 == $1 : $0 == $1 }
  }
}
