package import SessionModel
import Values

/// The facts that a judgement needs about the requests of a cleartext session.
package struct HTTPTraffic: Hashable {
  /// Whether a response redirects to an `https` URL.
  package var redirectsToHTTPS = false

  /// Whether the capture lacks a response.
  package var lacksResponses = false

  /// Whether a request on the connection could not be read, or is not in the capture; it may be for another host.
  package var hasUnreadRequest = false

  /// Whether the Host fields of a request differ.
  package var hasDifferentHosts = false

  /// Whether a request asks to upgrade to WebSocket.
  package var isWebSocket = false

  /// The scheme of all URLs, if it is not `http`.
  package enum Scheme: Hashable {
    /// `https` or `wss`: the client leaves TLS to a proxy or another program.
    case https
    case ftp
  }

  /// The scheme of all URLs, if they have one in common that is not `http`; otherwise nil.
  package var scheme: Scheme?

  /// How certainly everything requested is revocation data or a certificate, which the system itself fetches.
  package enum CertificateFetching: Hashable {
    case no
    /// The capture shows only such data or requests for it, and lacks other parts of the traffic.
    case possible
    /// A response to a request for such data is a redirect or an error, whose media type does not describe what was requested.
    case refused
    case certain
  }

  /// How certain it is that the system itself loads this.
  package var certificateFetching = CertificateFetching.no

  init(_ session: borrowing ObservedSession) {
    guard let http = session.http else { return }
    hasUnreadRequest = HTTPTraffic.hasUnreadRequest(session)
    hasDifferentHosts = session.evidence.contains(.httpHostsDiffer)
    if !http.requests.isEmpty, http.requests.allSatisfy({ ["https", "wss"].contains($0.scheme) }) { scheme = .https }
    if http.requestCount > 0, http.requestCount == http.requests.count, http.requests.allSatisfy({ $0.scheme == "ftp" }) { scheme = .ftp }
    var hasCertificateData = false
    var hasCertificateRequest = false
    var hasOtherData = false
    var hasUnknownData = false
    var isRefused = false
    for request in http.requests {
      if request.status == nil { lacksResponses = true }
      if let status = request.status, [301, 302, 303, 307, 308].contains(status),
        request.redirectScheme?.asciiLowercase == "https"
      {
        redirectsToHTTPS = true
      }
      if request.upgrade?.asciiLowercase == "websocket" { isWebSocket = true }
      let isForCertificates = HTTPTraffic.isForCertificateData(request.path) || HTTPTraffic.mayBeStatusRequest(request)
      // The media type of an error page or of a redirect, such as one to a captive portal, does not describe what was requested.
      let isRefusal = request.status.map { $0 >= 300 && $0 != 304 } ?? false
      if HTTPTraffic.isCertificateType(request.contentType)
        || (isRefusal || request.contentType == nil) && HTTPTraffic.isCertificateType(request.requestContentType)
      {
        hasCertificateData = true
      } else if request.status == nil || request.status == 304 {
        // A response 304 has no media type, since it stands for data that the client has.
        if request.status == nil { hasUnknownData = true }
        if isForCertificates { hasCertificateRequest = true }
      } else if isRefusal, isForCertificates {
        (hasCertificateRequest, isRefused) = (true, true)
      } else if let status = request.status, status >= 200 {
        hasOtherData = true
      }
    }
    guard hasCertificateData || hasCertificateRequest, !hasOtherData, !isWebSocket else { return }
    // Requests whose response is lost, those that could not be read, and those beyond the number kept, may be for anything.
    let isPartial =
      session.evidence.contested != nil || hasUnreadRequest || http.requestCount > http.requests.count
      || (hasUnknownData || !hasCertificateData) && (session.evidence.incomplete != nil || session.evidence.missingBytes != 0)
    certificateFetching =
      isPartial ? .possible : isRefused ? .refused : hasCertificateData && !hasUnknownData ? .certain : .no
  }

  /// Whether a request may send an OCSP request (RFC 6960 appendix A.1) although no media type shows it, since the capture lacks the end of
  /// its header. Responders usually have the path `/` or are named after the protocol; those of Google are `o.pki.goog`.
  private static func mayBeStatusRequest(_ request: HTTPFacts.Request) -> Bool {
    guard request.method == "POST", request.isTruncated, request.requestContentType == nil else { return false }
    let host = (request.host ?? "").asciiLowercase
    return request.path == "/" || request.path.asciiLowercase.contains("ocsp") || host.contains("ocsp") || host.hasPrefix("o.pki.")
  }

  /// Whether a path is one for revocation data or a certificate: an OCSP request in base64 (RFC 6960 appendix A.1), or the name of a CRL or
  /// of a certificate.
  private static func isForCertificateData(_ path: String) -> Bool {
    let name = path.asciiLowercase
    if [".crl", ".crt", ".cer", ".der", ".p7b", ".p7c"].contains(where: name.hasSuffix) { return true }
    // An OCSP request begins with two nested sequences in DER: 30 LL 30, or 30 81 LL 30.
    return path.split(separator: "/").contains { segment in
      let start = segment.utf8.prefix(4)
      return segment.utf8.count >= 32 && start.first == UInt8(ascii: "M") && (start.last == UInt8(ascii: "w") || segment.hasPrefix("MI"))
    }
  }

  /// Whether a request of a session could not be read, or is not in the capture; it may be for another host.
  package static func hasUnreadRequest(_ session: borrowing ObservedSession) -> Bool {
    for note in unreadNotes where session.evidence.contains(note) { return true }
    return false
  }

  private static let unreadNotes: [EvidenceNote] = [.httpRequestMalformed, .httpRequestLost, .http2HeadersNotRead]

  private static func isCertificateType(_ type: String?) -> Bool { type.map { certificateTypes.contains($0.asciiLowercase) } ?? false }

  /// The media types of OCSP (RFC 6960 appendix C), and of CRLs and certificates over HTTP (RFC 2585, RFC
  /// 5280 §4.2.2.1), with the older names under which CAs still serve them.
  private static let certificateTypes: Set = [
    "application/ocsp-response", "application/ocsp-request", "application/pkix-crl", "application/pkix-cert", "application/x-pkcs7-crl",
    "application/x-x509-ca-cert", "application/pkcs7-mime", "application/x-pkcs7-certificates",
  ]
}
