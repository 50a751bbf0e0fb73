import ByteParsing
import TestBytes
import Testing

@testable import TLSParsing

/// A hello that a real client sent to a loopback address, with its fingerprints as another program computed them.
struct RecordedHello: Sendable, CustomTestStringConvertible {
  var client: String
  var bytes: Bytes
  var ja3: String
  var ja4a: String
  var ja4ciphers: String
  var ja4extensions: String

  var testDescription: String { client }

  static let all: [RecordedHello] = [
    RecordedHello(
      client: "OpenSSL 3.0, TLS 1.3",
      bytes: hex(
        """
        0303c1f52a0d6e620e1a040e94dae3e6df0e10d9f368adcca35212c7e34b14436c172031257086ca5df17ee668205dd7f7a99d055f70
        817a0b664aafb5ec974a88a1ba003e130213031301c02cc030009fcca9cca8ccaac02bc02f009ec024c028006bc023c0270067c00ac0
        140039c009c0130033009d009c003d003c0035002f00ff010000a80000000b0009000006612e74657374000b000403000102000a0016
        0014001d0017001e0019001801000101010201030104002300000016000000170000000d002a0028040305030603080708080809080a
        080b080408050806040105010601030303010302040205020602002b0009080304030303020301002d00020101003300260024001d00
        209e69abdeb6b1bae32640fa7f6bc0d476d073047893e36d49e6ed933eecef1077
        """),
      ja3:
        "771,4866-4867-4865-49196-49200-159-52393-52392-52394-49195-49199-158-49188-49192-107-491"
        + "87-49191-103-49162-49172-57-49161-49171-51-157-156-61-60-53-47-255,0-11-10-35-22-23-13-4"
        + "3-45-51,29-23-30-25-24-256-257-258-259-260,0-1-2",
      ja4a: "t13d311000",
      ja4ciphers:
        "002f,0033,0035,0039,003c,003d,0067,006b,009c,009d,009e,009f,00ff,1301,1302,1303,c009,c00"
        + "a,c013,c014,c023,c024,c027,c028,c02b,c02c,c02f,c030,cca8,cca9,ccaa",
      ja4extensions:
        "000a,000b,000d,0016,0017,0023,002b,002d,0033_0403,0503,0603,0807,0808,0809,080a,080b,080"
        + "4,0805,0806,0401,0501,0601,0303,0301,0302,0402,0502,0602"),
    RecordedHello(
      client: "OpenSSL 3.0 held to TLS 1.2, two protocol names",
      bytes: hex(
        """
        03030947248de2475ccc6757d7cc677e24038590b27ec577e5ff734ca9babc461569000038c02cc030009fcca9cca8ccaac02bc02f00
        9ec024c028006bc023c0270067c00ac0140039c009c0130033009d009c003d003c0035002f00ff01000064000b000403000102000a00
        0c000a001d0017001e00190018002300000010000e000c08687474702f312e310268320016000000170000000d002a00280403050306
        03080708080809080a080b080408050806040105010601030303010302040205020602
        """),
      ja3:
        "771,49196-49200-159-52393-52392-52394-49195-49199-158-49188-49192-107-49187-49191-103-49"
        + "162-49172-57-49161-49171-51-157-156-61-60-53-47-255,11-10-35-16-22-23-13,29-23-30-25-24,"
        + "0-1-2",
      ja4a: "t12i2807h1",
      ja4ciphers:
        "002f,0033,0035,0039,003c,003d,0067,006b,009c,009d,009e,009f,00ff,c009,c00a,c013,c014,c02"
        + "3,c024,c027,c028,c02b,c02c,c02f,c030,cca8,cca9,ccaa",
      ja4extensions:
        "000a,000b,000d,0016,0017,0023_0403,0503,0603,0807,0808,0809,080a,080b,0804,0805,0806,040"
        + "1,0501,0601,0303,0301,0302,0402,0502,0602"),
    RecordedHello(
      client: "OpenSSL 3.0 held to TLS 1.0",
      bytes: hex(
        """
        030183eace1747bd6f67b6f552ec0b61a2c41839701a1eed9f0a5d3246434366479a00002ec00ac0140039003800880087c019003a00
        89c009c0130033003200450044c0180034004600350084002f004100ff01000024000b000403000102000a000c000a001d0017001e00
        190018002300000016000000170000
        """),
      ja3:
        "769,49162-49172-57-56-136-135-49177-58-137-49161-49171-51-50-69-68-49176-52-70-53-132-47"
        + "-65-255,11-10-35-22-23,29-23-30-25-24,0-1-2",
      ja4a: "t10i230500",
      ja4ciphers:
        "002f,0032,0033,0034,0035,0038,0039,003a,0041,0044,0045,0046,0084,0087,0088,0089,00ff,c00"
        + "9,c00a,c013,c014,c018,c019",
      ja4extensions: "000a,000b,0016,0017,0023"),
    RecordedHello(
      client: "OpenSSL 3.0 with one suite and one scheme",
      bytes: hex(
        """
        03036582ef7af2459d86464ad18da5625c5ed02381030a691733f7e812109e57f520000004002f00ff01000018001000040002017800
        16000000170000000d000400020401
        """),
      ja3: "771,47-255,16-22-23-13,,",
      ja4a: "t12i0204xx",
      ja4ciphers: "002f,00ff",
      ja4extensions: "000d,0016,0017_0401"),
    RecordedHello(
      client: "GnuTLS 3.7",
      bytes: hex(
        """
        0303a5b2c00928f2a8ef5184b49177e6ce891a28cd4674b4d8c5800f7d12f500c8c02091eb22ac35fb53fad22caa22f4ddcfcf993409
        616a4ac499c3df351694469d4f003a1302130313011304c02ccca9c0adc00ac02bc0acc009c030cca8c014c02fc013009dc09d003500
        9cc09c002f009fccaac09f0039009ec09e0033010000e9000500050100000000000a00160014001700180019001d001e010001010102
        01030104000b00020100000d00220020040108090804040308070501080a0805050308080601080b0806060302010203001600000017
        0000002300000033006b0069001700410434d3fece555d4b51f91fbb16655d29b307ec88bc4de199c964110139870e5d6d6f02c13745
        dd5d29b9c63e72f49816dff1833098e6426b207351c2bf204283d9001d00208235514cca6664d445e3fe1d1c12f6f45c9b548e310b11
        37a913402e97d3661b002b0009080304030303020301ff01000100002d0003020100001c00024001
        """),
      ja3:
        "771,4866-4867-4865-4868-49196-52393-49325-49162-49195-49324-49161-49200-52392-49172-4919"
        + "9-49171-157-49309-53-156-49308-47-159-52394-49311-57-158-49310-51,5-10-11-13-22-23-35-51"
        + "-43-65281-45-28,23-24-25-29-30-256-257-258-259-260,0",
      ja4a: "t13i291200",
      ja4ciphers:
        "002f,0033,0035,0039,009c,009d,009e,009f,1301,1302,1303,1304,c009,c00a,c013,c014,c02b,c02"
        + "c,c02f,c030,c09c,c09d,c09e,c09f,c0ac,c0ad,cca8,cca9,ccaa",
      ja4extensions:
        "0005,000a,000b,000d,0016,0017,001c,0023,002b,002d,0033,ff01_0401,0809,0804,0403,0807,050"
        + "1,080a,0805,0503,0808,0601,080b,0806,0603,0201,0203"),
    RecordedHello(
      client: "curl 7.88",
      bytes: hex(
        """
        0303e76590f1ed48742725947d92e81f91eb4270f14c52153c2f3a019356231252ec203c04a5197a0721f85cab32272cf959bd9644cf
        6ce682fa324a441d7fd4723b08003e130213031301c02cc030009fcca9cca8ccaac02bc02f009ec024c028006bc023c0270067c00ac0
        140039c009c0130033009d009c003d003c0035002f00ff010001750000000b0009000006622e74657374000b000403000102000a0016
        0014001d0017001e00190018010001010102010301040010000e000c02683208687474702f312e31001600000017000000310000000d
        002a0028040305030603080708080809080a080b080408050806040105010601030303010302040205020602002b0009080304030303
        020301002d00020101003300260024001d0020ee4429d73a4ef4420814bbf15b2e69b8665a596a5019e293eeca611c9cd81d03001500
        b70000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
        000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
        000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
        00000000000000000000000000000000000000000000
        """),
      ja3:
        "771,4866-4867-4865-49196-49200-159-52393-52392-52394-49195-49199-158-49188-49192-107-491"
        + "87-49191-103-49162-49172-57-49161-49171-51-157-156-61-60-53-47-255,0-11-10-16-22-23-49-1"
        + "3-43-45-51-21,29-23-30-25-24-256-257-258-259-260,0-1-2",
      ja4a: "t13d3112h2",
      ja4ciphers:
        "002f,0033,0035,0039,003c,003d,0067,006b,009c,009d,009e,009f,00ff,1301,1302,1303,c009,c00"
        + "a,c013,c014,c023,c024,c027,c028,c02b,c02c,c02f,c030,cca8,cca9,ccaa",
      ja4extensions:
        "000a,000b,000d,0015,0016,0017,002b,002d,0031,0033_0403,0503,0603,0807,0808,0809,080a,080"
        + "b,0804,0805,0806,0401,0501,0601,0303,0301,0302,0402,0502,0602"),
  ]
}

