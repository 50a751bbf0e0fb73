import ByteParsing
import SeededRandom
import TestBytes
import Testing

@testable import TLSParsing

/// A DTLS record with the header of DTLS 1.2.
func dtlsRecord(
  _ fragment: Bytes, type: UInt8 = 22, version: Int = 0xFEFD, epoch: Int = 0, sequence: UInt8 = 0
) -> Bytes {
  [type] + two(version) + two(epoch) + [0, 0, 0, 0, 0, sequence] + vector16(fragment)
}

/// A fragment of a DTLS handshake message.
func dtlsFragment(
  _ message: Bytes, _ range: Range<Int>, type: UInt8 = 11, sequence: Int = 0, length: Int? = nil
) -> Bytes {
  let header: Bytes = [type] + three(length ?? message.count) + two(sequence)
  return header + three(range.lowerBound) + three(range.count) + message[range]
}

extension DTLSMessageAssembly {
  /// Adds the fragments in a record's payload and returns the messages that they complete.
  mutating func add(_ payload: Bytes, packet: UInt64 = 1) -> [Message] {
    let span = payload.span
    var messages: [Message] = []
    for fragment in DTLSFragment.fragments(of: span) {
      if let message = add(fragment, in: span, packet: packet) { messages.append(message) }
    }
    return messages
  }
}

@Suite struct DTLSRecordTests {
  func records(_ datagram: Bytes) -> [DTLSRecord] { DTLSRecord.records(of: datagram.span) }

  @Test func `a datagram is divided into its records`() {
    let datagram = dtlsRecord([1, 2, 3]) + dtlsRecord([9], type: 20, version: 0xFEFF, epoch: 1, sequence: 5)
    let found = records(datagram)
    #expect(found.map(\.contentType) == [.handshake, .changeCipherSpec])
    #expect(found.map(\.epoch) == [0, 1])
    #expect(found.map(\.fragment) == [13..<16, 29..<30])
    #expect(found.map(\.isProtected) == [false, true])
  }

  static let shortHeaders: [(first: UInt8, rest: Bytes, fragment: Range<Int>)] = [
    (0x2C, [0xAA, 0xBB, 0, 2, 7, 7], 5..<7), (0x28, [0xAA, 0xBB, 7, 7, 7], 3..<6),
    (0x24, [0xAA, 0, 1, 7], 4..<5), (0x20, [0xAA, 7], 2..<3), (0x3C, [1, 2, 3, 4], 1..<5),
  ]

  @Test(arguments: shortHeaders)
  func `the unified header of DTLS 1_3 is read in every form`(
    first: UInt8, rest: Bytes, fragment: Range<Int>
  ) {
    let found = records([first | 2] + rest)
    #expect(found.map(\.fragment) == [fragment])
    #expect(found.map(\.epoch) == [2])
    #expect(found.first?.isProtected == true)
    #expect(found.first?.contentType == nil)
  }

  @Test func `a DTLS 1_2 record with a connection ID extends to the end of the datagram`() {
    let found = records(dtlsRecord([1, 2, 3], type: 25, epoch: 1))
    #expect(found.map(\.fragment) == [11..<16])
    #expect(found.first?.isProtected == true)
  }

  @Test func `reading stops at bytes that are not a record`() {
    #expect(records(dtlsRecord([1]) + [0x16, 3, 3, 0, 0]).count == 1)
    #expect(records(dtlsRecord([1], type: 27)).isEmpty)
    #expect(records(dtlsRecord(Bytes(repeating: 0, count: RecordHeader.maximumFragmentLength))).count == 1)
    #expect(records(dtlsRecord(Bytes(repeating: 0, count: RecordHeader.maximumFragmentLength + 1))).isEmpty)
  }

  @Test func `records of a datagram beyond the limit are ignored`() {
    let most = DTLSRecord.maximumRecordCount
    let datagram = Bytes(repeatElement(dtlsRecord([]), count: most + 1).joined())
    #expect(records(datagram).count == most)
  }

