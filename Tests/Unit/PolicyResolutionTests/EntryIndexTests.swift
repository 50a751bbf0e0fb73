import PolicyResolution
import SeededRandom
import Testing

@Suite struct EntryIndexTests {
  @Test func `the entries that concern a host give the same policy as all entries`() {
    var random = SeededGenerator(seed: 5)
    let labels = ["a", "b", "ab", "www", "example"]
    let tops = ["com", "local", "co.uk"]
    let addresses = [
      "192.0.2.1", "192.0.2.0/24", "192.0.0.0/8", "fd00::1", "fd00::/8", "2001:db8::/32", "10.0.0.1",
    ]
    func name() -> String {
      let count = random.below(3)
      return ((0..<count).map { _ in random.pick(labels) } + [random.pick(tops)]).joined(separator: ".")
    }
    var differences = 0
    var matches = 0
    for _ in 0..<3000 {
      var dictionary = ATSDictionary()
      for _ in 0..<random.below(12) {
        var entry = ExceptionEntry(key: random.once(in: 4) ? random.pick(addresses) : name())
        entry.includesSubdomains = random.once(in: 2) ? true : nil
        if random.once(in: 2) { entry.settings.allowsInsecureHTTPLoads = true }
        guard !dictionary.exceptionDomains.contains(where: { $0.key == entry.key }) else { continue }
        dictionary.exceptionDomains.append(entry)
      }
      let text = random.once(in: 4) ? random.pick(addresses) : name()
      let host = HostIdentity(random.once(in: 5) ? text + "." : text)
      let request = PolicyRequest(host: host, release: .newest)
      let all = PolicyResolver(dictionary: dictionary).policy(for: request)
      let concerning = PolicyResolver(dictionary: dictionary.concerning(host)).policy(for: request)
      if all != concerning { differences += 1 }
      if all.matchedEntry != nil { matches += 1 }
    }
    #expect(differences == 0)
    #expect(matches > 300)
  }
}