@Suite struct JA3JA4Tests {
  @Test(arguments: RecordedHello.all)
  func `the fingerprints of a recorded hello match those of another program`(recorded: RecordedHello)
    throws
  {
    let hello = try ClientHello(recorded.bytes)
    #expect(ja3String(of: hello) == recorded.ja3)
    let inputs = JA4Inputs(of: hello)
    #expect(inputs.a == recorded.ja4a)
    #expect(inputs.ciphers == recorded.ja4ciphers)
    #expect(inputs.extensions == recorded.ja4extensions)
  }

  /// The example in the description of JA4.
  @Test func `JA4 inputs match the published example, without GREASE`() throws {
    var builder = HelloBuilder()
    builder.suites = [
      0x3A3A, 0x1301, 0x1302, 0x1303, 0xC02B, 0xC02F, 0xC02C, 0xC030, 0xCCA9, 0xCCA8, 0xC013, 0xC014, 0x009C,
      0x009D,
      0x002F, 0x0035,
    ]
    let bodies: [Int: Bytes] = [
      0x000D: vector16(codePoints([0x0403, 0x0804, 0x0401, 0x0503, 0x0805, 0x0501, 0x0806, 0x0601])),
      0x0010: vector16(vector8(text("h2")) + vector8(text("http/1.1"))),
      0x002B: vector8(codePoints([0x1A1A, 0x0304, 0x0303])),
      0x0000: vector16([0] + vector16(text("a.example"))),
    ]
    let types = [
      0x5A5A, 0x001B, 0x0000, 0x0033, 0x0010, 0x4469, 0x0017, 0x002D, 0x000D, 0x0005, 0x0023, 0x0012, 0x002B,
      0xFF01,
      0x000B, 0x000A, 0x0015, 0x6A6A,
    ]
    builder.extensions = types.map { ($0, bodies[$0] ?? []) }
    let inputs = JA4Inputs(of: try ClientHello(builder.clientHello))
    #expect(inputs.a == "t13d1516h2")
    #expect(inputs.ciphers == "002f,0035,009c,009d,1301,1302,1303,c013,c014,c02b,c02c,c02f,c030,cca8,cca9")
    #expect(
      inputs.extensions
        == "0005,000a,000b,000d,0012,0015,0017,001b,0023,002b,002d,0033,4469,ff01"
        + "_0403,0804,0401,0503,0805,0501,0806,0601")
  }

  @Test func `JA3 omits GREASE values`() throws {
    let hello = try ClientHello(HelloBuilder.full.clientHello)
    #expect(
      ja3String(of: hello)
        == "771,4865-4866-49195-255,0-23-65281-10-11-35-16-5-17-13-50-18-51-45-43-27-34-15-42-65037-21-41,"
        + "4588-29-23-24,0")
  }

  @Test(
    arguments: [
      ([0xAB], "ab"), ([0xAB, 0xCD], "ad"), ([0x30, 0xAB], "3b"), ([0x30, 0x31, 0xAB, 0xCD], "3d"),
      ([0x30, 0xAB, 0xCD, 0x31], "01"), ([0x78], "xx"), ([0x68, 0x32], "h2"),
    ] as [(Bytes, String)])
  func `JA4 contains first and last character of the ALPN name, or of its hexadecimal form`(name: Bytes, ends: String) throws {
    var builder = HelloBuilder()
    builder.extensions = [(16, vector16(vector8(name)))]
    #expect(JA4Inputs(of: try ClientHello(builder.clientHello)).a.hasSuffix("0201" + ends))
  }

  @Test func `a hello without extensions and cipher suites has empty fingerprint lists`() throws {
    var builder = HelloBuilder()
    builder.suites = []
    builder.hasExtensionBlock = false
    let hello = try ClientHello(builder.clientHello)
    let inputs = JA4Inputs(of: hello, transport: .quic)
    #expect(inputs.a == "q12i000000")
    #expect(inputs.ciphers.isEmpty && inputs.extensions.isEmpty)
    #expect(ja3String(of: hello) == "771,,,,")
  }

  @Test func `JA3 and JA3S keep a version or a chosen cipher suite that looks like GREASE`() throws {
    var builder = HelloBuilder()
    builder.legacyVersion = 0x0A0A
    builder.suites = [0x1A1A, 5]
    builder.hasExtensionBlock = false
    #expect(ja3String(of: try ClientHello(builder.clientHello)) == "2570,5,,,")
    builder.legacyVersion = 0x0303
    #expect(ja3sString(of: try ServerHello(builder.serverHello)) == "771,6682,")
  }

  @Test func `JA4 has no underscore without signature schemes`() throws {
    var builder = HelloBuilder()
    builder.extensions = [(23, []), (0, []), (5, [])]
    let inputs = JA4Inputs(of: try ClientHello(builder.clientHello))
    #expect(inputs.extensions == "0005,0017")
    #expect(inputs.a == "t12d020300")
  }

  @Test func `JA4 counts are capped at 99`() throws {
    var builder = HelloBuilder()
    builder.suites = Array(1...150)
    builder.extensions = (0..<120).map { (0x8000 + $0, []) }
    #expect(JA4Inputs(of: try ClientHello(builder.clientHello)).a == "t12i999900")
  }

  @Test func `JA3S contains version, cipher suite and extensions`() throws {
    #expect(ja3sString(of: try ServerHello(rfc8448ServerHello)) == "771,4865,51-43")
    var builder = HelloBuilder()
    builder.hasExtensionBlock = false
    builder.suites = [0x0005]
    #expect(ja3sString(of: try ServerHello(builder.serverHello)) == "771,5,")
  }
}
