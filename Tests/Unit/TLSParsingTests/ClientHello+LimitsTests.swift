import ByteParsing
import TestBytes
import Testing

@testable import TLSParsing

/// Tests of the limits on messages, with messages no longer than necessary to reach them.
@Suite struct ClientHelloLimitsTests {
  /// `count` empty extensions of unassigned types.
  func extensions(_ count: Int) -> [(Int, Bytes)] { (0..<count).map { (0x8000 + $0, []) } }

  /// The same extensions, encoded with their length.
  func extensionBlock(_ count: Int) -> Bytes {
    vector16(Bytes(extensions(count).map { hello(extension: $0.0, $0.1) }.joined()))
  }

  @Test func `extensions up to the limit are read, one more throws`() throws {
    let most = ClientHello.maximumExtensionCount
    var builder = HelloBuilder()
    builder.extensions = extensions(most)
    #expect(try ClientHello(builder.clientHello).extensions.count == most)
    #expect(try ServerHello(builder.serverHello).extensions.count == most)
    #expect(try EncryptedExtensions(parsing: extensionBlock(most).span).extensions.count == most)
    builder.extensions = extensions(most + 1)
    let errors: [ParseError?] = [
      #expect(throws: ParseError.self) { try ClientHello(builder.clientHello) },
      #expect(throws: ParseError.self) { try ServerHello(builder.serverHello) },
      #expect(throws: ParseError.self) { try EncryptedExtensions(parsing: extensionBlock(most + 1).span) },
    ]
    #expect(errors.map { $0?.reason } == Array(repeating: .limitReached(most), count: 3))
  }

  @Test func `a hello with too many extensions keeps the fields read before the limit`() throws {
    var builder = HelloBuilder()
    builder.extensions = [(0, vector16([0] + vector16(text("many.example"))))] + extensions(300)
    let hello = ClientHello(prefix: builder.clientHello)
    #expect(hello.serverName == text("many.example"))
    #expect(hello.fault?.reason == .limitReached(ClientHello.maximumExtensionCount))
    #expect(try ServerHello(prefix: builder.serverHello).fault != nil)
  }

  @Test func `stapled OCSP responses up to the limit are read, one more throws`() throws {
    let most = CertificateMessage.maximumCertificateCount
    func status(_ count: Int) -> Bytes { [2] + vector24(Bytes(repeating: 0, count: 3 * count)) }
    #expect(try CertificateStatus(parsing: status(most).span).responses.count == most)
    let error = #expect(throws: ParseError.self) { try CertificateStatus(parsing: status(most + 1).span) }
    #expect(error?.reason == .limitReached(most))
  }

  @Test(arguments: [CertificateMessage.Format.tls12, .tls13])
  func `certificates beyond the limit are omitted`(format: CertificateMessage.Format) {
    let most = CertificateMessage.maximumCertificateCount
    let entry = vector24([0x30]) + (format == .tls13 ? two(0) : [])
    func message(_ count: Int) -> Bytes {
      let list = vector24(Bytes(repeatElement(entry, count: count).joined()))
      return format == .tls13 ? [0] + list : list
    }
    #expect(CertificateMessage(parsing: message(most).span, format: format).isComplete)
    let over = CertificateMessage(parsing: message(most + 1).span, format: format)
    #expect(over.entries.count == most)
    #expect(over.fault?.reason == .limitReached(most))
  }
}
