import ByteParsing
import TestBytes
import TLSParsing
import Testing

import SessionModel
@testable import SessionTracking

/// The endpoint that ended a handshake, and the reason.
@Suite struct SessionEndingTests {
  private func ending(_ say: (inout TestTraffic) -> Void) -> SessionEnding? {
    var traffic = TestTraffic(port: 443, clientSays: sampleClientHello)
    say(&traffic)
    return traffic.finish().first?.ending
  }

  private static let sealed = hex("17 0303 0384") + Bytes(repeating: 0xA5, count: 900)

  @Test(arguments: [(true, SessionEnding.Peer.client), (false, .server)])
  func `the endpoint that sends the first FIN closed the connection`(isClient: Bool, peer: SessionEnding.Peer) {
    let ending = ending {
      $0.end(fromClient: isClient)
      $0.end(fromClient: !isClient)
    }
    #expect(ending == .closed(by: peer))
  }

  @Test func `the endpoint that sends the RST reset the connection`() {
    #expect(ending { $0.reset(fromClient: true) } == .reset(by: .client))
    #expect(ending { $0.reset(fromClient: false) } == .reset(by: .server))
  }

  @Test(arguments: [false, true])
  func `a client that closes or resets after the server's flight is reported as clientLeft`(byReset: Bool) {
    let ending = ending {
      $0.say(sampleServerHello + SessionEndingTests.sealed, fromClient: false)
      if byReset {
        $0.reset(fromClient: true)
      } else {
        $0.end(fromClient: true)
        $0.end(fromClient: false)
      }
    }
    #expect(ending == .clientLeft(sawCertificate: false))
  }

  @Test(arguments: 0...2, [false, true])
  func `messages of the server after the client's FIN or RST are not why it left`(count: Int, byReset: Bool) {
    let expected: SessionEnding =
      count > 0 ? .clientLeft(sawCertificate: count > 1) : byReset ? .reset(by: .client) : .closed(by: .client)
    let ending = ending {
      for (index, part) in [SessionTrackerEndsTests.hello, SessionTrackerEndsTests.certificate, []].enumerated() {
        if index == count { if byReset { $0.reset(fromClient: true) } else { $0.end(fromClient: true) } }
        if !part.isEmpty { $0.say(part, fromClient: false) }
      }
      if !byReset { $0.end(fromClient: false) }
    }
    #expect(ending == expected)
  }

  @Test func `a client that closes and then resets the connection did so before the ServerHello`() {
    let ending = ending {
      $0.end(fromClient: true)
      $0.say(SessionTrackerEndsTests.hello, fromClient: false)
      $0.reset(fromClient: true)
    }
    #expect(ending == .reset(by: .client))
  }

  @Test func `an endpoint whose FIN is missing closed before the packet that acknowledges it`() {
    // A FIN takes one sequence number.
    let byClient = ending {
      $0.lose([0], fromClient: true)
      $0.say(SessionTrackerEndsTests.hello, fromClient: false)
      $0.end(fromClient: false)
      $0.reset(fromClient: true)
    }
    #expect(byClient == .reset(by: nil))
    let byServer = ending {
      $0.lose([0], fromClient: false)
      $0.say(hex("15 0303 0002 0232"), fromClient: true)
      $0.end(fromClient: true)
    }
    #expect(byServer == .closed(by: .server))
  }

  @Test(arguments: [false, true])
  func `an endpoint that closes while bytes before are missing has closed before a later alert`(byReset: Bool) {
    var traffic = TestTraffic(port: 443)
    traffic.lose(sampleClientHello, fromClient: true)
    traffic.end(fromClient: false)
    traffic.say(hex("15 0303 0002 0232"), fromClient: true)
    if byReset { traffic.reset(fromClient: false, ahead: 1) } else { traffic.end(fromClient: true) }
    let session = traffic.finish().first
    #expect(session?.sharedTLS?.outcome == (byReset ? .reset : .incomplete))
    #expect(session?.evidence.contains(.closedByServer) == true)
    #expect(session?.sharedTLS?.clientAlerts.count == 1)
  }

  @Test func `an endpoint whose last byte is captured after the packet that acknowledges it has not closed`() {
    for (alert, expected) in [
      ("15 0303 0002 015a", SessionEnding.closed(by: .server)),
      ("15 0303 0002 0228", .refused(by: .server, alert: .handshakeFailure)),
    ] {
      let ending = ending {
        $0.say(SessionTrackerEndsTests.hello, fromClient: false)
        $0.lose([0x16], fromClient: true)
        $0.say(hex(alert), fromClient: false)
        $0.sayLate([0x16], fromClient: true)
        $0.end(fromClient: false)
        $0.end(fromClient: true)
      }
      #expect(ending == expected)
    }
  }

  @Test func `a reset beyond the last byte follows a missing FIN, so the ServerHello is not why the client left`() {
    let ending = ending {
      $0.say(sampleServerHello, fromClient: false)
      $0.reset(fromClient: true, ahead: 1)
    }
    #expect(ending == .reset(by: nil))
  }

  @Test func `a client whose FIN is missing is known to have ended a handshake without a ServerHello`() {
    #expect(ending { $0.reset(fromClient: true, ahead: 1) } == .reset(by: .client))
  }

  @Test func `a refusal contains the peer and the alert`() {
    #expect(
      ending { $0.say(hex("15 0303 0002 0228"), fromClient: false) }
        == .refused(by: .server, alert: .handshakeFailure))
    #expect(
      ending {
        $0.say(sampleServerHello, fromClient: false)
        $0.say(hex("15 0303 0002 0230"), fromClient: true)
      } == .refused(by: .client, alert: .unknownCA))
  }

  @Test(arguments: [
    ("HTTP/1.1 400 Bad Request\r\n\r\n", SessionEnding.httpResponse),
    ("HTTP/1.0 302 Found\r\n\r\n", .httpResponse),
    ("HTTP", .closed(by: .server)), ("220 ready\r\n", .closed(by: .server)),
  ])
  func `HTTP in response to a ClientHello is reported as httpResponse`(response: String, expected: SessionEnding) {
    let ending = ending {
      $0.say(Bytes(response.utf8), fromClient: false)
      $0.end(fromClient: false)
      $0.end(fromClient: true)
    }
    #expect(ending == expected)
  }

  @Test(arguments: 1...6)
  func `HTTP in response to a ClientHello is recognized in segments of any size`(size: Int) {
    for (response, expected) in [("HTTP/1.1 400 Bad Request", SessionEnding.httpResponse), ("HTTP/2.1 ", .closed(by: .server))] {
      let ending = ending {
        var rest = Bytes(response.utf8)[...]
        while !rest.isEmpty {
          $0.say(Bytes(rest.prefix(size)), fromClient: false)
          rest = rest.dropFirst(size)
        }
        $0.end(fromClient: false)
        $0.end(fromClient: true)
      }
      #expect(ending == expected)
    }
  }

  @Test func `HTTP from a client or after a ServerHello is not an httpResponse`() {
    let text = Bytes("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)
    #expect(ending { $0.say(text, fromClient: true) } == .unknown)
    #expect(
      ending {
        $0.say(sampleServerHello, fromClient: false)
        $0.say(text, fromClient: false)
      } == .unknown)
  }

  @Test func `a capture that ends during the handshake shows no ending`() {
    #expect(ending { _ in } == .unknown)
    #expect(ending { $0.say(sampleServerHello, fromClient: false) } == .unknown)
  }
}
