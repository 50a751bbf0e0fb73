package import CertificateParsing
package import SessionModel
import TrustEvaluation
import Values

/// The visible part of a server's certificates, and the path that they form.
package struct ServerCertificates {
  package struct Element {
    package var observed: ObservedCertificate
    /// The index among the certificates sent; nil if the certificate was not sent.
    package var position: Int?
    /// Whether every path that a device can build contains this certificate. This is always true of the leaf, and of the others only if
    /// trust evaluation built the path and examined all paths.
    package var isCertain: Bool
    /// Whether this is the anchor that trust evaluation found, at which the path ends.
    package var isAnchor = false

    package var certificate: Certificate { observed.certificate }

    /// The certificate's name for users.
    package var name: String {
      if position == 0 { return "the server certificate" }
      return observed.title.map { "the certificate of \($0)" } ?? "a certificate in the chain"
    }
  }

  /// The certificates in the order sent; empty if none is visible.
  package let sent: [ObservedCertificate]

  /// Whether the capture contains the complete message.
  package let isComplete: Bool

  /// Whether every path that a device can build was examined: the capture contains the complete message, and the search finished.
  package let isExhaustive: Bool

  /// The leaf and the certificates up to the root, as trust evaluation built the path, otherwise as issuer names link the certificates
  /// sent. Empty if none is visible.
  package let path: [Element]

  /// The reason that no certificate is visible; nil if any is.
  package let unseen: Unseen?

  /// The reason that the list is incomplete; nil if it is complete, or if no certificate is visible.
  package let cutOff: Unseen?

  /// The leaf; nil if none is visible.
  package var leaf: Element? { path.first }

  /// Whether the server sent a CA before its own certificate.
  package var isLeafMisplaced: Bool {
    guard sent.first?.certificate.isCA == true else { return false }
    let first = sent.prefix(Self.maximumPathLength).map(\.certificate)
    return first.contains { leaf in !leaf.isCA && first.contains { $0.isCA && $0.subjectDER == leaf.issuerDER } }
  }

  /// Whether the last certificate of the path is self-issued.
  package let endsAtRoot: Bool

  /// Collects the certificates of a session; `isExhaustive` states whether trust evaluation examined all paths.
  package init(_ session: SessionEvidence, trust: TrustFindings?, isExhaustive: Bool = true) {
    let chain = session.tls?.chain
    sent = chain?.certificates ?? []
    isComplete = chain?.isComplete ?? false
    let isExhaustive = isExhaustive && isComplete
    self.isExhaustive = isExhaustive
    unseen = sent.isEmpty ? session.unseenCertificates : nil
    cutOff = sent.isEmpty || isComplete ? nil : Unseen(.partial, settledBy: [session.betterCapture])
    if let built = trust?.path, !built.isEmpty {
      let sent = sent
      path = built.enumerated().map { index, certificate in
        Element(
          observed: certificate, position: sent.firstIndex(of: certificate), isCertain: index == 0 || isExhaustive,
          isAnchor: index == built.count - 1 && trust?.anchorClass != AnchorClass.none)
      }
    } else {
      path = ServerCertificates.linkedByName(sent)
    }
    endsAtRoot = path.last?.certificate.isSelfIssued ?? false
  }

  /// The maximum number of certificates in a path; the longest chains in use have about six.
  private static let maximumPathLength = 16

  /// Follows issuer names from the leaf through the certificates sent. Key identifiers decide between certificates of the same name.
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

extension ObservedCertificate {
  /// The common name of the subject, or the whole subject if it has none; nil if it is empty.
  package var title: String? {
    let title = certificate.commonName ?? certificate.subject
    return title.isEmpty ? nil : title
  }
}
