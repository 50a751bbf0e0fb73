import ByteParsing
import TestBytes
import Testing
import Values

import SessionModel
@testable import CleartextObservation
@testable import SessionTracking

/// A CONNECT whose client sends its ClientHello before the proxy's response is in the capture.
@Suite struct HTTPConversationLateAnswerTests {
  private static let connect = text("CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n")
  private static let accepted = text("HTTP/1.1 200 OK\r\n\r\n")

  /// The sessions of a client that sends `requests` and its hello at once, and a proxy and server that send these segments.
  private static func sessions(_ requests: Bytes = connect, answers: [Bytes]) -> [ObservedSession] {
    var traffic = TestTraffic(port: 8080)
    traffic.say(requests + sampleClientHello, fromClient: true)
    for answer in answers { traffic.say(answer, fromClient: false) }
    return traffic.finish()
  }

  private static let untrueNotes: [EvidenceNote] = [.connectResponseMissing, .httpResponseToClientHello, .connectRefused]

  private static func expectTunnel(_ sessions: [ObservedSession], _ comment: Comment) {
    let session = sessions.last
    #expect(session?.serverName == "example.com", comment)
    #expect(session?.tunnel == ["http-connect example.com:443"], comment)
    #expect(session?.evidence.serverHello == .complete, comment)
    for note in untrueNotes { #expect(session?.evidence.contains(note) == false, comment) }
  }

  @Test func `the response may share a segment with the ServerHello, or be split anywhere`() {
    let all = Self.accepted + sampleServerHello
    Self.expectTunnel(Self.sessions(answers: [all]), "one segment")
    for cut in [1, 5, 8, 12, 17, 18, 19, 20, 24] {
      Self.expectTunnel(Self.sessions(answers: [Bytes(all[..<cut]), Bytes(all[cut...])]), "\(cut)")
    }
  }

  @Test func `interim responses and those to earlier requests may precede the CONNECT response`() {
    Self.expectTunnel(Self.sessions(answers: [text("HTTP/1.1 100 Continue\r\n\r\n") + Self.accepted + sampleServerHello]), "100")
    let get = text("GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n")
    let page = text("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHTTP/")
    let both = Self.sessions(get + Self.connect, answers: [page, Self.accepted + sampleServerHello])
    Self.expectTunnel(both, "GET")
    #expect(both.count == 2)
    #expect(both.first?.http?.requests.first?.status == 200)
    // The first CONNECT leads to a second one, through the first tunnel or to the same proxy.
    let other = text("CONNECT other.example:8443 HTTP/1.1\r\n\r\n")
    let refusal = text("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 2\r\n\r\n16")
    for first in [Self.accepted, refusal] {
      Self.expectTunnel(Self.sessions(other + Self.connect, answers: [first + Self.accepted + sampleServerHello]), "CONNECT")
    }
  }

  @Test func `a missing response is noted, and the ServerHello is still read`() {
    for answers in [[sampleServerHello], [Bytes(sampleServerHello[..<3]), Bytes(sampleServerHello[3...])]] {
      let session = Self.sessions(answers: answers).first
      #expect(session?.evidence.serverHello == .complete)
      #expect(session?.evidence.contains(.connectResponseMissing) == true)
    }
    var traffic = TestTraffic(port: 8080)
    traffic.say(Self.connect + sampleClientHello, fromClient: true)
    traffic.say(Bytes(Self.accepted[..<5]), fromClient: false)
    traffic.lose(Bytes(Self.accepted[5...]), fromClient: false)
    traffic.say(sampleServerHello, fromClient: false)
    let session = traffic.finish().first
    #expect(session?.evidence.contains(.connectResponseMissing) == true)
    #expect(session?.evidence.serverHello == .complete)
  }

  @Test func `a refusing response is attributed to the proxy, not to the server`() {
    let refusal = text("HTTP/1.1 403 Forbidden\r\nContent-Length: 9\r\n\r\nHTTP/1.1 ")
    for answers in [[refusal], [Bytes(refusal[..<20]), Bytes(refusal[20...])]] {
      let session = Self.sessions(answers: answers).first
      #expect(session?.ending == .proxyRefused)
      #expect(session?.evidence.contains(.connectResponseMissing) == false)
      #expect(session?.evidence.contains(.httpResponseToClientHello) == false)
    }
  }

  @Test func `the replies of two nested proxies are skipped`() {
    let socks = hex("050100 05010001 cb007107 01bb")
    let session = Self.sessions(socks + Self.connect, answers: [hex("0500 05000001 00000000 0000") + Self.accepted + sampleServerHello])
      .last
    #expect(session?.tunnel == ["socks 5 203.0.113.7:443", "http-connect example.com:443"])
    #expect(session?.evidence.serverHello == .complete)
    #expect(session?.evidence.contains(.connectResponseMissing) == false)
  }

  @Test func `an accepted tunnel without the client's packets is read from the ServerHello on`() {
    let head = Bytes("HTTP/1.1 200 Connection established\r\n\r\n".utf8)
    let page = Bytes("HTTP/1.1 200 OK\r\nContent-Length: 95\r\n\r\n".utf8)
    let refusal = Bytes("HTTP/1.1 403 Forbidden\r\n\r\n".utf8)
    for (answers, isTunnel) in [
      ([head, sampleServerHello], true), ([head + sampleServerHello], true), ([page + sampleServerHello], false),
      ([refusal, sampleServerHello], false), ([head], false),
    ] {
      var traffic = TestTraffic(port: 8080, seesStart: false)
      traffic.open(seesClient: false)
      for answer in answers { traffic.say(answer, fromClient: false) }
      let sessions = traffic.finish()
      #expect(sessions.count == (isTunnel ? 1 : 0))
      #expect(sessions.first?.evidence.serverHello == (isTunnel ? .complete : nil))
      #expect(sessions.first?.serverName == nil)
      #expect(sessions.first?.server.port == (isTunnel ? 8080 : nil))
    }
  }
}
