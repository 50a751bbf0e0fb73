import ByteParsing
import TLSParsing
import Testing

@testable import HandshakeDecryption

@Suite struct SecretSearchTests {
  private func random(_ number: Int) -> ShortBytes {
    ShortBytes([UInt8(number >> 8), UInt8(number & 0xFF)] + [UInt8](repeating: 7, count: 30))
  }

  /// A store of sessions with wrong secrets, except for those with `numbers`, which have the secret of RFC 8448.
  private func store(_ count: Int, right numbers: Set<Int>) -> SecretStore {
    var store = SecretStore()
    for number in 0..<count {
      let wrong = Bytes([UInt8](repeating: UInt8(number & 0xFF), count: 32))
      _ = store.add(
        numbers.contains(number) ? ProtectedHandshakeTests.serverSecret : wrong, ofClient: false,
        random: random(number))
      _ = store.add(wrong, ofClient: true, random: random(number))
    }
    return store
  }

  /// The client random that a search finds.
  private func find(_ search: inout SecretSearch, _ store: SecretStore) -> ShortBytes? {
    let record = rfc8448ServerFlight
    let result = search.search(record.span, suite: .aes128GCM, in: store)
    return if case .found(let random, _) = result { random } else { nil }
  }

  @Test(arguments: [0, 1, 37, 99])
  func `the secret that decrypts the record is found at any index`(number: Int) {
    var search = SecretSearch()
    let found = find(&search, store(100, right: [number]))
    #expect(found == random(number))
  }

  @Test
  func `an excluded client random is not tried`() {
    var search = SecretSearch()
    let store = store(10, right: [4])
    search.exclude(random(4), of: store)
    let found = find(&search, store)
    #expect(found == nil)
  }

  @Test
  func `a secret found before is found again without using up trials`() {
    var search = SecretSearch(maximumTrialCount: 3)
    let store = store(2, right: [0, 1])
    for number in [0, 1, 0] {
      let found = find(&search, store)
      #expect(found == random(number))
    }
    #expect(search.unfinishedCount == 0)
  }

  @Test
  func `a search that reaches the limit of trials is counted as unfinished`() {
    var search = SecretSearch(maximumTrialCount: 25)
    let store = store(10, right: [])
    for isFinished in [true, true, false, false] {
      let record = rfc8448ServerFlight
      switch search.search(record.span, suite: .aes128GCM, in: store) {
      case .none: #expect(isFinished)
      case .unfinished: #expect(!isFinished)
      case .found: Issue.record("nothing opens the record")
      }
    }
    #expect(search.unfinishedCount == 2)
  }

  @Test
  func `a search needs a server secret with the length of the suite's hash`() {
    var search = SecretSearch()
    var store = SecretStore()
    let inEmptyStore = find(&search, store)
    #expect(inEmptyStore == nil)
    _ = store.add(Bytes(repeating: 1, count: 48), ofClient: false, random: random(1))
    _ = store.add(ProtectedHandshakeTests.serverSecret, ofClient: true, random: random(2))
    let amongOthers = find(&search, store)
    #expect(amongOthers == nil)
    // Secrets may be added to the store while a capture is read.
    _ = store.add(ProtectedHandshakeTests.serverSecret, ofClient: false, random: random(2))
    let found = find(&search, store)
    #expect(found == random(2))
  }
}
