import SessionModel

/// What matters for a judgement in the requests of a cleartext session.
struct HTTPTraffic: Hashable {
  /// Whether a response leads to an `https` URL.
  var redirectsToHTTPS = false

  /// Whether a response was not seen.
  var lacksAnswers = false

  /// Whether a request asks to continue as WebSocket.
  var isWebSocket = false

  /// Whether all that was fetched is revocation data or certificates, as the system itself fetches them.
  var isCertificateTraffic = false

  /// Whether all that is known of what was fetched is such data, but not all of it is known.
  var mayBeCertificateTraffic = false

  init(_ session: borrowing ObservedSession) {
    guard let http = session.http else { return }
    var hasCertificateData = false
    var hasOtherData = false
    for request in http.requests where request.method != "CONNECT" {
      if request.status == nil { lacksAnswers = true }
      if let status = request.status, [301, 302, 303, 307, 308].contains(status),
        request.redirectScheme.map({ HTTPTraffic.isEqual($0, "https") }) ?? false
      {
        redirectsToHTTPS = true
      }
      if let upgrade = request.upgrade, HTTPTraffic.isEqual(upgrade, "websocket") { isWebSocket = true }
      if let type = request.contentType,
        HTTPTraffic.certificateTypes.contains(where: { HTTPTraffic.isEqual($0, type) })
      {
        hasCertificateData = true
      } else if let status = request.status, (200...299).contains(status) || (300...399).contains(status) {
        hasOtherData = true
      }
    }
    guard hasCertificateData, !hasOtherData, !isWebSocket else { return }
    // Requests without a response, and those beyond the ones that are kept, could be for anything.
    mayBeCertificateTraffic =
      lacksAnswers || session.evidence.contested != nil || http.requestCount > http.requests.count
    isCertificateTraffic = !mayBeCertificateTraffic
  }

  /// The media types of OCSP (RFC 6960 appendix C), and of CRLs and certificates over HTTP (RFC 2585, RFC
  /// 5280 §4.2.2.1), with the older names under which CAs still serve them.
  private static let certificateTypes = [
    "application/ocsp-response", "application/ocsp-request", "application/pkix-crl", "application/pkix-cert",
    "application/x-pkcs7-crl", "application/x-x509-ca-cert", "application/pkcs7-mime",
    "application/x-pkcs7-certificates",
  ]

  /// Whether two texts are equal but for the case of ASCII letters; `b` is one of ours or just as short.
  private static func isEqual(_ a: String, _ b: String) -> Bool {
    a.utf8.count == b.utf8.count
      && zip(a.utf8, b.utf8).allSatisfy { x, y in
        x == y || ((0x41...0x5A).contains(x & 0xDF) && x | 0x20 == y | 0x20)
      }
  }
}