  @Test func `truncated and changed datagrams never trap`() {
    let valid = dtlsRecord([1, 2, 3]) + [0x2E, 0xAA, 0xBB, 0, 2, 7, 7] + dtlsRecord([1], epoch: 1)
    for count in 0..<valid.count {
      #expect(records(Bytes(valid.prefix(count))).count < 3)
    }
    torment(valid) { bytes in
      for record in DTLSRecord.records(of: bytes) {
        _ = DTLSFragment.fragments(of: bytes.extracting(record.fragment))
      }
    }
  }
}

@Suite struct DTLSMessageAssemblyTests {
  let message = Bytes(0..<100)

  @Test func `a message in one fragment is complete at once`() {
    var assembly = DTLSMessageAssembly()
    let found = assembly.add(dtlsFragment(message, 0..<100, sequence: 3))
    #expect(found == [.init(type: .certificate, sequence: 3, body: message, isWhole: true, packets: [1])])
    #expect(assembly.isEmpty)
  }

  @Test func `an empty message is complete`() {
    var assembly = DTLSMessageAssembly()
    #expect(assembly.add(dtlsFragment([], 0..<0, type: 14)).map(\.type) == [.serverHelloDone])
  }

  @Test(arguments: [
    [0..<40, 40..<100], [40..<100, 0..<40], [0..<60, 30..<100], [30..<60, 0..<100],
    [0..<10, 20..<30, 5..<25, 90..<100, 25..<95], [60..<100, 30..<60, 0..<30],
    [0..<50, 0..<50, 0..<0, 50..<100],
  ])
  func `fragments in any order, with or without overlaps, complete the message`(ranges: [Range<Int>]) {
    var assembly = DTLSMessageAssembly()
    var found: [DTLSMessageAssembly.Message] = []
    for range in ranges { found += assembly.add(dtlsFragment(message, range)) }
    #expect(found.map(\.body) == [message])
    #expect(assembly.isEmpty)
    #expect(!assembly.hitLimit)
  }

  @Test func `a retransmitted message is not returned again`() {
    var assembly = DTLSMessageAssembly()
    #expect(assembly.add(dtlsFragment(message, 0..<100)).count == 1)
    #expect(assembly.add(dtlsFragment(message, 0..<100)).isEmpty)
    #expect(assembly.add(dtlsFragment(message, 0..<50)).isEmpty)
    #expect(assembly.isEmpty)
  }

  @Test func `a message lists the packets that contributed bytes to it`() throws {
    var assembly = DTLSMessageAssembly()
    _ = assembly.add(dtlsFragment(message, 40..<60), packet: 7)
    _ = assembly.add(dtlsFragment(message, 0..<40), packet: 4)
    _ = assembly.add(dtlsFragment(message, 10..<50), packet: 8)
    let whole = try #require(assembly.add(dtlsFragment(message, 60..<100), packet: 9).first)
    #expect(whole.packets == [7, 4, 9])
    for start in 0..<99 {
      _ = assembly.add(dtlsFragment(message, start..<(start + 1), sequence: 1), packet: UInt64(start) + 1)
    }
    let named = assembly.takeUnfinished().first?.packets ?? []
    #expect(named.count == DTLSMessageAssembly.maximumPacketCount)
    #expect((named.first, named.last) == (1, 99))
  }

  @Test func `a HelloVerifyRequest does not use up the sequence number of the ServerHello`() {
    var assembly = DTLSMessageAssembly()
    #expect(assembly.add(dtlsFragment(message, 0..<100, type: 3)).map(\.type) == [.helloVerifyRequest])
    #expect(assembly.add(dtlsFragment(message, 0..<100, type: 2)).map(\.type) == [.serverHello])
    #expect(assembly.add(dtlsFragment(message, 0..<100, type: 2)).isEmpty)
  }

