import ByteParsing
package import HandshakeDecryption
import SessionModel
import TLSParsing

/// Facts that sessions have in common, each created once and then shared: offers, ServerHellos, certificates, chains.
///
/// Memory is bounded. Eviction affects speed and not correctness, since equal facts are equal even if they are distinct objects.
package struct SharedFacts {
  private var offers = RecentTable<[ClientOffer: Shared<ClientOffer>]>(entriesPerGeneration: maximumTableCount / 2)
  private var serverHellos = RecentTable<[ServerHelloFacts: Shared<ServerHelloFacts>]>(entriesPerGeneration: maximumTableCount / 2)

  /// The key of the current hello, stored to reuse its memory.
  var helloKey = Bytes()

  /// The facts of ClientHellos and ServerHellos, by what they have in common with others of the same software.
  var offersByKey = Table<Shared<ClientOffer>>(entriesPerGeneration: maximumTableCount / 2, costPerGeneration: maximumByteCount / 2)
  var serverHellosByKey = Table<KnownServerHello>(entriesPerGeneration: maximumTableCount / 2, costPerGeneration: maximumByteCount / 2)
  private var names = Table<KnownName>(entriesPerGeneration: maximumTableCount / 2, costPerGeneration: maximumByteCount / 2)
  private var chains = Table<CertificateChain>(entriesPerGeneration: maximumTableCount / 2, costPerGeneration: maximumByteCount / 2)
  private var certificates = CertificateCache()

  /// A table of values by the bytes that they were decoded from.
  typealias Table<Value> = RecentTable<[ByteKey: Value]>

  /// Total bytes of facts created rather than shared.
  package var madeBytes = 0

  /// The number of incompletely read handshakes, by the limit that was exceeded.
  package var beyondLimits = (certificates: UInt64(0), extensions: UInt64(0))

  /// Verifies servers' signatures.
  package var signatures = HandshakeSignatures()

  /// The user's secrets.
  package var secrets = SecretStore()

  /// Searches for the secrets of sessions whose server accepted Encrypted ClientHello.
  package var secretSearch = SecretSearch()

  /// The maximum number of offers, ServerHellos and chains held, each.
  static let maximumTableCount = 8192

  /// The maximum total size of Certificate messages held, and of certificates, in bytes, each.
  static let maximumByteCount = 32 * 1024 * 1024

  /// The shared copy of an offer.
  mutating func share(_ offer: ClientOffer) -> Shared<ClientOffer> {
    if let known = offers.renewed(offer) { return known }
    let shared = Shared(offer)
    madeBytes &+= 512 + 2 * (offer.cipherSuites.count + offer.extensions.count)
    offers.insert(shared, for: offer)
    return shared
  }

  /// The shared copy of the facts of a ServerHello.
  mutating func share(_ serverHello: ServerHelloFacts) -> Shared<ServerHelloFacts> {
    serverHellos.value(for: serverHello, cost: { _ in 0 }, make: { Shared(serverHello) })
  }

  /// The certificates of a Certificate message, by its body; `parse` decodes one that is not known.
  mutating func chain(
    _ body: Span<UInt8>, isWhole: Bool,
    parse: (Span<UInt8>) -> CertificateMessage = { CertificateMessage(parsing: $0, format: .tls12) }
  ) -> CertificateChain {
    let key = isWhole ? ByteKey(copying: body) : nil
    if let key, let known = chains.renewed(key, cost: body.count) { return known }
    let message = parse(body)
    var shown: [ObservedCertificate] = []
    for entry in message.entries where entry.certificate.lowerBound >= 0 && entry.certificate.upperBound <= body.count {
      shown.append(certificate(body.extracting(entry.certificate)))
    }
    let chain = CertificateChain(shown, isComplete: isWhole && message.isComplete)
    madeBytes &+= 16 * shown.count
    if let key {
      chains.insert(chain, for: key, cost: body.count)
      madeBytes &+= body.count
    }
    return chain
  }

  /// A chain of one certificate, as in SSL 2.
  mutating func chain(ofOne der: Bytes) -> CertificateChain {
    CertificateChain([certificate(der.span)], isComplete: true)
  }

  private mutating func certificate(_ der: Span<UInt8>) -> ObservedCertificate {
    let before = certificates.decodedBytes
    defer { madeBytes &+= 2 * (certificates.decodedBytes &- before) }
    return certificates.certificate(der)
  }

  /// The text of a name that a client sends; equal names share one object.
  mutating func name(_ bytes: Span<UInt8>) -> KnownName {
    let key = ByteKey(copying: bytes)
    if let known = names.renewed(key, cost: bytes.count) { return known }
    let name = KnownName(HostText.text(key.bytes))
    // A name that is shortened is not stored as a key either.
    if bytes.count <= HostText.maximumNameByteCount { names.insert(name, for: key, cost: bytes.count) }
    madeBytes &+= 2 * name.text.utf8.count
    return name
  }

  package init() {}
}
