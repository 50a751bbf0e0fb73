import ByteParsing
import Testing

@testable import SessionObservation

/// Cleartext HTTP whose packets are out of order between the two directions, or missing.
@Suite struct EarlyAnswerTests {
  private func text(_ text: String) -> Bytes { Bytes(text.utf8) }

  private let request = Bytes("GET /a HTTP/1.1\r\nHost: example.com\r\n\r\n".utf8)
  private let answer = Bytes(
    "HTTP/1.1 301 Moved\r\nLocation: https://example.com/\r\nContent-Length: 2\r\n\r\nab".utf8)

  @Test(arguments: [0, 1, 3, 10, 38])
  func `an answer that the capture holds before its request is that request's`(cut: Int) {
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
  func `later answers stay with their own requests`() {
    var traffic = TestTraffic(port: 80)
    traffic.say(request, fromClient: true)
    traffic.say(answer, fromClient: false)
    traffic.say(text("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"), fromClient: false)
    traffic.say(text("GET /b HTTP/1.1\r\nHost: example.com\r\n\r\n"), fromClient: true)
    traffic.say(text("GET /c HTTP/1.1\r\nHost: example.com\r\n\r\n"), fromClient: true)
    traffic.say(text("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), fromClient: false)
    let session = traffic.finish().first
    #expect(session?.http?.requests.map(\.status) == [301, 404, 200])
  }

  @Test
  func `an answer too long to be kept costs the answer and not the request`() {
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
  func `a request without an answer at the end of the capture is still open`() {
    var traffic = TestTraffic(port: 80)
    traffic.say(request, fromClient: true)
    #expect(traffic.finish().first?.evidence.incomplete == .stillOpen)
  }

  @Test
  func `an answer that is missing before the end of its direction is a loss`() {
    var traffic = TestTraffic(port: 80)
    traffic.say(request, fromClient: true)
    traffic.lose(answer, fromClient: false)
    traffic.end(fromClient: true)
    traffic.end(fromClient: false)
    let session = traffic.finish().first
    #expect(session?.http?.requests.first?.status == nil)
    #expect(session?.evidence.incomplete == .loss)
    #expect(session?.evidence.missingBytes == answer.count)
  }
}
