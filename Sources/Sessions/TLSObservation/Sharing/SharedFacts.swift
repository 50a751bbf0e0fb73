import ByteParsing
import CertificateParsing
package import HandshakeDecryption
import SessionModel
import TLSParsing
import Values

/// The facts that sessions have in common, each made once and then shared: offers, answers, certificates, chains.
///
/// What is held is bounded: a table that is full is emptied. That costs time and no correctness, since equal facts are
/// equal whether or not they are the same object.
package struct SharedFacts {
  private var offers: [ClientOffer] = []
  private var placesOfOffers = HashedPlaces()
  private var answers: [ServerAnswer] = []
  private var placesOfAnswers = HashedPlaces()

  /// The key of the current hello, kept for its memory.
  var helloKey = Bytes()

  /// The offers and answers of hellos by what they have in common with others of the same software.
  var offersByKey = ComparedTable<ClientOffer>()
  var answersByKey = ComparedTable<KnownAnswer>()
  private var names = ComparedTable<KnownName>()
  private var chains = ComparedTable<CertificateChain>()
  private var certificates = CertificateCache()

  /// Where the chain lies that was shown last, in a message of such a length, for a name with such a digest: most often it is shown again.
  private var chainHints = ContiguousArray<Int32>(repeating: 0, count: 1024)

  var spareBuffers = SpareBuffers()

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
  static let tableLimit = 8192

  /// Bytes of Certificate messages and of certificates that are held at most, each.
  static let byteLimit = 32 * 1024 * 1024

  /// The shared form of an offer.
  mutating func offer(_ content: ClientOffer.Content) -> ClientOffer {
    let hash = content.hashValue
    if let known = placesOfOffers.first(of: hash, where: { offers[$0].content == content }) {
      return offers[known]
    }
    if offers.count >= SharedFacts.tableLimit {
      offers.removeAll()
      placesOfOffers.removeAll()
    }
    let offer = ClientOffer(content)
    madeBytes &+= 512 + 2 * (content.cipherSuites.count + content.extensions.count)
    offers.append(offer)
    placesOfOffers.append(hash)
    return offer
  }

  /// The shared form of an answer.
  mutating func answer(_ content: ServerAnswer.Content) -> ServerAnswer {
    let hash = content.hashValue
    if let known = placesOfAnswers.first(of: hash, where: { answers[$0].content == content }) {
      return answers[known]
    }
    if answers.count >= SharedFacts.tableLimit {
      answers.removeAll()
      placesOfAnswers.removeAll()
    }
    let answer = ServerAnswer(content)
    answers.append(answer)
    placesOfAnswers.append(hash)
    return answer
  }

  /// The certificates of a Certificate message up to TLS 1.2, by its body; `nameDigest` is that of the name the server was asked for.
  mutating func chain(_ body: Span<UInt8>, isWhole: Bool, nameDigest: UInt64) -> CertificateChain {
    // The lowest bit of a digest is always the same.
    let hint = (Int(truncatingIfNeeded: nameDigest >> 32) ^ body.count) & (chainHints.count - 1)
    if isWhole, let known = chains.value(for: body, hint: &chainHints[hint]) { return known }
    return chain(CertificateMessage(parsing: body, form: .tls12), in: body, isWhole: isWhole)
  }

  /// The certificates of a Certificate message that has been read.
  mutating func chain(
    _ message: CertificateMessage, in body: Span<UInt8>, isWhole: Bool
  ) -> CertificateChain {
    if isWhole, let known = chains.value(for: body) { return known }
    var shown: [ObservedCertificate] = []
    for entry in message.entries
    where entry.certificate.lowerBound >= 0 && entry.certificate.upperBound <= body.count {
      shown.append(certificate(body.extracting(entry.certificate)))
    }
    let chain = CertificateChain(shown, isComplete: isWhole && message.isComplete)
    madeBytes &+= 16 * shown.count
    if isWhole {
      chains.insert(chain, for: Bytes(copying: body))
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
    if let known = names.value(for: bytes) { return known }
    let name = KnownName(HostText.text(Bytes(copying: bytes)))
    // One that is shortened is not kept whole either.
    if bytes.count <= HostText.longestName { names.insert(name, for: Bytes(copying: bytes)) }
    madeBytes &+= 2 * name.text.utf8.count
    return name
  }

  /// Creates empty tables.
  package init() {}
}
