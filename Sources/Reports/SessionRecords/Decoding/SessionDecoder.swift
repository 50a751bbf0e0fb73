package import ByteParsing
import CertificateParsing
package import JSONReading
package import SessionModel

/// Reads saved sessions: the records that ``SessionEncoder`` writes become the sessions they were written from.
///
/// If a record contains a fact and a value derived from it, the fact is read: certificates are decoded again from their
/// bytes, and `ats` is skipped. Equal offers, ServerHellos and chains become one object, as they are when a capture is
/// read. Any bytes result in a session or an error.
package struct SessionDecoder {
  /// The maximum length of a line with a session: many times the longest record of a handshake within the limits of observation.
  package static let maximumLineByteCount = 16 << 20

  /// The maximum length of a line with a run, an input or a summary: a summary has about 400 bytes for each of up to 650,000 inputs.
  private static let maximumRunByteCount = 256 << 20

  package enum Line: Sendable {
    case session(ObservedSession)
    /// The record of a run. A bare one, which this program does not write, only separates runs.
    case run(isBare: Bool)
    /// The summary of a run.
    case summary(SavedSummary)
    /// The record of an input.
    case input
    /// The record of a run whose sessions were saved without certificates.
    case notRejudgeable
    /// A record of an unsupported version or schema.
    case unknown(schema: String)
    /// Only white space.
    case blank
  }

  let makeCertificate: (Bytes) -> ObservedCertificate
  private var offers = RecentTable<[ClientOffer: Shared<ClientOffer>]>(entriesPerGeneration: 1024, costPerGeneration: 2 << 20)
  private var serverHellos = RecentTable<[ServerHelloFacts: Shared<ServerHelloFacts>]>(
    entriesPerGeneration: 1024, costPerGeneration: 1 << 20)
  private var certificates = RecentTable<[ByteKey: ObservedCertificate]>(entriesPerGeneration: 4096, costPerGeneration: 8 << 20)
  private var chains = RecentTable<[ChainKey: CertificateChain]>(entriesPerGeneration: 1024, costPerGeneration: 8 << 20)

  /// The certificates of a chain by identity; the chain retains them.
  private struct ChainKey: Hashable {
    var certificates: [ObjectIdentifier]
    var isComplete: Bool
  }

  /// Creates a decoder. `makeCertificate` decodes the bytes of a certificate; it is called once for distinct bytes that are in use.
  package init(makeCertificate: @escaping (Bytes) -> ObservedCertificate) {
    self.makeCertificate = makeCertificate
  }

  /// Whether a line, or one that begins like this, is too long.
  package static func isTooLong(_ line: Span<UInt8>) -> Bool {
    line.count > maximumLineByteCount && line.count > maximumByteCount(of: line)
  }

  /// The maximum length of a line that begins like this.
  private static func maximumByteCount(of line: Span<UInt8>) -> Int {
    let start = Bytes(copying: line.extracting(first: 32))
    let isOfRun = ["run", "input", "summary"].contains { start.starts(with: "{\"schema\":\"atscope.\($0)/1\"".utf8) }
    return isOfRun ? maximumRunByteCount : maximumLineByteCount
  }

  /// The length of a byte order mark before a line. Some shells and editors begin a file with one; joined files have it within.
  private static func markLength(of line: Span<UInt8>) -> Int {
    line.count >= 3 && line[0] == 0xEF && line[1] == 0xBB && line[2] == 0xBF ? 3 : 0
  }

  /// Reads line `number` (counted from 1, for errors), given without its line feed.
  package mutating func decode(_ line: Span<UInt8>, number: Int) throws(JSONError) -> Line {
    if SessionDecoder.isTooLong(line) {
      throw JSONError(.tooLarge, in: "", line: number, offset: SessionDecoder.maximumByteCount(of: line))
    }
    var reader = JSONReader(line.extracting(SessionDecoder.markLength(of: line)..<line.count), line: number)
    if reader.readEnd() { return .blank }
    guard try reader.peek() == 0x7B else { throw reader.error(.notARecord) }
    var draft = SessionDraft()
    try draft.read(&reader, with: &self)
    guard reader.readEnd() else { throw reader.error(.unexpectedByte(try reader.peek()), in: "") }
    guard let schema = draft.schema else { throw reader.error(.notARecord, in: "schema") }
    switch schema {
    case "atscope.session/1": break
    case "atscope.run/1" where !draft.isRejudgeable: return .notRejudgeable
    case "atscope.run/1": return .run(isBare: !draft.namesTool)
    case "atscope.summary/1": return .summary(draft.summary)
    case "atscope.input/1": return .input
    default: return .unknown(schema: String(schema.prefix(64)))
    }
    return .session(try draft.session(sharingWith: &self, reader.error(.missingField)))
  }

  mutating func share(_ offer: ClientOffer) -> Shared<ClientOffer> {
    offers.value(for: offer, cost: { $0.byteCount }, make: { Shared(offer) })
  }

  mutating func share(_ serverHello: ServerHelloFacts) -> Shared<ServerHelloFacts> {
    serverHellos.value(
      for: serverHello, cost: { 128 + 2 * $0.extensions.count + ($0.alpn?.utf8.count ?? 0) },
      make: { Shared(serverHello) })
  }

  mutating func share(der: Bytes) -> ObservedCertificate {
    certificates.value(for: ByteKey(der), cost: \.byteCount, make: { makeCertificate(der) })
  }

  /// Returns the shared chain of these certificates in this order.
  mutating func share(_ list: [ObservedCertificate], isComplete: Bool) -> CertificateChain {
    let key = ChainKey(certificates: list.map(ObjectIdentifier.init), isComplete: isComplete)
    // The cost includes the certificates: the chain retains them after the table of certificates evicts them.
    return chains.value(
      for: key, cost: { $0.certificates.reduce(64) { $0 + $1.byteCount } },
      make: { CertificateChain(list, isComplete: isComplete) })
  }
}

extension ObservedCertificate {
  /// The approximate memory of the certificate in bytes: the decoded fields take several times the size of the DER.
  fileprivate var byteCount: Int { certificate.der.count * 4 + 1024 }
}

extension ClientOffer {
  /// The approximate memory of the offer in bytes.
  fileprivate var byteCount: Int {
    let codePoints =
      versions.count + cipherSuites.count + extensions.count + groups.count + signatureSchemes.count + certificateSignatureSchemes.count
    return 512 + 2 * codePoints + compressionMethods.count + alpn.reduce(0) { $0 + 16 + $1.utf8.count }
  }
}
