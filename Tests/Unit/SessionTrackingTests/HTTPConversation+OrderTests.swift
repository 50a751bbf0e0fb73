import ByteParsing
import TestBytes
import Testing

import SessionModel
@testable import SessionTracking

/// Cleartext HTTP whose packets are out of order between the two directions, or missing.
@Suite struct HTTPConversationOrderTests {
  private let request = Bytes("GET /a HTTP/1.1\r\nHost: example.com\r\n\r\n".utf8)
  private let answer = Bytes(
    "HTTP/1.1 301 Moved\r\nLocation: https://example.com/\r\nContent-Length: 2\r\n\r\nab".utf8)

  @Test(arguments: [0, 1, 3, 10, 38])
  func `a response captured before its request is assigned to that request`(cut: Int) {
    var traffic = TestTraffic(port: 80)
    if cut > 0 { traffic.say(Bytes(request[..<cut]), fromClient: true) }
    traffic.say(answer, fromClient: false)
    traffic.say(Bytes(request[cut...]), fromClient: true)
    let session = traffic.finish().first
    #expect(session?.http?.requests.count == 1)
    #expect(session?.http?.requests.first?.status == 301)
    #expect(session?.http?.requests.first?.redirectScheme == "https")
    #expect(session?.evidence.incomplete == nil)
  }

