import SessionModel
import TLSParsing
import Testing

@Suite struct SharedTests {
  @Test func `a change to a copy leaves the original unchanged`() {
    let first = Shared(TLSFacts())
    var second = first
    #expect(second.identity == first.identity)
    second.clientAlerts.append(ObservedAlert(level: 2, description: AlertDescription(rawValue: 40), frame: 7))
    #expect(first.clientAlerts.isEmpty)
    #expect(second.clientAlerts.map(\.frame) == [7])
    #expect(second.identity != first.identity)
  }

  @Test func `boxes of equal values are equal`() {
    var offer = ClientOffer()
    offer.versions = [.tls13]
    let (first, second) = (Shared(offer), Shared(offer))
    #expect(first == second && first.hashValue == second.hashValue)
    #expect(first.identity != second.identity)
    offer.versions = [.tls12]
    #expect(first != Shared(offer))
  }
}
