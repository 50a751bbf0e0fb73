package import ByteParsing
import CertificateParsing
package import JSONReading
package import SessionModel

/// Reads saved sessions: the lines that ``SessionEncoder`` writes give again what they were written from.
///
/// What a record says twice is taken from the facts, not from what was derived from them: certificates are decoded
/// anew from their bytes, and `ats` is skipped. Equal offers, ServerHellos and chains become one object, as they are when
/// a capture is read. Any bytes give a session or an error.
package struct SessionDecoder {
  /// The longest line: many times the longest record of a handshake within the limits that observation keeps.
  package static let maximumLineByteCount = 16 << 20

  package enum Line: Sendable {
    case session(ObservedSession)
    /// Another record: of the run, or of its summary.
    case other(schema: String)
    /// The record of a run whose sessions were saved without certificates.
    case notRejudgeable
    /// A record that is not read: of another version, or of something else.
    case unknown(schema: String)
    /// Nothing but white space.
    case blank
  }

  let makeCertificate: (Bytes) -> ObservedCertificate
  private var offers = RecentTable<[ClientOffer: Shared<ClientOffer>]>(maximumCount: 1024, maximumCost: 2 << 20)
  private var serverHellos = RecentTable<[ServerHelloFacts: Shared<ServerHelloFacts>]>(
    maximumCount: 1024, maximumCost: 1 << 20)
  private var certificates = RecentTable<[ByteKey: ObservedCertificate]>(maximumCount: 4096, maximumCost: 8 << 20)
  private var chains = RecentTable<[ChainKey: CertificateChain]>(maximumCount: 1024, maximumCost: 8 << 20)

  /// The certificates of a chain by identity; the chain holds them.
  private struct ChainKey: Hashable {
    var certificates: [ObjectIdentifier]
    var isComplete: Bool
  }

  /// Takes what makes a certificate of its bytes; it is called once for each distinct one, as long as that is in use.
  package init(makeCertificate: @escaping (Bytes) -> ObservedCertificate) {
    self.makeCertificate = makeCertificate
  }

  /// Reads line `number` (counted from 1, for errors), given without its line feed.
  package mutating func decode(_ line: Span<UInt8>, number: Int) throws(SessionRecordError) -> Line {
    guard line.count <= SessionDecoder.maximumLineByteCount else {
      throw SessionRecordError(.tooLarge, in: "", line: number, offset: SessionDecoder.maximumLineByteCount)
    }
    var reader = JSONReader(line, line: number)
    if reader.readEnd() { return .blank }
    guard try reader.peek() == 0x7B else { throw reader.error(.notARecord) }
    var draft = SessionDraft()
    try draft.read(&reader, with: &self)
    guard reader.readEnd() else { throw reader.error(.unexpectedByte(try reader.peek()), in: "") }
    guard let schema = draft.schema else { throw reader.error(.notARecord, in: "schema") }
    switch schema {
    case "atscope.session/1": break
    case "atscope.run/1" where !draft.isRejudgeable: return .notRejudgeable
    case "atscope.run/1", "atscope.summary/1", "atscope.input/1": return .other(schema: schema)
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

  /// One object for the same certificates in the same order.
  mutating func share(_ list: [ObservedCertificate], isComplete: Bool) -> CertificateChain {
    let key = ChainKey(certificates: list.map(ObjectIdentifier.init), isComplete: isComplete)
    // The chain keeps its certificates in memory, even when nothing else does any longer.
    return chains.value(
      for: key, cost: { $0.certificates.reduce(64) { $0 + $1.byteCount } },
      make: { CertificateChain(list, isComplete: isComplete) })
  }
}

extension ObservedCertificate {
  /// About what the certificate takes in memory: what decoding keeps is some times the size of the bytes.
  fileprivate var byteCount: Int { certificate.der.count * 4 + 1024 }
}

extension ClientOffer {
  /// About what the offer takes in memory.
  fileprivate var byteCount: Int {
    let codePoints =
      versions.count + cipherSuites.count + extensions.count + groups.count + signatureSchemes.count
      + certificateSignatureSchemes.count
    return 512 + 2 * codePoints + compressionMethods.count + alpn.reduce(0) { $0 + 16 + $1.utf8.count }
  }
}

/// A line of a session file is not a record that we could have written: what, in which field, and where.
package typealias SessionRecordError = JSONError
