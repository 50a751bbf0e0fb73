import ByteParsing
import CertificateParsing

/// The names in a certificate that constraints apply to, apart from its subject (RFC 5280 §4.2.1.6).
struct GeneralNames {
  var dnsNames: [Bytes] = []
  var ipAddresses: [Bytes] = []
  var mailboxes: [Bytes] = []
  var resources: [Bytes] = []
  var directoryNames: [Bytes] = []
  /// The tags of names of other forms.
  var otherTags = Set<UInt8>()

  /// Whether the extension could not be parsed completely.
  private(set) var isUnreadable = false

  var count: Int {
    dnsNames.count + ipAddresses.count + mailboxes.count + resources.count + directoryNames.count + otherTags.count
  }

  /// Reads the names of a certificate. The mailboxes in the subject count too, whether or not subjectAltName contains one
  /// (`nc_compare_subject_to_subtrees`).
  init(of certificate: Certificate) {
    readAlternativeNames(of: certificate)
    mailboxes += (try? GeneralNames.mailboxes(inSubject: certificate.subjectDER)) ?? []
  }

  private mutating func readAlternativeNames(of certificate: Certificate) {
    guard let value = certificate.extensionValue("2.5.29.17") else { return }
    do throws(ParseError) {
      var outer = DERReader(value.span)
      var list = DERReader(try outer.next("sequence", 0x30).contents)
      while !list.isAtEnd {
        let name = try list.next("general name")
        switch name.tag {
        case 0x81: mailboxes.append(Bytes(copying: name.bytes))
        case 0x82: dnsNames.append(Bytes(copying: name.bytes))
        case 0x86: resources.append(Bytes(copying: name.bytes))
        case 0x87: ipAddresses.append(Bytes(copying: name.bytes))
        case 0xA4: directoryNames.append(Bytes(copying: name.bytes))
        default: otherTags.insert(name.tag)
        }
      }
    } catch {
      isUnreadable = true
    }
  }

  /// The emailAddress attributes of a Name.
  private static func mailboxes(inSubject name: Bytes) throws(ParseError) -> [Bytes] {
    try NameAttribute.read(inName: name.span).joined().filter { $0.type == emailAddress }.map(\.value)
  }

  /// 1.2.840.113549.1.9.1.
  private static let emailAddress: Bytes = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x01]
}
