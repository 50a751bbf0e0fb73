import ByteParsing
import Testing

@testable import TLSParsing

/// What bounds a message is reached by a message that is no longer than the limit asks for.
@Suite struct ClientHelloLimitsTests {
  /// So many empty extensions of types that nobody uses.
  func extensions(_ count: Int) -> [(Int, Bytes)] { (0..<count).map { (0x8000 + $0, []) } }

  /// The same on the wire, with their length.
  func extensionBlock(_ count: Int) -> Bytes {
    vector16(Bytes(extensions(count).map { hello(extension: $0.0, $0.1) }.joined()))
  }

  @Test func `as many extensions as the limit says are read, one more throws`() throws {
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

  @Test func `what was read of a hello before the limit is kept`() throws {
    var builder = HelloBuilder()
    builder.extensions = [(0, vector16([0] + vector16(ascii("many.example"))))] + extensions(300)
    let hello = ClientHello(prefix: builder.clientHello)
    #expect(hello.serverName == ascii("many.example"))
    #expect(hello.fault?.reason == .limitReached(ClientHello.maximumExtensionCount))
    #expect(try ServerHello(prefix: builder.serverHello).fault != nil)
  }

  @Test func `a list of stapled responses has an end`() throws {
    let most = CertificateMessage.maximumCertificateCount
    func status(_ count: Int) -> Bytes { [2] + vector24(Bytes(repeating: 0, count: 3 * count)) }
    #expect(try CertificateStatus(parsing: status(most).span).responses.count == most)
    let error = #expect(throws: ParseError.self) { try CertificateStatus(parsing: status(most + 1).span) }
    #expect(error?.reason == .limitReached(most))
  }

  @Test(arguments: [CertificateMessage.Format.tls12, .tls13])
  func `certificates beyond the limit are left out`(format: CertificateMessage.Format) {
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