  @Test func `the first copy of overlapping bytes is kept, and disagreeing bytes are counted`() {
    var assembly = DTLSMessageAssembly()
    _ = assembly.add(dtlsFragment(message, 0..<60))
    let found = assembly.add(dtlsFragment(Bytes(repeating: 0xEE, count: 100), 50..<100))
    let expected = Bytes(message.prefix(60)) + Bytes(repeating: 0xEE, count: 40)
    #expect(found.map(\.body) == [expected])
    #expect(assembly.disagreeingBytes == 10)
    // Retransmissions of a complete message are compared as well.
    _ = assembly.add(dtlsFragment(expected, 0..<100), packet: 5)
    #expect(assembly.disagreeingBytes == 10)
    _ = assembly.add(dtlsFragment(Bytes(repeating: 0xEE, count: 100), 0..<1), packet: 6)
    #expect(assembly.disagreeingBytes == 11)
    #expect(assembly.disputePacket == 1)
  }

  @Test func `an incomplete message is returned up to its first gap`() {
    var assembly = DTLSMessageAssembly()
    _ = assembly.add(dtlsFragment(message, 0..<10, sequence: 2))
    _ = assembly.add(dtlsFragment(message, 20..<30, sequence: 2))
    _ = assembly.add(dtlsFragment(message, 50..<60, sequence: 1))
    let rest = assembly.takeUnfinished()
    #expect(rest.map(\.sequence) == [1, 2])
    #expect(rest.map(\.body) == [[], Bytes(message.prefix(10))])
    #expect(rest.allSatisfy { !$0.isWhole })
    #expect(assembly.isEmpty)
  }

  @Test func `a fragment whose length or type contradicts the others is ignored`() {
    var assembly = DTLSMessageAssembly()
    _ = assembly.add(dtlsFragment(message, 0..<50))
    #expect(assembly.add(dtlsFragment(message, 50..<100, length: 101)).isEmpty)
    #expect(assembly.add(dtlsFragment(message, 50..<100, type: 12)).isEmpty)
    #expect(assembly.add(dtlsFragment(message, 50..<100)).map(\.body) == [message])
  }

  @Test func `a fragment that exceeds its message throws`() {
    var reader = ByteReader(dtlsFragment(message, 50..<100, length: 99).span)
    let fragment = try? DTLSFragment(from: &reader)
    #expect(fragment == nil)
  }

  @Test func `every exceeded limit is reported`() {
    var long = DTLSMessageAssembly()
    #expect(long.add(dtlsFragment([1], 0..<1, length: HandshakeHeader.maximumLength)).isEmpty)
    #expect(!long.hitLimit)
    #expect(long.add(dtlsFragment([1], 0..<1, length: HandshakeHeader.maximumLength + 1)).isEmpty)
    #expect(long.hitLimit)

    var late = DTLSMessageAssembly()
    let last = Int(DTLSMessageAssembly.maximumSequence)
    #expect(late.add(dtlsFragment(message, 0..<100, sequence: last)).count == 1)
    #expect(!late.hitLimit)
    #expect(late.add(dtlsFragment(message, 0..<100, sequence: last + 1)).isEmpty)
    #expect(late.hitLimit)

    var many = DTLSMessageAssembly()
    for sequence in 0..<DTLSMessageAssembly.maximumOpenMessageCount {
      _ = many.add(dtlsFragment(message, 0..<50, sequence: sequence))
    }
    #expect(!many.hitLimit)
    _ = many.add(dtlsFragment(message, 0..<50, sequence: 99))
    #expect(many.hitLimit)
    #expect(many.takeUnfinished().count == DTLSMessageAssembly.maximumOpenMessageCount)

    var torn = DTLSMessageAssembly()
    let most = DTLSMessageAssembly.maximumPieceCount
    let bytes = Bytes(repeating: 5, count: 2 * most + 2)
    for index in 0..<most { _ = torn.add(dtlsFragment(bytes, (2 * index)..<(2 * index + 1))) }
    #expect(!torn.hitLimit)
    _ = torn.add(dtlsFragment(bytes, (2 * most)..<(2 * most + 1)))
    #expect(torn.hitLimit)
  }

  @Test func `random fragments yield the message or its beginning`() {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<500 {
      var assembly = DTLSMessageAssembly()
      var found: [DTLSMessageAssembly.Message] = []
      for _ in 0..<40 {
        let start = Int.random(in: 0...100, using: &random)
        let end = Int.random(in: start...100, using: &random)
        found += assembly.add(dtlsFragment(message, start..<end))
      }
      if found.isEmpty {
        let start = assembly.takeUnfinished().first?.body ?? []
        #expect(start == Bytes(message.prefix(start.count)))
      } else {
        #expect(found.map(\.body) == [message])
      }
    }
  }
}

