import ByteParsing
import TestBytes
import Testing

import SessionModel
@testable import SessionTracking

/// Pre-shared keys of TLS 1.3: resumption keys and external ones.
@Suite struct HandshakePreSharedKeysTests {
  /// Returns a hello record with another extension, and with the lengths of record, message and extensions adjusted.
  private func adding(_ last: Bytes, to record: Bytes, extensionsAt offset: Int) -> Bytes {
    var record = record
    for low in [4, 8, offset + 1] {
      let sum = Int(record[low - 1]) << 8 + Int(record[low]) + last.count
      (record[low - 1], record[low]) = (UInt8(sum >> 8), UInt8(sum & 0xFF))
    }
    return record + last
  }

  @Test(arguments: [
    (identity: "64e5", age: "00000000", suite: "00a8", isExternal: true), ("64e5", "fad6aacb", "00a8", false),
    ("64e5", "00000000", "1302", false), ("6465", "00000000", "1302", true), ("6465", "fad6aacb", "1302", false),
  ])
  func `a PSK with a ticket age of zero is external if its identity is text or the client offers PSK cipher suites`(
    identity: String, age: String, suite: String, isExternal: Bool
  ) {
    let offer = hex("0029 002d 0008 0002 \(identity) \(age) 0021 20") + Bytes(repeating: 7, count: 32)
    var hello = sampleClientHello
    hello.replaceSubrange(50..<52, with: hex(suite))
    var traffic = TestTraffic(port: 443)
    traffic.say(adding(offer, to: hello, extensionsAt: 54), fromClient: true)
    traffic.say(
      adding(hex("0029 0002 0000"), to: sampleServerHello, extensionsAt: 47) + hex("17 0303 0003 a5a5a5"), fromClient: false)
    let session = traffic.finish().first
    #expect(session?.evidence.serverHello == .complete)
    #expect(session?.evidence.contains(.externalPSK) == isExternal)
    #expect(session?.sharedTLS?.isResumed == !isExternal)
    #expect(session?.sharedTLS?.resumption == (isExternal ? nil : .psk))
    #expect(session?.evidence.certificates == (isExternal ? .notSent : .resumed))
  }

  /// The sample ServerHello, which selects the first pre-shared key.
  private var helloWithKey: Bytes { adding(hex("0029 0002 0000"), to: sampleServerHello, extensionsAt: 47) }

  @Test(arguments: [(length: 53, isFinished: true), (69, true), (200, false), (19, false)])
  func `records of a resuming client may be early data if its hello is missing, unless they are as long as a Finished`(
    length: Int, isFinished: Bool
  ) {
    var traffic = TestTraffic(port: 443)
    traffic.lose(sampleClientHello, fromClient: true)
    let sealed = hex("17 0303") + two(length) + Bytes(repeating: 0xA5, count: length)
    traffic.say(helloWithKey + hex("17 0303 0384") + Bytes(repeating: 0xA5, count: 900), fromClient: false)
    traffic.say(hex("14 0303 0001 01") + sealed, fromClient: true)
    let session = traffic.finish().first
    #expect(session?.sharedTLS?.isResumed == true)
    #expect(session?.sharedTLS?.outcome == (isFinished ? .established : .incomplete))
    #expect(session?.evidence.incomplete == .loss)
  }

  @Test(arguments: [true, false])
  func `certificates are not called encrypted if the missing part of the ServerHello may select an offered key`(offersKey: Bool) {
    let offer = hex("0029 002d 0008 0002 64e5 fad6aacb 0021 20") + Bytes(repeating: 7, count: 32)
    var traffic = TestTraffic(port: 443)
    traffic.say(offersKey ? adding(offer, to: sampleClientHello, extensionsAt: 54) : sampleClientHello, fromClient: true)
    traffic.say(helloWithKey, cutTo: helloWithKey.count - 4, fromClient: false)
    let session = traffic.finish().first
    #expect(session?.evidence.serverHello == .partial)
    #expect(session?.sharedTLS?.isResumed == nil)
    #expect(session?.evidence.certificates == (offersKey ? .missing : .encrypted))
  }
}
