import AppleTrust
import ByteParsing
import CertificateParsing
import Crypto
import Testing

@Suite struct AppleRootStoreTests {
  @Test func `every root is a certificate with its digest and its subject`() {
    let newest = AppleRootStore.newest
    let roots = newest.roots + newest.foreignRoots
    #expect(roots.count == 288)
    #expect(
      Set(roots.map { hexadecimal(SHA256.hash(data: $0.certificate)) }) == Set(AppleRootStore.allDigests))
    for root in roots {
      let certificate = Certificate(parsing: root.certificate.span)
      #expect(certificate.subjectDER == root.subject)
      #expect(!certificate.subjectPublicKeyInfoRange.isEmpty)
      #expect(certificate.der.count == root.certificate.count)
    }
  }

  @Test func `a store contains its own roots and no others`() {
    let store = AppleRootStore(macOS: 15, 2, 0)
    #expect(store.version == 2_024_051_500)
    #expect(store.digests.count == 154)
    #expect(store.digests == store.digests.sorted())
    #expect(store.digests == store.roots.map { hexadecimal(SHA256.hash(data: $0.certificate)) })
    #expect(store.digests.allSatisfy(store.contains))
    #expect(store.foreignRoots.count == 288 - 154)
    #expect(!store.foreignRoots.contains { store.contains(hexadecimal(SHA256.hash(data: $0.certificate))) })
  }

  @Test(
    arguments: [
      ((10, 10, 5), 2_015_071_300), ((10, 11, 0), 2_015_071_300), ((10, 11, 4), 2_015_111_600),
      ((10, 12, 1), 2_016_092_000), ((10, 12, 9), 2_016_102_100), ((10, 14, 2), 2_018_102_200),
      ((10, 15, 7), 2_020_020_700), ((10, 16, 0), 2_020_020_700), ((11, 0, 1), 2_020_082_800),
      ((11, 7, 0), 2_021_060_900), ((12, 2, 1), 2_021_072_200), ((13, 7, 0), 2_023_032_800),
      ((14, 4, 1), 2_024_013_100), ((15, 4, 0), 2_025_022_600), ((15, 7, 0), 2_025_031_200),
      ((16, 0, 0), 2_025_031_200), ((26, 5, 0), 2_025_072_000), ((99, 0, 0), 2_025_072_000),
    ] as [((Int, Int, Int), UInt32)])
  func `a release that is not listed has the store of the previous listed one`(
    release: (Int, Int, Int), version: UInt32
  ) {
    #expect(AppleRootStore(macOS: release.0, release.1, release.2).version == version)
  }

  @Test(
    arguments: [
      ((10, 12, 0), 2_016_060_200), ((10, 15, 0), 2_018_121_000), ((11, 0, 0), 2_020_082_800),
      ((12, 0, 0), 2_021_072_200), ((13, 0, 0), 2_022_070_700), ((14, 0, 0), 2_023_071_300),
      ((15, 0, 0), 2_024_051_500), ((26, 0, 0), 2_025_072_000),
    ] as [((Int, Int, Int), UInt32)])
  func `the first release of a year has a store of that year`(release: (Int, Int, Int), version: UInt32) {
    #expect(AppleRootStore(macOS: release.0, release.1, release.2).version == version)
  }

  @Test func `a store contains roots that later stores removed, and not those that later stores added`() {
    let dst = "0687260331a72403d909f105e69bcf0d32e1bd2493ffc6d9206d11bcd6770739"
    let isrg = "96bcec06264976f37460779acf28c5a7cfe8a3c0aae11a8ffcee05c0bddf08c6"
    #expect(AppleRootStore(macOS: 10, 15, 0).contains(dst))
    #expect(!AppleRootStore.newest.contains(dst))
    #expect(!AppleRootStore(macOS: 10, 11, 6).contains(isrg))
    #expect(AppleRootStore.newest.contains(isrg))
    #expect(AppleRootStore.newest.contains(isrg.uppercased()))
    #expect(!AppleRootStore.newest.contains("not a digest"))
    #expect(!AppleRootStore.newest.contains(String(repeating: "0", count: 64)))
    #expect(!AppleRootStore.newest.contains(String(repeating: "f", count: 64)))
  }

  @Test func `Apple's own roots and roots that do not anchor TLS servers are marked`() throws {
    // Apple Root CA, Apple Platform TLS ECC Root CA - G1, Apple Platform RSA Root CA - G1, GTS Root R1.
    let apple = try #require(
      AppleRoot(sha256: "b0b1730ecbc7ff4505142c49f1295e6eda6bcaed7e2c68c5be91b5a11001f024"))
    #expect(apple.isApplesOwn && apple.anchorsServers)
    let all = AppleRootStore.allDigests.compactMap { AppleRoot(sha256: $0) }
    #expect(all.count == 288)
    #expect(all.count { !$0.anchorsServers } == 9)
    #expect(all.allSatisfy { $0.isApplesOwn || $0.anchorsServers })
    #expect(all.count { $0.isApplesOwn } == 16)
    #expect(
      AppleRoot(sha256: "96bcec06264976f37460779acf28c5a7cfe8a3c0aae11a8ffcee05c0bddf08c6")?.isApplesOwn
        == false)
    #expect(AppleRoot(sha256: "00") == nil)
  }

  @Test func `the log list has its date, count and digest`() {
    #expect(AppleLogList.date == 20_250_720)
    #expect(AppleLogList.count == 132)
    #expect(AppleLogList.sha256 == hexadecimal(SHA256.hash(data: AppleLogList.json)))
    #expect(AppleLogList.json.starts(with: Bytes("{\"$schema\"".utf8)))
    #expect(AppleLogList.json.last == UInt8(ascii: "}"))
  }
}
