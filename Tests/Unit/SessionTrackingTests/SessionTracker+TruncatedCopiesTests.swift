import ByteParsing
import TestBytes
import Testing

import SessionModel
@testable import SessionTracking

/// Segments whose first copy was truncated to a shorter snapshot length than a later one.
@Suite struct SessionTrackerTruncatedCopiesTests {
  /// Plays a segment that the capture contains twice, first truncated.
  private static func sayTwice(_ bytes: Bytes, cutTo length: Int, fromClient: Bool, in traffic: inout TestTraffic) {
    traffic.say(bytes, cutTo: length, fromClient: fromClient)
    traffic.sayLate(bytes, fromClient: fromClient)
  }

  private static func expectWhole(_ session: ObservedSession?, _ comment: Comment) {
    #expect(session?.serverName == "server", comment)
    #expect(session?.evidence.clientHello == .complete, comment)
    #expect(session?.evidence.serverHello == .complete, comment)
    #expect(session?.evidence.missingBytes == 0, comment)
  }

  @Test(arguments: [0, 1, 4, 42, 100])
  func `the bytes that the first copy lacks are read from the second`(length: Int) {
    for seesStart in [true, false] {
      var traffic = TestTraffic(port: 443, seesStart: seesStart)
      Self.sayTwice(sampleClientHello, cutTo: length, fromClient: true, in: &traffic)
      Self.sayTwice(sampleServerHello, cutTo: min(length, 90), fromClient: false, in: &traffic)
      let sessions = traffic.finish()
      #expect(sessions.count == 1)
      Self.expectWhole(sessions.first, "\(seesStart)")
    }
  }

  @Test(arguments: [0, 20])
  func `second copies may follow several first copies`(length: Int) {
    let half = sampleClientHello.count / 2
    let (first, second) = (Bytes(sampleClientHello[..<half]), Bytes(sampleClientHello[half...]))
    for order in [[first, second], [second, first]] {
      var traffic = TestTraffic(port: 443)
      traffic.say(first, cutTo: length, fromClient: true)
      traffic.say(second, cutTo: length, fromClient: true)
      traffic.say(sampleServerHello, cutTo: length, fromClient: false)
      for copy in order {
        if copy == first { traffic.rewind(second.count, fromClient: true) }
        traffic.sayLate(copy, fromClient: true)
        if copy == first { traffic.lose(second, fromClient: true) }
      }
      traffic.sayLate(sampleServerHello, fromClient: false)
      Self.expectWhole(traffic.finish().first, "\(order.first == first)")
    }
  }

  @Test func `a retransmission that is truncated too, or differs, changes nothing`() {
    var other = sampleClientHello
    other[0] ^= 1
    for (again, length) in [(sampleClientHello, 42), (other, other.count)] {
      var traffic = TestTraffic(port: 443)
      traffic.say(sampleClientHello, cutTo: 42, fromClient: true)
      traffic.rewind(again.count, fromClient: true)
      traffic.say(again, cutTo: length, fromClient: true)
      traffic.say(sampleServerHello, fromClient: false)
      let session = traffic.finish().first
      #expect(session?.evidence.clientHello == .partial)
      #expect(session?.evidence.missingBytes == sampleClientHello.count - 42)
      #expect(session?.evidence.incomplete == .snaplen)
    }
  }
}
