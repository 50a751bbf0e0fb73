package import ByteParsing
import CertificateParsing
package import SessionModel
import TestBytes
import Values

/// A certificate issued for a test, with its key.
package struct Issued: Sendable {
  /// The certificate in DER.
  package let der: Bytes

  /// The subject's key.
  package let key: IssuingKey

  private let subject: Bytes
  private let keyIdentifier: Bytes?

  /// Makes a self-signed certificate.
  package init(selfSigned form: CertificateForm, key: IssuingKey = .newP256()) {
    self.init(
      form, key: key,
      issuer: DER.name(
        form.subject, tag: form.subjectTag, organization: form.subjectOrganization), signer: key,
      keyIdentifier: nil)
  }

  /// Issues a certificate that is signed with this certificate's key.
  package func issue(_ form: CertificateForm, key: IssuingKey = .newP256()) -> Issued {
    Issued(form, key: key, issuer: subject, signer: self.key, keyIdentifier: keyIdentifier)
  }

  /// Issues a CA certificate with this name, after `change`.
  package func authority(
    _ name: String, key: IssuingKey = .newP256(), _ change: (inout CertificateForm) -> Void = { _ in }
  ) -> Issued {
    var form = CertificateForm.authority(name)
    form.subjectKeyIdentifier = Bytes(name.utf8)
    change(&form)
    return issue(form, key: key)
  }

  /// Issues a leaf, after `change`.
  package func leaf(
    key: IssuingKey = .newP256(), _ change: (inout CertificateForm) -> Void = { _ in }
  ) -> Issued {
    var form = CertificateForm()
    change(&form)
    return issue(form, key: key)
  }

  /// A root with this name, after `change`.
  package static func root(
    _ name: String = "Test Root", key: IssuingKey = .newP256(),
    _ change: (inout CertificateForm) -> Void = { _ in }
  ) -> Issued {
    var form = CertificateForm.authority(name)
    form.subjectKeyIdentifier = Bytes(name.utf8)
    change(&form)
    return Issued(selfSigned: form, key: key)
  }

  /// Makes a certificate with this issuer, whose signature does not verify.
  package init(_ form: CertificateForm, key: IssuingKey, issuer: String, keyIdentifier: Bytes?) {
    self.init(form, key: key, issuer: DER.name(issuer), signer: .publicOnly([]), keyIdentifier: keyIdentifier)
  }

  private init(
    _ form: CertificateForm, key: IssuingKey, issuer: Bytes, signer: IssuingKey, keyIdentifier: Bytes?
  ) {
    let identifier = form.signatureAlgorithm ?? signer.algorithm
    let algorithm = IssuingKey.identifier(of: identifier)
    let subject = DER.name(
      form.subject, tag: form.subjectTag, mailbox: form.subjectMailbox, organization: form.subjectOrganization
    )
    let list = form.extensions(issuerKeyIdentifier: keyIdentifier)
    let isOld = !form.hasExtensions
    let tbs = DER.sequence(
      isOld ? [] : DER.element(0xA0, [0x02, 0x01, form.version]), DER.element(0x02, form.serial), algorithm,
      issuer,
      DER.sequence(form.notBeforeBytes ?? Issued.time(form.notBefore), Issued.time(form.notAfter)), subject,
      key.subjectPublicKeyInfo, isOld || list.isEmpty ? [] : DER.element(0xA3, DER.element(0x30, list)))
    var signature = (try? signer.sign(tbs, algorithm: identifier)) ?? []
    if form.breaksSignature, let last = signature.indices.last { signature[last] ^= 1 }
    der = DER.sequence(tbs, algorithm, DER.bits(signature))
    self.key = key
    self.subject = subject
    self.keyIdentifier = form.subjectKeyIdentifier
  }

  private static func time(_ moment: Timestamp) -> Bytes {
    DER.time("\(moment.description.filter(\.isNumber))Z")
  }

  /// The certificate as a session contains it.
  package var observed: ObservedCertificate {
    ObservedCertificate(parsing: der.span)
  }
}

/// A chain of certificates as a server sends it.
package func chain(_ certificates: Issued..., isComplete: Bool = true) -> CertificateChain {
  CertificateChain(certificates.map(\.observed), isComplete: isComplete)
}
