package import ByteParsing
import TestBytes
package import Values

/// The contents of a certificate; by default a leaf for `www.example.com`.
package struct CertificateForm: Sendable {
  package var subject = "www.example.com"
  package var subjectTag: UInt8 = 0x0C
  /// An emailAddress in the subject, after its commonName.
  package var subjectMailbox: String?
  /// An organizationName in the subject, before its commonName.
  package var subjectOrganization: String?
  package var serial: Bytes = [0x07]
  package var notBefore = Timestamp("2026-01-01T00:00:00Z")
  package var notAfter = Timestamp("2026-04-01T00:00:00Z")
  /// The encoded notBefore; nil for the GeneralizedTime of `notBefore`.
  package var notBeforeBytes: Bytes?
  package var dnsNames: [String]? = ["www.example.com"]
  package var addresses: [IPAddress] = []
  /// Dotted OIDs of the extended key usages.
  package var usages: [String]? = [CertificateForm.serverAuth]
  package var isCA: Bool?
  package var pathLength: UInt8?
  /// The first octet of keyUsage, with keyCertSign (0x04) and digitalSignature (0x80).
  package var keyUsage: UInt8?
  package var subjectKeyIdentifier: Bytes?
  /// The keyIdentifier of the extension authorityKeyIdentifier; nil for the issuer's subjectKeyIdentifier.
  package var authorityKeyIdentifier: Bytes??
  package var ocspURL: String?
  package var caIssuersURL: String?
  /// How often caIssuersURL is listed.
  package var caIssuersCount = 1
  /// The contents of nameConstraints, a SEQUENCE without its header.
  package var nameConstraints: Bytes?
  package var policies: [String]?
  package var requireExplicitPolicy: UInt8?
  /// The log numbers and times of embedded SCTs, whose signatures do not verify.
  package var scts: [(log: UInt8, time: Timestamp)] = []
  package var moreExtensions: [Bytes] = []
  /// The signature algorithm; nil for the default of the issuer's key.
  package var signatureAlgorithm: String?
  /// The value of the version field, which is omitted without extensions.
  package var version: UInt8 = 2
  package var hasExtensions = true
  package var breaksSignature = false

  package init() {}

  package static let serverAuth = "1.3.6.1.5.5.7.3.1"
  package static let clientAuth = "1.3.6.1.5.5.7.3.2"
  package static let anyUsage = "2.5.29.37.0"

  /// A CA certificate with this name, valid from 2020 to 2040.
  package static func authority(_ name: String) -> CertificateForm {
    var form = CertificateForm()
    form.subject = name
    form.notBefore = Timestamp("2020-01-01T00:00:00Z")
    form.notAfter = Timestamp("2040-01-01T00:00:00Z")
    form.dnsNames = nil
    form.usages = nil
    form.isCA = true
    form.keyUsage = 0x06
    return form
  }

  /// Subtrees of DNS names for `nameConstraints`: permitted with tag 0xA0, excluded with 0xA1.
  package static func subtrees(_ tag: UInt8, _ names: String...) -> Bytes {
    DER.element(tag, Bytes(names.flatMap { DER.sequence(DER.string(0x82, $0)) }))
  }

  func extensions(issuerKeyIdentifier: Bytes?) -> Bytes {
    var list: [Bytes] = []
    if let isCA {
      let length = pathLength.map(DER.integer) ?? []
      list.append(
        DER.certificateExtension(
          "2.5.29.19", critical: true, DER.sequence(isCA ? DER.yes : [], length)))
    }
    if let keyUsage {
      list.append(DER.certificateExtension("2.5.29.15", critical: true, [0x03, 0x02, 0x00, keyUsage]))
    }
    if dnsNames != nil || !addresses.isEmpty {
      let names =
        (dnsNames ?? []).flatMap { DER.string(0x82, $0) }
        + addresses.flatMap { DER.element(0x87, Bytes($0.bytes)) }
      list.append(
        DER.certificateExtension("2.5.29.17", critical: subject.isEmpty, DER.element(0x30, Bytes(names))))
    }
    if let usages {
      list.append(DER.certificateExtension("2.5.29.37", DER.element(0x30, Bytes(usages.flatMap(DER.oid)))))
    }
    if let subjectKeyIdentifier {
      list.append(DER.certificateExtension("2.5.29.14", DER.octets(subjectKeyIdentifier)))
    }
    if let identifier = authorityKeyIdentifier ?? issuerKeyIdentifier {
      list.append(DER.certificateExtension("2.5.29.35", DER.sequence(DER.element(0x80, identifier))))
    }
    let issuers = Array(repeating: ("1.3.6.1.5.5.7.48.2", caIssuersURL), count: caIssuersCount)
    let locations = ([("1.3.6.1.5.5.7.48.1", ocspURL)] + issuers).compactMap { method, url in
      url.map { DER.sequence(DER.oid(method), DER.string(0x86, $0)) }
    }
    if !locations.isEmpty {
      list.append(DER.certificateExtension("1.3.6.1.5.5.7.1.1", DER.sequence(Bytes(locations.joined()))))
    }
    if let nameConstraints {
      list.append(
        DER.certificateExtension("2.5.29.30", critical: true, DER.element(0x30, nameConstraints)))
    }
    if let policies {
      list.append(
        DER.certificateExtension(
          "2.5.29.32", DER.element(0x30, Bytes(policies.flatMap { DER.sequence(DER.oid($0)) }))))
    }
    if let requireExplicitPolicy {
      list.append(
        DER.certificateExtension(
          "2.5.29.36", critical: true, DER.sequence([0x80, 0x01, requireExplicitPolicy])))
    }
    if !scts.isEmpty {
      list.append(DER.certificateExtension("1.3.6.1.4.1.11129.2.4.2", DER.octets(CertificateForm.sctList(scts))))
    }
    return Bytes((list + moreExtensions).joined())
  }

  /// A list of SCTs with these log numbers and times, whose signatures do not verify.
  package static func sctList(_ scts: [(log: UInt8, time: Timestamp)]) -> Bytes {
    DER.sctList(
      scts.map { sct -> Bytes in
        [0] + Bytes(repeating: sct.log, count: 32) + sct.time.milliseconds + [0, 0, 4, 3, 0, 2, 1, 1]
      })
  }
}

extension Timestamp {
  /// Parses an ISO 8601 time; traps if it is not one.
  package init(_ text: String) {
    guard let time = Timestamp(iso8601: text) else { preconditionFailure("not a time: \(text)") }
    self = time
  }

  /// The time as an SCT contains it (RFC 6962 §3.2).
  var milliseconds: Bytes {
    let milliseconds = Int(seconds) * 1000
    return four(milliseconds >> 32) + four(milliseconds)
  }
}
