import ByteParsing
import CertificateParsing
package import HandshakeDecryption
import SessionModel
import TLSParsing
import Values

/// The facts that sessions have in common, each made once and then shared: offers, answers, certificates, chains.
///
/// What is held is bounded. Eviction costs time and no correctness, since equal facts are equal whether or not they are the
/// same object.
package struct SharedFacts {
  private var offers = RecentTable<[ClientOffer: Shared<ClientOffer>]>(maximumCount: maximumTableCount / 2)
  private var serverHellos = RecentTable<[ServerHelloFacts: Shared<ServerHelloFacts>]>(maximumCount: maximumTableCount / 2)

  /// The key of the current hello, kept for its memory.
  var helloKey = Bytes()

  /// What ClientHellos and ServerHellos say, by what they have in common with others of the same software.
  var offersByKey = Table<Shared<ClientOffer>>(maximumCount: maximumTableCount / 2, maximumCost: maximumByteCount / 2)
  var serverHellosByKey = Table<KnownServerHello>(maximumCount: maximumTableCount / 2, maximumCost: maximumByteCount / 2)
  private var names = Table<KnownName>(maximumCount: maximumTableCount / 2, maximumCost: maximumByteCount / 2)
  private var chains = Table<CertificateChain>(maximumCount: maximumTableCount / 2, maximumCost: maximumByteCount / 2)
  private var certificates = CertificateCache()

  /// Values by bytes that represent them.
  typealias Table<Value> = RecentTable<[ByteKey: Value]>

  /// Bytes of the facts that were made, all told: those that a session needs and no other had shown before.
  package var madeBytes = 0

  /// Handshakes of which not all was read, by the limit that they hit.
  package var beyondLimits = (certificates: UInt64(0), extensions: UInt64(0))

  /// Verifies what servers sign.
  package var signatures = HandshakeSignatures()

  /// Secrets that the user holds.
  package var secrets = SecretStore()

  /// Finds those of sessions whose server accepted Encrypted ClientHello.
  package var secretSearch = SecretSearch()

  /// How many offers, answers and chains are held at most, each.
  static let maximumTableCount = 8192

  /// Bytes of Certificate messages and of certificates that are held at most, each.
  static let maximumByteCount = 32 * 1024 * 1024

  /// The shared form of an offer.
  mutating func share(_ offer: ClientOffer) -> Shared<ClientOffer> {
    if let known = offers.renewed(offer) { return known }
    let shared = Shared(offer)
    madeBytes &+= 512 + 2 * (offer.cipherSuites.count + offer.extensions.count)
    offers.insert(shared, for: offer)
    return shared
  }

  /// The shared form of the facts of a ServerHello.
  mutating func share(_ serverHello: ServerHelloFacts) -> Shared<ServerHelloFacts> {
    serverHellos.value(for: serverHello, cost: { _ in 0 }, make: { Shared(serverHello) })
  }

  /// The certificates of a Certificate message, by its body; `parse` reads one that is not known.
  mutating func chain(
    _ body: Span<UInt8>, isWhole: Bool,
    parse: (Span<UInt8>) -> CertificateMessage = { CertificateMessage(parsing: $0, form: .tls12) }
  ) -> CertificateChain {
    let key = isWhole ? ByteKey(copying: body) : nil
    if let key, let known = chains.renewed(key, cost: body.count) { return known }
    let message = parse(body)
    var shown: [ObservedCertificate] = []
    for entry in message.entries
    where entry.certificate.lowerBound >= 0 && entry.certificate.upperBound <= body.count {
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

  /// A chain of one certificate, as SSL 2 shows it.
  mutating func chain(ofOne der: Bytes) -> CertificateChain {
    CertificateChain([certificate(der.span)], isComplete: true)
  }

  private mutating func certificate(_ der: Span<UInt8>) -> ObservedCertificate {
    let before = certificates.decodedBytes
    defer { madeBytes &+= 2 * (certificates.decodedBytes &- before) }
    return certificates.certificate(der)
  }

  /// The text of a name that a client sends; the same name is the same object.
  mutating func name(_ bytes: Span<UInt8>) -> KnownName {
    let key = ByteKey(copying: bytes)
    if let known = names.renewed(key, cost: bytes.count) { return known }
    let name = KnownName(HostText.text(key.bytes))
    // One that is shortened is not kept whole either.
    if bytes.count <= HostText.maximumNameByteCount { names.insert(name, for: key, cost: bytes.count) }
    madeBytes &+= 2 * name.text.utf8.count
    return name
  }

  /// Creates empty tables.
  package init() {}
}