  @Test
  func `later responses are assigned to their own requests`() {
    var traffic = TestTraffic(port: 80, clientSays: request)
    traffic.say(answer, fromClient: false)
    traffic.say(text("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"), fromClient: false)
    traffic.say(text("GET /b HTTP/1.1\r\nHost: example.com\r\n\r\n"), fromClient: true)
    traffic.say(text("GET /c HTTP/1.1\r\nHost: example.com\r\n\r\n"), fromClient: true)
    traffic.say(text("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), fromClient: false)
    let session = traffic.finish().first
    #expect(session?.http?.requests.map(\.status) == [301, 404, 200])
  }

  @Test
  func `a response too long to keep is lost, but its request is read`() {
    var traffic = TestTraffic(port: 80)
    traffic.say(Bytes(request[..<7]), fromClient: true)
    traffic.say(text("HTTP/1.1 200 OK\r\nX: ") + Bytes(repeating: 0x61, count: 1400), fromClient: false)
    traffic.say(Bytes(request[7...]), fromClient: true)
    let session = traffic.finish().first
    #expect(session?.http?.requests.count == 1)
    #expect(session?.http?.requests.first?.status == nil)
    #expect(session?.evidence.incomplete == .stillOpen)
  }

  @Test
  func `a request without a response at the end of the capture is still open`() {
    var traffic = TestTraffic(port: 80, clientSays: request)
    #expect(traffic.finish().first?.evidence.incomplete == .stillOpen)
  }

  @Test
  func `a response missing before the server's FIN is a loss`() {
    var traffic = TestTraffic(port: 80, clientSays: request)
    traffic.lose(answer, fromClient: false)
    traffic.end(fromClient: true)
    traffic.end(fromClient: false)
    let session = traffic.finish().first
    #expect(session?.http?.requests.first?.status == nil)
    #expect(session?.evidence.incomplete == .loss)
    #expect(session?.evidence.missingBytes == answer.count)
  }

  @Test(arguments: [false, true])
  func `a response to a missing request is assigned to no request`(hasFirst: Bool) {
    var traffic = TestTraffic(port: 80)
    if hasFirst {
      traffic.say(request, fromClient: true)
      traffic.say(answer, fromClient: false)
    }
    traffic.lose(text("POST /ocsp HTTP/1.1\r\nHost: ocsp.example\r\n\r\n"), fromClient: true)
    let ocsp = "HTTP/1.1 200 OK\r\nContent-Type: application/ocsp-response\r\nContent-Length: 1\r\n\r\nx"
    traffic.say(text(ocsp), fromClient: false)
    traffic.say(text("POST /b HTTP/1.1\r\nHost: b.example\r\nContent-Length: 0\r\n\r\n"), fromClient: true)
    traffic.say(text("HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n"), fromClient: false)
    let sessions = traffic.finish()
    #expect(sessions.map(\.serverName) == (hasFirst ? ["example.com"] : []) + ["b.example"])
    #expect(sessions.last?.http?.requests.first?.status == nil)
    #expect(sessions.last?.http?.requests.first?.contentType == nil)
    if hasFirst { #expect(sessions.first?.http?.requests.first?.status == 301) }
  }

  @Test
  func `requests before a gap keep their responses, requests after it have none`() {
    var traffic = TestTraffic(port: 80, clientSays: request)
    traffic.say(request, fromClient: true)
    traffic.lose(request, fromClient: true)
    traffic.say(request, fromClient: true)
    traffic.end(fromClient: true)
    for status in [201, 202, 203, 204] {
      traffic.say(text("HTTP/1.1 \(status) Yes\r\nContent-Length: 0\r\n\r\n"), fromClient: false)
    }
    #expect(traffic.finish().first?.http?.requests.map(\.status) == [201, 202, nil])
  }

  @Test
  func `responses after a missing response are assigned to no request`() {
    var traffic = TestTraffic(port: 80)
    for status in [201, 202, 203] {
      traffic.say(request, fromClient: true)
      let answer = text("HTTP/1.1 \(status) Yes\r\nContent-Length: 0\r\n\r\n")
      if status == 202 {
        traffic.lose(answer, fromClient: false)
      } else {
        traffic.say(answer, fromClient: false)
      }
    }
    #expect(traffic.finish().first?.http?.requests.map(\.status) == [201, nil, nil])
  }

  @Test
  func `requests after an overlong head have no response status`() {
    var traffic = TestTraffic(port: 80)
    traffic.say(text("GET /1 HTTP/1.1\r\nHost: a.example\r\nX: "), fromClient: true)
    for _ in 0..<70 { traffic.say(Bytes(repeating: 0x61, count: 1000), fromClient: true) }
    traffic.say(text("\r\n\r\n"), fromClient: true)
    traffic.say(answer, fromClient: false)
    traffic.say(request, fromClient: true)
    traffic.say(text("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n"), fromClient: false)
    let asked = traffic.finish().last
    #expect(asked?.serverName == "example.com")
    #expect(asked?.http?.requests.map(\.status) == [nil])
  }

  private let echo = Bytes("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n".utf8)
  private let next = Bytes("POST /b HTTP/1.1\r\nHost: nas.local\r\nContent-Length: 0\r\n\r\n".utf8)

  @Test(arguments: [80, 8080] as [UInt16], [0, 1])
  func `a request in a response body is not read if the capture begins before the response`(port: UInt16, cut: Int) {
    var traffic = TestTraffic(port: port, seesStart: false)
    traffic.say(text("HTTP/1.1 200 OK\r\nContent-Length: 38\r\n\r\n") + Bytes(echo[..<cut]), fromClient: false)
    traffic.say(Bytes(echo[cut...]), fromClient: false)
    traffic.say(next, fromClient: true)
    traffic.say(text("HTTP/1.1 204 No\r\n\r\n"), fromClient: false)
    let sessions = traffic.finish()
    #expect(sessions.map(\.serverName) == ["nas.local"])
    #expect(sessions.first?.http?.requests.map(\.status) == [204])
  }

  @Test(arguments: [0, 1])
  func `a request from a system port is not read if the capture begins in a body`(cut: Int) {
    var traffic = TestTraffic(port: 80, seesStart: false)
    traffic.say(Bytes(echo[cut...]), fromClient: false)
    traffic.say(next, fromClient: true)
    traffic.say(text("HTTP/1.1 204 No\r\n\r\n"), fromClient: false)
    #expect(traffic.finish().map(\.serverName) == ["nas.local"])
  }

  @Test
  func `a response in a request body does not hide later requests`() {
    var traffic = TestTraffic(port: 8080, seesStart: false)
    traffic.say(text("HTTP/1.1 200 OK\r\n\r\n"), fromClient: true)
    traffic.say(text("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n"), fromClient: false)
    traffic.say(next, fromClient: true)
    #expect(traffic.finish().map(\.serverName) == ["nas.local"])
  }

  @Test
  func `a handshake after a response is read as one from the start`() {
    var traffic = TestTraffic(port: 8443, seesStart: false)
    traffic.say(answer, fromClient: false)
    traffic.say(sampleClientHello, fromClient: true)
    let session = traffic.finish().first
    #expect(session?.serverName == "server")
    #expect(session?.evidence.notes == [])
  }
}
