import ByteParsing
import SeededRandom
import Testing

@Suite struct HashedPlacesTests {
  @Test(arguments: [3, 64, Int.max])
  func `entries are found as a Dictionary finds them, however few hashes there are`(hashes: Int) {
    var random = SeededGenerator(seed: 1)
    var places = HashedPlaces()
    var keys: [Int] = []
    var known: [Int: Int] = [:]
    for _ in 0..<2000 {
      let key = random.below(1000)
      let found = places.first(of: key % hashes) { keys[$0] == key }
      #expect(found == known[key])
      if found == nil {
        known[key] = places.count
        keys.append(key)
        places.append(key % hashes)
      }
    }
    #expect(places.count == known.count)
  }

  @Test func `all entries with a hash come in their order`() {
    var places = HashedPlaces()
    for place in 0..<100 { places.append(place % 5) }
    #expect(places.all(of: 3) { _ in true } == Array(stride(from: 3, to: 100, by: 5)))
    #expect(places.all(of: 3) { $0 > 50 } == Array(stride(from: 53, to: 100, by: 5)))
    #expect(places.all(of: 7) { _ in true }.isEmpty)
  }

  @Test func `an empty table finds nothing, one that was emptied neither`() {
    var places = HashedPlaces()
    #expect(places.first(of: 0) { _ in true } == nil)
    places.append(0)
    #expect(places.first(of: 0) { _ in true } == 0)
    places.removeAll()
    #expect(places.first(of: 0) { _ in true } == nil)
    #expect(places.count == 0)
  }
}
