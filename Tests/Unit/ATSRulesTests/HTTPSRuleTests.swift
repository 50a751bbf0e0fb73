import ATSEvaluation
import ATSRules
import PolicyResolution
import SessionBuilding
import SessionModel
import Testing
import Values

@Suite struct HTTPSRuleTests {
  @Test
  func `cleartext to a remote host fails with -1022 and scores 0`() {
    let content = judged(SessionBuilder.http(host: "api.example.com"))
    #expect(content.verdict == .fail)
    #expect(content.primaryRule == .https)
    #expect(content.score == 0)
    #expect(content.grade == "F")
    #expect(content.predictedError == PredictedError(domain: "NSURLErrorDomain", code: -1022))
    #expect(
      content.narrowestException
        == .entry(host: "api.example.com", keys: ["NSExceptionAllowsInsecureHTTPLoads": .boolean(true)]))
    #expect(content.findings.count { $0.outcome != .notApplicable } == 2)
  }

  @Test(arguments: ["nas", "printer.local", "192.168.1.4", "[fe80::1]", "127.0.0.1"])
  func `cleartext to a local host is exempt`(host: String) {
    let content = judged(SessionBuilder.http(host: host))
    #expect(content.verdict == .exempt)
    #expect(content.outcome("ATS-HTTPS") == .pass)
    #expect(content["ATS-HTTPS"].isRequired == false)
    #expect(content.exemption?.isEmpty == false)
    #expect(content.score == nil)
    #expect(content.narrowestException == nil)
  }

  @Test(arguments: [("169.254.1.1", true), ("192.168.1.4", false)])
  func `an exemption based on an assumption says so`(host: String, isAssumed: Bool) {
    #expect(judged(SessionBuilder.http(host: host)).exemption?.contains("assumed to be local") == isAssumed)
  }

  @Test
  func `no host is exempt if a request on its connection is unreadable`() {
    let note = "A request on this connection could not be read, and may be for another host."
    for (host, verdict) in [("nas", Verdict.unknown), ("api.example.com", .fail)] {
      let content = judged(SessionBuilder.http(host: host) { $0.evidence.notes = [.httpRequestMalformed] })
      #expect(content.verdict == verdict)
      #expect(content.exemption == nil)
      #expect(content["ATS-HTTPS"].notes == [note])
    }
    let fetch = SessionBuilder.http(host: "nas", [fetch("application/pkix-crl")]) {
      $0.evidence.notes = [.httpRequestMalformed]
    }
    #expect(judged(fetch).verdict == .unknown)
  }

  @Test(arguments: ["b\u{10FFFC}cher.example", "a\u{301}.example", "example.com/", "a b"])
  func `a host that is not a valid entry key gets no exception`(host: String) {
    let content = judged(SessionBuilder.http(host: host), os: "ios9")
    guard case .impossible(let obstacle)? = content.narrowestException, obstacle.rules == [.https], obstacle.mayHelp.isEmpty else {
      Issue.record("\(String(describing: content.narrowestException))")
      return
    }
    #expect(!obstacle.reason.contains("the request does not name"))
  }

  @Test
  func `a key that allows cleartext relaxes ATS-HTTPS and exempts the session`() {
    let dictionary = entry(
      "example.com", ExceptionSettings(allowsInsecureHTTPLoads: true), includesSubdomains: true)
    let content = judged(SessionBuilder.http(host: "api.example.com"), dictionary)
    #expect(content.verdict == .exempt)
    #expect(content.outcome("ATS-HTTPS") == .relaxed)
    #expect(
      content["ATS-HTTPS"].decidingKey
        == KeyReference(key: "NSExceptionAllowsInsecureHTTPLoads", entry: "example.com"))
    #expect(content.score == nil)
    #expect(content.predictedError == nil)
  }

  @Test
  func `NSAllowsLocalNetworking NO fails a local host, and YES is the narrowest exception`() {
    let content = judged(SessionBuilder.http(host: "nas"), ATSDictionary(allowsLocalNetworking: false))
    #expect(content.verdict == .fail)
    #expect(content["ATS-HTTPS"].decidingKey?.key == "NSAllowsLocalNetworking")
    #expect(content.narrowestException == .global(key: "NSAllowsLocalNetworking", value: true))
  }

  @Test
  func `a redirect to HTTPS does not help and is noted`() {
    var request = HTTPFacts.Request(method: "GET", host: "example.com", path: "/", frame: 1)
    request.status = 301
    request.redirectScheme = "HTTPS"
    let content = judged(SessionBuilder.http(host: "example.com", [request]))
    #expect(content.outcome("ATS-HTTPS") == .fail)
    #expect(
      content["ATS-HTTPS"].notes == ["The server redirects to HTTPS, but ATS blocks the load before that."])
    #expect(content.outcome("ADV-HTTP-REDIRECT") == .fail)
    #expect(judged(SessionBuilder.http(host: "example.com")).outcome("ADV-HTTP-REDIRECT") == .pass)
  }

  @Test
  func `a cleartext WebSocket is judged like any request`() {
    var request = HTTPFacts.Request(method: "GET", host: "example.com", path: "/", frame: 1)
    request.upgrade = "WebSocket"
    let content = judged(SessionBuilder.http(host: "example.com", [request]))
    #expect(content["ATS-HTTPS"].observed == "WebSocket (ws) without TLS")
    #expect(content.outcome("ATS-HTTPS") == .fail)
  }

  private func fetch(_ type: String?, status: Int? = 200) -> HTTPFacts.Request {
    var request = HTTPFacts.Request(method: "GET", host: "ocsp.example.com", path: "/", frame: 1)
    request.contentType = type
    request.status = status
    return request
  }

  @Test(arguments: ["application/ocsp-response", "Application/PKIX-CRL", "application/pkix-cert"])
  func `fetches of certificates and revocation data are exempt and have no score`(type: String) {
    let content = judged(
      SessionBuilder.http(host: "ocsp.example.com", [fetch(type), fetch(type)]))
    #expect(content.verdict == .exempt)
    #expect(content.score == nil)
    #expect(content.confidencePercent == 0)
    #expect(content.outcome("ATS-HTTPS") == .fail)
    #expect(content["ATS-HTTPS"].fix == nil)
  }

  @Test
  func `sessions that contain other data than certificates and revocation data are judged`() {
    let ocsp = "application/ocsp-response"
    #expect(
      judged(SessionBuilder.http(host: "x.example", [fetch(ocsp), fetch("text/html")])).verdict == .fail)
    #expect(judged(SessionBuilder.http(host: "x.example", [fetch(ocsp), fetch(nil)])).verdict == .fail)
    #expect(judged(SessionBuilder.http(host: "x.example", [fetch(nil, status: nil)])).verdict == .fail)
  }

  @Test(arguments: [302, 404, 503])
  func `a redirect or an error does not hide that revocation data was requested`(status: Int) {
    func verdict(_ path: String, _ requestType: String? = nil, besides others: [HTTPFacts.Request] = []) -> Verdict? {
      var request = fetch("text/html", status: status)
      (request.path, request.requestContentType) = (path, requestType)
      return judged(SessionBuilder.http(host: "ocsp.example.com", others + [request])).verdict
    }
    let path = "/MFEwTzBNMEswSTAJBgUrDgMCGgUABBQ50otx%2Fh0Ztl%2Bz8SiPI7wEWVxDlQ"
    let fetched = [fetch("application/pkix-cert")]
    #expect(verdict("/", "application/ocsp-request") == .exempt)
    #expect(judged(SessionBuilder.http(host: "ocsp.example.com", [fetch("application/ocsp-response", status: status)])).verdict == .exempt)
    #expect(verdict(path) == .unknown)
    #expect(verdict(path, besides: fetched) == .unknown)
    // Another request is a load of cleartext, even if it fails.
    #expect(verdict("/api/login", "application/json", besides: fetched) == .fail)
    #expect(verdict("/", besides: fetched) == .fail)
  }

  @Test(arguments: [
    ("ocsp.example.com", "/", Verdict.unknown), ("x.example", "/", .unknown), ("x.example", "/gts/OCSP", .unknown),
    ("ocsp.pki.example", "/gts1c3", .unknown), ("o.pki.goog", "/we2", .unknown), ("x.example", "/login", .fail),
  ])
  func `a POST whose media type and response are lost may be an OCSP request`(host: String, path: String, verdict: Verdict) {
    var request = HTTPFacts.Request(method: "POST", host: host, path: path, frame: 1)
    // The header is whole.
    #expect(judged(SessionBuilder.http(host: host, [request]) { $0.evidence.incomplete = .oneDirection }).verdict == .fail)
    request.isTruncated = true
    #expect(judged(SessionBuilder.http(host: host, [request]) { $0.evidence.incomplete = .snaplen }).verdict == verdict)
    #expect(judged(SessionBuilder.http(host: host, [request])).verdict == .fail)
    request.requestContentType = "application/json"
    #expect(judged(SessionBuilder.http(host: host, [request]) { $0.evidence.incomplete = .snaplen }).verdict == .fail)
  }

  @Test
  func `sessions are unknown if responses that may be revocation data are lost`() {
    let ocsp = "application/ocsp-response"
    let requests = [fetch(ocsp), fetch(nil, status: nil)]
    // A request that got no response is no fetch of such data.
    #expect(judged(SessionBuilder.http(host: "x.example", requests)).verdict == .fail)
    for loss in [{ $0.evidence.incomplete = .oneDirection }, { $0.evidence.missingBytes = 1 }] as [(inout ObservedSession) -> Void] {
      #expect(judged(SessionBuilder.http(host: "x.example", requests, loss)).verdict == .unknown)
      for (path, verdict) in [
        ("/MFEwTzBNMEswSTAJBgUrDgMCGgUABBQ50otx%2Fh0Ztl%2Bz8SiPI7wEWVxDlQ", Verdict.unknown),
        ("/ocsp/MIGoMIGlMIGiMFEwTzBNMEswSTAJBgUrDgMCGgUA", .unknown), ("/Root.CRL", .unknown), ("/ca/issuer.cer", .unknown),
        ("/MFEw", .fail), ("/index.html", .fail),
      ] {
        var request = fetch(nil, status: nil)
        request.host = "x.example"
        request.path = path
        #expect(judged(SessionBuilder.http(host: "x.example", [request], loss)).verdict == verdict, "\(path)")
      }
    }
    let more = judged(
      SessionBuilder.http(host: "x.example", [fetch(ocsp)]) { $0.http?.requestCount = 17 })
    #expect(more.verdict == .unknown)
    // A response 304 stands for data that the client has.
    #expect(judged(SessionBuilder.http(host: "x.example", [fetch(ocsp), fetch(nil, status: 304)])).verdict == .exempt)
    let other = SessionBuilder.http(
      host: "x.example", [fetch(ocsp), fetch(nil, status: nil), fetch("text/html")])
    #expect(judged(other)["ATS-HTTPS"].notes.isEmpty)
    #expect(
      judged(SessionBuilder.http(host: "x.example", [fetch(nil, status: nil)]))["ATS-HTTPS"].notes.isEmpty)
  }

  @Test
  func `releases differ in how they treat IP addresses`() {
    let remote = SessionBuilder.http(host: "203.0.113.9")
    #expect(judged(remote).verdict == .fail)
    #expect(judged(remote, os: "ios16").verdict == .exempt)
    let old = judged(remote, os: "ios9")
    #expect(old.verdict == .fail)
    #expect(old.narrowestException == .global(key: "NSAllowsArbitraryLoads", value: true))
    #expect(
      judged(remote).narrowestException
        == .entry(host: "203.0.113.9", keys: ["NSExceptionAllowsInsecureHTTPLoads": .boolean(true)]))
  }

  @Test
  func `an assumption about a local address is noted`() {
    let content = judged(SessionBuilder.http(host: "169.254.1.2"))
    #expect(content["ATS-HTTPS"].notes.last == "169.254.0.0/16 is assumed to be local; no source settles it.")
    let encrypted = SessionBuilder { builder in
      builder.host = "fd00::1"
      builder.source = .address
      builder.address = IPAddress(v6: 0xFD00 << 48, 1)
    }
    #expect(
      judged(encrypted.session)["ATS-HTTPS"].notes
        == ["fc00::/7 is assumed not to be local; no source settles it."])
  }

  @Test
  func `only the global key of the context can allow an unknown host`() {
    let unnamed = SessionBuilder.http(host: nil)
    let web = judged(unnamed) { $0.context = .web }
    #expect(web.narrowestException == .global(key: "NSAllowsArbitraryLoadsInWebContent", value: true))
    let media = judged(unnamed) { $0.context = .media }
    #expect(media.narrowestException == .global(key: "NSAllowsArbitraryLoadsForMedia", value: true))
    guard case .impossible(let obstacle)? = judged(unnamed).narrowestException else {
      Issue.record("an exception for an unknown host of the app itself")
      return
    }
    #expect(obstacle.reason.contains("of a host that the request does not name"))
  }

  @Test(arguments: [
    ("192.168.1.4", "ios26", Verdict.unknown), ("203.0.113.7", "ios26", .fail), ("203.0.113.7", "ios16", .unknown),
    ("203.0.113.7", "ios9", .fail), ("192.168.1.4", "ios9", .fail),
  ])
  func `a request without a host may be for the server's address`(address: String, release: String, verdict: Verdict) throws {
    let server = try #require(IPAddress(address))
    let request = SessionBuilder.http(host: nil) { $0.server = Endpoint(address: server, port: 80) }
    let content = judged(request, os: release)
    #expect(content.verdict == verdict)
    if verdict == .unknown {
      #expect(
        content["ATS-HTTPS"].notes.first?.hasPrefix(
          "The request names no host: the rule fails unless the URL has the server's address") == true)
    }
  }

  @Test
  func `a request without a host may be for one of the app's entries`() {
    let dictionary = entry("example.com", ExceptionSettings(allowsInsecureHTTPLoads: true))
    let content = judged(SessionBuilder.http(host: nil), dictionary)
    #expect(content.verdict == .unknown)
    #expect(content["ATS-HTTPS"].notes == ["The request names no host, and one of the app's entries may be for it."])
  }

  @Test
  func `a request with Host fields that differ is undecided`() {
    let content = judged(SessionBuilder.http(host: nil) { $0.evidence.notes = [.httpHostsDiffer] })
    #expect(content.verdict == .unknown)
    #expect(judged(SessionBuilder.http(host: "a.example") { $0.evidence.notes = [.httpHostsDiffer] }).verdict == .fail)
  }

  @Test
  func `a request with Host fields that differ fails if cleartext is allowed of no host`() {
    let session = SessionBuilder.http(host: nil) { $0.evidence.notes = [.httpHostsDiffer] }
    #expect(judged(session, os: "ios9").verdict == .fail)
    var strict = ATSDictionary(allowsLocalNetworking: false)
    #expect(judged(session, strict).verdict == .fail)
    // These releases need no HTTPS for addresses.
    #expect(judged(session, strict, os: "ios12").verdict == .unknown)
    strict.exceptionDomains = entry("a.example", ExceptionSettings(allowsInsecureHTTPLoads: false)).exceptionDomains
    #expect(judged(session, strict).verdict == .fail)
    strict.exceptionDomains += entry("192.0.2.0/24", ExceptionSettings(allowsInsecureHTTPLoads: true)).exceptionDomains
    #expect(judged(session, strict).verdict == .unknown)
  }

  @Test(arguments: [EvidenceNote.httpRequestLost, .http2HeadersNotRead])
  func `beside a request that the capture lacks no host is exempt, unless every host is`(note: EvidenceNote) {
    let nas = SessionBuilder.http(host: "nas") { $0.evidence.notes = [note] }
    #expect(judged(nas).verdict == .unknown)
    let everywhere = ATSDictionary(allowsArbitraryLoads: true)
    #expect(judged(nas, everywhere).verdict == .exempt)
    var listed = entry("example.com", ExceptionSettings(allowsInsecureHTTPLoads: false))
    listed.allowsArbitraryLoads = true
    #expect(judged(nas, listed).verdict == .unknown)
  }

  @Test
  func `an exception is found for a host beside a request that the capture lacks`() {
    let content = judged(SessionBuilder.http(host: "api.example.com") { $0.evidence.notes = [.httpRequestLost] })
    #expect(content.verdict == .fail)
    #expect(
      content.narrowestException
        == .entry(host: "api.example.com", keys: ["NSExceptionAllowsInsecureHTTPLoads": .boolean(true)]))
  }

  @Test(arguments: [("https", Verdict.unknown), ("wss", .unknown), ("ftp", .exempt), ("ws", .fail)])
  func `the scheme of the URL decides what a request can show`(scheme: String, verdict: Verdict) {
    var request = HTTPFacts.Request(method: "GET", host: "example.com", path: "/", frame: 1)
    request.scheme = scheme
    let content = judged(SessionBuilder.http(host: "example.com", [request]))
    #expect(content.verdict == verdict)
    if scheme == "https" {
      #expect(content["ATS-HTTPS"].fix == nil)
      #expect(content.predictedError == nil)
      #expect(content.narrowestException == nil)
    }
    let other = HTTPFacts.Request(method: "GET", host: "example.com", path: "/", frame: 2)
    #expect(judged(SessionBuilder.http(host: "example.com", [request, other])).verdict == .fail)
  }

  @Test
  func `the media type of a request for revocation data suffices`() {
    var request = fetch(nil, status: nil)
    request.requestContentType = "application/ocsp-request"
    #expect(judged(SessionBuilder.http(host: "x.example", [request])).verdict == .exempt)
    #expect(judged(SessionBuilder.http(host: "x.example", [request, fetch(nil, status: nil)])).verdict == .fail)
    request.status = 200
    request.contentType = "text/html"
    #expect(judged(SessionBuilder.http(host: "x.example", [request])).verdict == .fail)
  }
}
