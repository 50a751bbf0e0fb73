package import CertificateParsing
package import SessionModel
import TrustEvaluation
import Values

/// What is visible of a server's certificates, and the path that they form.
package struct ServerCertificates {
  package struct Element {
    package var observed: ObservedCertificate
    /// Its index among the certificates sent; nil for one that was not sent.
    package var position: Int?
    /// Whether every path that a device can build holds this very certificate. Of the leaf that is always
    /// true; of the others only where the path is the one that trust evaluation built, and it looked at all there are.
    package var isCertain: Bool
    /// Whether the path ends here, at an anchor that trust evaluation found.
    package var isAnchor = false

    package var certificate: Certificate { observed.certificate }

    /// The certificate in words, for people.
    package var name: String {
      if position == 0 { return "the leaf" }
      let subject = certificate.commonName ?? certificate.subject
      return subject.isEmpty ? "a certificate of the path" : "the certificate of \(subject)"
    }
  }

  /// The certificates in the order sent; empty where none is visible.
  package let sent: [ObservedCertificate]

  /// Whether the whole message was seen.
  package let isComplete: Bool

  /// Whether every path that a device can build was looked at: the whole message was seen, and the search came to its end.
  package let isExhaustive: Bool

  /// The leaf and what follows it up to the root: as trust evaluation built it, else as names link the
  /// certificates sent. Empty where none is visible.
  package let path: [Element]

  /// Why nothing is visible; nil where something is.
  package let unseen: Unseen?

  /// Why the list was not seen in full; nil where it was, or where nothing of it is visible.
  package let cutOff: Unseen?

  /// The leaf; nil where none is visible.
  package var leaf: Element? { path.first }

  /// Whether the last certificate of the path names itself as its issuer.
  package let endsAtRoot: Bool

  /// Collects what a session shows; `isExhaustive` tells whether trust evaluation looked at all paths there are.
  package init(_ session: SessionEvidence, trust: TrustFindings?, isExhaustive: Bool = true) {
    let chain = session.tls?.chain
    sent = chain?.certificates ?? []
    isComplete = chain?.isComplete ?? false
    let isExhaustive = isExhaustive && isComplete
    self.isExhaustive = isExhaustive
    unseen = sent.isEmpty ? session.unseenCertificates : nil
    cutOff =
      sent.isEmpty || isComplete ? nil : Unseen(.partial, settledBy: [session.betterCapture])
    if let built = trust?.path, !built.isEmpty {
      let sent = sent
      path = built.enumerated().map { index, certificate in
        Element(
          observed: certificate, position: sent.firstIndex(of: certificate),
          isCertain: index == 0 || isExhaustive,
          isAnchor: index == built.count - 1 && trust?.anchorClass != AnchorClass.none)
      }
    } else {
      path = ServerCertificates.linkedByName(sent)
    }
    endsAtRoot = path.last?.certificate.isSelfIssued ?? false
  }

  /// More certificates than this are never looked through; the greatest chains in use have some six.
  private static let maximumPathLength = 16

  /// Follows issuer names from the leaf through the certificates sent; key identifiers choose between
  /// namesakes.
  private static func linkedByName(_ sent: [ObservedCertificate]) -> [Element] {
    guard let leaf = sent.first else { return [] }
    var path = [Element(observed: leaf, position: 0, isCertain: true)]
    var used = [0]
    while let last = path.last, !last.certificate.isSelfIssued, path.count < maximumPathLength {
      let issuer = last.certificate.issuerDER
      guard !issuer.isEmpty else { break }
      let namesakes = sent.indices.prefix(256).filter {
        !used.contains($0) && sent[$0].certificate.subjectDER == issuer
      }
      let keyID = last.certificate.authorityKeyIdentifier
      let next =
        namesakes.first { keyID != nil && sent[$0].certificate.subjectKeyIdentifier == keyID }
        ?? namesakes.first
      guard let next else { break }
      used.append(next)
      path.append(Element(observed: sent[next], position: next, isCertain: false))
    }
    return path
  }
}
