import ByteParsing
import CertificateParsing
import Revocation
import TestBytes
import Testing

@Suite struct BlockedLeafTests {
  /// A certificate with only an issuer and a serial number.
  private func leaf(_ serial: String, of commonName: String = "UTN-USERFirst-Hardware", tag: UInt8 = 0x13)
    -> Certificate
  {
    let attributes: [(String, String)] = [
      ("2.5.4.6", "US"), ("2.5.4.8", "UT"), ("2.5.4.7", "Salt Lake City"),
      ("2.5.4.10", "The USERTRUST Network"),
      ("2.5.4.11", "http://www.usertrust.com"), ("2.5.4.3", commonName),
    ]
    let sets = attributes.map { type, value in
      DER.element(0x31, DER.sequence(DER.oid(type), DER.element(tag, Bytes(value.utf8))))
    }
    var certificate = Certificate(der: DER.sequence(sets.reduce(Bytes(), +)))
    certificate.issuerRange = certificate.der.indices
    certificate.serial = serial
    return certificate
  }

  @Test func `a leaf is blocked by its serial number and issuer`() {
    let serial = "9239d5348f40d1695a745470e1f23f43"
    #expect(BlockedLeaf.isBlocked(leaf("00" + serial)))
    #expect(BlockedLeaf.isBlocked(leaf(serial, of: "utn-userfirst-HARDWARE")))
    #expect(BlockedLeaf.isBlocked(leaf("047ecbe9fca55f7bd09eae36e10cae1e")))
    #expect(!BlockedLeaf.isBlocked(leaf("9239d5348f40d1695a745470e1f23f44")))
    #expect(!BlockedLeaf.isBlocked(leaf(serial, of: "UTN-USERFirst-Object")))
    #expect(!BlockedLeaf.isBlocked(leaf(serial, tag: 0x0C)))
    #expect(!BlockedLeaf.isBlocked(leaf("")))
  }
}
