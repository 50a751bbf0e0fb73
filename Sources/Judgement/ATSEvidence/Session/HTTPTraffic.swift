import SessionModel

/// The facts that a judgement needs about the requests of a cleartext session.
package struct HTTPTraffic: Hashable {
  /// Whether a response redirects to an `https` URL.
  package var redirectsToHTTPS = false

  /// Whether the capture lacks a response.
  package var lacksAnswers = false

  /// Whether a request on the connection could not be read, or is not in the capture; it may be for another host.
  package var hasUnreadRequest = false

  /// Whether the Host fields of a request differ.
  package var hasDifferentHosts = false

  /// Whether a request asks to upgrade to WebSocket.
  package var isWebSocket = false

  /// Whether every URL is `https` or `wss`: the client leaves TLS to a proxy or another program.
  package var isOfHTTPS = false

  /// Whether every URL is `ftp`.
  package var isOfFTP = false

  /// Whether everything requested is revocation data or a certificate, which the system itself fetches.
  package var isCertificateTraffic = false

  /// Whether everything that is known of it is such data, but not everything is known.
  package var mayBeCertificateTraffic = false

  init(_ session: borrowing ObservedSession) {
    guard let http = session.http else { return }
    hasUnreadRequest = HTTPTraffic.unreadNotes.contains { session.evidence.contains($0) }
    hasDifferentHosts = session.evidence.contains(.httpHostsDiffer)
    isOfHTTPS = !http.requests.isEmpty && http.requests.allSatisfy { ["https", "wss"].contains($0.scheme) }
    isOfFTP = http.requestCount > 0 && http.requestCount == http.requests.count && http.requests.allSatisfy { $0.scheme == "ftp" }
    var hasCertificateData = false
    var hasOtherData = false
    var hasUnknownData = false
    for request in http.requests {
      if request.status == nil { lacksAnswers = true }
      if let status = request.status, [301, 302, 303, 307, 308].contains(status),
        request.redirectScheme.map({ HTTPTraffic.isEqual($0, "https") }) ?? false
      {
        redirectsToHTTPS = true
      }
      if let upgrade = request.upgrade, HTTPTraffic.isEqual(upgrade, "websocket") { isWebSocket = true }
      if let type = request.contentType ?? request.requestContentType,
        HTTPTraffic.certificateTypes.contains(where: { HTTPTraffic.isEqual($0, type) })
      {
        hasCertificateData = true
      } else if let status = request.status, (200...299).contains(status) || (300...399).contains(status) {
        hasOtherData = true
      } else if request.status == nil {
        hasUnknownData = true
      }
    }
    guard hasCertificateData, !hasOtherData, !isWebSocket else { return }
    // Requests without a response, those that could not be read, and those beyond the number kept, may be for anything.
    mayBeCertificateTraffic =
      hasUnknownData || session.evidence.contested != nil || hasUnreadRequest
      || http.requestCount > http.requests.count
    isCertificateTraffic = !mayBeCertificateTraffic
  }

  private static let unreadNotes: [EvidenceNote] = [.httpRequestMalformed, .httpRequestLost, .http2HeadersNotRead]

  /// The media types of OCSP (RFC 6960 appendix C), and of CRLs and certificates over HTTP (RFC 2585, RFC
  /// 5280 §4.2.2.1), with the older names under which CAs still serve them.
  private static let certificateTypes = [
    "application/ocsp-response", "application/ocsp-request", "application/pkix-crl", "application/pkix-cert",
    "application/x-pkcs7-crl", "application/x-x509-ca-cert", "application/pkcs7-mime",
    "application/x-pkcs7-certificates",
  ]

  /// Whether two texts are equal without regard to ASCII case; `b` is a constant of this program or as short as one.
  private static func isEqual(_ a: String, _ b: String) -> Bool {
    a.utf8.count == b.utf8.count
      && zip(a.utf8, b.utf8).allSatisfy { x, y in
        x == y || ((0x41...0x5A).contains(x & 0xDF) && x | 0x20 == y | 0x20)
      }
  }
}