@Suite struct DTLSHelloTests {
  /// A DTLS 1.2 ClientHello with a cookie.
  static let clientHello: Bytes = {
    let fixed = two(0xFEFD) + Bytes(0..<32) + vector8([]) + vector8([0xC0, 0x0C, 0x1E])
    let block = vector16(
      hello(extension: 0, vector16([0] + vector16(text("dtls.example")))) + hello(extension: 23, []))
    return fixed + vector16(codePoints([0xC02B, 0xC02F])) + vector8([0]) + block
  }()

  @Test func `a DTLS ClientHello has a cookie after its session ID`() throws {
    let hello = try ClientHello(parsing: Self.clientHello.span, format: .dtls)
    #expect(hello.format == .dtls)
    #expect(hello.offeredVersions == [.dtls12])
    #expect(hello.cipherSuites.map(\.rawValue) == [0xC02B, 0xC02F])
    #expect(hello.serverName == text("dtls.example"))
    let prefix = ClientHello(parsingPrefix: Self.clientHello.span, format: .dtls)
    #expect(prefix == hello)
    // A hello without extensions ends after its compression methods.
    let end = 2 + 32 + 1 + 4 + 6 + 2
    #expect(prefixesTaken(of: Self.clientHello) { _ = try ClientHello(parsing: $0, format: .dtls) } == [end])
    torment(Self.clientHello) {
      _ = ClientHello(parsingPrefix: $0, format: .dtls)
      _ = try ClientHello(parsing: $0, format: .dtls)
    }
  }

  @Test func `JA4 contains the transport and the newest DTLS version, JA3 the legacy version`() throws {
    var hello = try ClientHello(parsing: Self.clientHello.span, format: .dtls)
    #expect(JA4Inputs(of: hello, transport: .dtls).a == "dd2d020200")
    hello.offeredVersions = [.dtls12, .dtls13]
    #expect(JA4Inputs(of: hello, transport: .dtls).a == "dd3d020200")
    #expect(ja3String(of: hello) == "65277,49195-49199,0-23,,")
  }
}

@Suite struct OtherCredentialTests {
  @Test func `certificate types are read from ServerHello and EncryptedExtensions`() throws {
    var builder = HelloBuilder()
    builder.extensions = [(20, [2]), (15, [1]), (19, [2])]
    let answer = try ServerHello(builder.serverHello)
    #expect(answer.serverCertificateType == 2)
    #expect(answer.clientCertificateType == 2)
    let encrypted = vector16(TLSParsingTests.hello(extension: 20, [2]))
    #expect(try EncryptedExtensions(parsing: encrypted.span).serverCertificateType == 2)
    let requesting = vector16(TLSParsingTests.hello(extension: 19, [2]))
    #expect(try EncryptedExtensions(parsing: requesting.span).clientCertificateType == 2)
  }

  @Test func `a delegated credential is found in the extensions of its certificate`() throws {
    let key: Bytes = [0x30, 3, 1, 2, 3]
    let credential = joined([0, 1, 0x51, 0x80], two(0x0403), vector24(key), two(0x0804), vector16([9, 9]))
    let body = vector8([]) + vector24(vector24([0x30, 0]) + vector16(hello(extension: 34, credential)))
    let message = CertificateMessage(parsing: body.span, format: .tls13)
    let range = try #require(message.entries.first?.delegatedCredential)
    #expect(Bytes(body[range]) == credential)
  }

  @Test func `a CertificateVerify has a signature scheme and a signature`() throws {
    let body = two(0x0804) + vector16([1, 2, 3])
    let verify = try CertificateVerify(parsing: body.span)
    #expect(verify.scheme.name == "rsa_pss_rsae_sha256" && verify.signatureRange == 4..<7)
    #expect(prefixesTaken(of: body) { _ = try CertificateVerify(parsing: $0) }.isEmpty)
  }
}
