import ByteParsing
import TestBytes
import Testing

@testable import TLSParsing

@Suite struct TLSRecognitionTests {
  func recognized(_ bytes: Bytes, _ recognizer: (Span<UInt8>) -> TLSRecognition) -> TLSRecognition {
    recognizer(bytes.span)
  }

  /// A record that holds one handshake message.
  func record(_ message: Bytes, type: UInt8 = 1, version: Int = 0x0301) -> Bytes {
    [22] + two(version) + vector16([type] + vector24(message))
  }

  @Test func `six bytes of a hello suffice to recognize it`() {
    for whole in [record(rfc8448ClientHello), record(rfc8448ServerHello, type: 2, version: 0x0303)] {
      for count in 0...whole.count {
        #expect(
          recognized(Bytes(whole.prefix(count)), TLSRecognition.handshakeStart)
            == (count < 6 ? .needMore : .yes))
      }
    }
  }

  @Test func `a hello of a draft and one in several records are recognized`() {
    let draft = record(two(0x7F12) + Bytes(repeating: 1, count: 40), type: 2)
    #expect(recognized(draft, TLSRecognition.handshakeStart) == .yes)
    #expect(recognized([22, 3, 1, 0, 1, 1, 22, 3, 1], TLSRecognition.handshakeStart) == .yes)
    let header = hex("16 0301 0001 01  16 0303 0003 000060  16 0301 0040 03 03")
    for count in 6...header.count {
      #expect(recognized(Bytes(header.prefix(count)), TLSRecognition.handshakeStart) == .yes)
    }
    // A record of the maximum length with the beginning of a longer message.
    #expect(recognized([22, 3, 1, 0x40, 0, 1, 0, 0x60, 0, 3, 3], TLSRecognition.handshakeStart) == .yes)
  }

  @Test(
    arguments: [
      [23, 3, 3, 0, 50, 1], [22, 2, 0, 0, 50, 1], [22, 3, 5, 0, 50, 1], [22, 3, 1, 0, 0, 1],
      [22, 3, 1, 0x48, 1, 1],
      [22, 3, 1, 0, 50, 11], [22, 3, 1, 0, 50, 0], [22, 3, 1, 0, 50, 1, 2], [22, 3, 1, 0, 50, 1, 0, 0, 10],
      [22, 3, 1, 0, 50, 1, 0, 0, 46, 4], [21, 3, 1, 0, 2, 2, 40], [0x47],
      // In several records.
      [22, 3, 3, 0, 1, 1, 22, 3, 3, 0, 1, 44], [22, 3, 3, 0, 1, 1, 23], [22, 3, 3, 0, 1, 1, 22, 3, 3, 0, 0],
      [22, 3, 3, 0, 2, 2, 0, 22, 3, 3, 0, 2, 0, 10], [22, 3, 1, 0, 4, 1, 0, 0, 46, 22, 3, 1, 0, 42, 4],
    ] as [Bytes])
  func `bytes that are not a hello are rejected`(bytes: Bytes) {
    #expect(recognized(bytes, TLSRecognition.handshakeStart) == .no)
  }

  @Test func `a cleartext alert is recognized`() {
    let alert: Bytes = [21, 3, 1, 0, 2, 2, 40, 0]
    for count in 0...alert.count {
      #expect(
        recognized(Bytes(alert.prefix(count)), TLSRecognition.alertStart) == (count < 7 ? .needMore : .yes))
    }
    for wrong in [[21, 3, 1, 0, 26, 1, 2], [21, 3, 1, 0, 2, 3, 40], [21, 3, 1, 0, 2, 2, 200], [22]] as [Bytes] {
      #expect(recognized(wrong, TLSRecognition.alertStart) == .no)
    }
  }

  @Test(arguments: [0x0002, 0x0300, 0x0301, 0x0303])
  func `a ClientHello in SSL 2 format is recognized`(version: Int) {
    let message: Bytes = [1] + two(version) + two(6) + two(0) + two(16) + Bytes(repeating: 1, count: 22)
    let whole = [0x80, UInt8(message.count)] + message
    for count in 0...whole.count {
      let prefix = Bytes(whole.prefix(count))
      #expect(recognized(prefix, TLSRecognition.ssl2ClientHello) == (count < 11 ? .needMore : .yes))
      #expect(recognized(prefix, TLSRecognition.ssl2Hello) == (count < 11 ? .needMore : .yes))
    }
  }

  @Test func `an SSL 2 ServerHello is recognized`() {
    let message: Bytes = [4, 0, 1, 0, 2] + two(5) + two(3) + two(16) + Bytes(repeating: 1, count: 24)
    let whole = [0x80, UInt8(message.count)] + message
    for count in 0...whole.count {
      let prefix = Bytes(whole.prefix(count))
      #expect(recognized(prefix, TLSRecognition.ssl2ServerHello) == (count < 13 ? .needMore : .yes))
      #expect(recognized(prefix, TLSRecognition.ssl2Hello) == (count < 13 ? .needMore : .yes))
    }
  }

  @Test(
    arguments: [
      [0x00, 31, 1, 0, 2], [0x80, 31, 2], [0x80, 31, 1, 1], [0x80, 31, 1, 0, 3], [0x80, 31, 1, 3, 5],
      [0x80, 31, 1, 0, 2, 0, 5, 0, 0, 0, 16], [0x80, 31, 1, 0, 2, 0, 0, 0, 0, 0, 22],
      [0x80, 31, 1, 0, 2, 0, 6, 0, 1, 0, 15], [0x80, 30, 1, 0, 2, 0, 6, 0, 0, 0, 16],
      [0x80, 31, 1, 0, 2, 0, 6, 0, 0, 0, 15], [0x80, 40, 4, 2], [0x80, 40, 4, 0, 2], [0x80, 40, 4, 0, 1, 3],
      [0x80, 40, 4, 0, 1, 0, 2, 0, 5, 0, 4, 0, 16], [0x80, 34, 4, 0, 1, 0, 2, 0, 5, 0, 3, 0, 16],
    ] as [Bytes])
  func `bytes that are not an SSL 2 hello are rejected`(bytes: Bytes) {
    #expect(recognized(bytes, TLSRecognition.ssl2Hello) == .no)
  }

  @Test func `a DTLS hello is recognized`() {
    let datagram: Bytes = [22, 0xFE, 0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 60, 1, 0, 0, 48]
    for count in 0...datagram.count {
      #expect(
        recognized(Bytes(datagram.prefix(count)), TLSRecognition.dtlsHello)
          == (count < 14 ? .needMore : .yes))
    }
    #expect(recognized([22, 3, 3], TLSRecognition.dtlsHello) == .no)
    #expect(recognized([23], TLSRecognition.dtlsHello) == .no)
    #expect(
      recognized([22, 0xFE, 0xFD, 0, 1, 0, 0, 0, 0, 0, 0, 0, 60, 1], TLSRecognition.dtlsHello) == .no)
  }

  @Test func `no bytes make recognition trap`() {
    torment([0x80, 31, 1, 0, 2, 0, 6, 0, 0, 0, 16] + record(rfc8448ClientHello)) { bytes in
      _ = TLSRecognition.handshakeStart(bytes)
      _ = TLSRecognition.alertStart(bytes)
      _ = TLSRecognition.ssl2Hello(bytes)
      _ = TLSRecognition.dtlsHello(bytes)
      _ = try RecordHeader(parsing: bytes)
    }
  }

  @Test func `a record header is read and checked for plausibility`() throws {
    let bytes: Bytes = [22, 3, 1, 1, 0x2C, 0xFF]
    let header = try RecordHeader(parsing: bytes.span)
    #expect(header.contentType == .handshake)
    #expect(header.version == .tls10)
    #expect(header.length == 300)
    #expect(header.isPlausible)
    for implausible in [
      [19, 3, 1, 0, 1], [25, 3, 1, 0, 1], [22, 2, 0, 0, 1], [22, 3, 5, 0, 1], [22, 3, 1, 0x48, 1],
    ]
      as [Bytes]
    {
      #expect(try !RecordHeader(parsing: implausible.span).isPlausible)
    }
    #expect(prefixesTaken(of: [22, 3, 1, 1, 0x2C]) { _ = try RecordHeader(parsing: $0) } == [])
  }

  @Test func `handshake headers and alerts are read`() throws {
    let header: Bytes = [11, 1, 2, 3]
    let handshake = try HandshakeHeader(parsing: header.span)
    #expect(handshake.type == .certificate)
    #expect(handshake.length == 0x01_0203)
    #expect(prefixesTaken(of: header) { _ = try HandshakeHeader(parsing: $0) } == [])

    let bytes: Bytes = [2, 48]
    let alert = try Alert(parsing: bytes.span)
    #expect(alert.level == 2)
    #expect(alert.description == .unknownCA)
    #expect(prefixesTaken(of: bytes) { _ = try Alert(parsing: $0) } == [])
    for wrong in [[3, 48], [2, 48, 0], [0, 0]] as [Bytes] {
      #expect(prefixesTaken(of: wrong + [0]) { _ = try Alert(parsing: $0) }.last != wrong.count)
    }
  }
}
