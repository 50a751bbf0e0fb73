import Foundation
import InfoPlistReading
import PolicyResolution
import PropertyLists
import TestFiles
import Testing
import Values

/// The test vectors of the policy text, if they are next to the checkout.
@Suite struct PolicyResolverSharedVectorsTests {
  struct File: Decodable {
    var vectors: [Vector]
  }

  struct Vector: Decodable, CustomTestStringConvertible {
    var id: String
    var kind: String
    var ats: JSONPropertyList?
    var host: String?
    var address: String?
    var is_direct: Bool?
    var context: String?
    var os: String?
    var apple_bundle: Bool?
    var input: String?
    var expect: Expectation

    var testDescription: String { id }
  }

  struct Expectation: Decodable {
    var tls_required: Bool?
    var ats_enforced: Bool?
    var min_tls: String?
    var cipher_policy: String?
    var forward_secrecy_required: Bool?
    var matched: String?
    var leaf: [String]?
    var ca: [String]?
    var valid: Bool?
    var network: String?
    var prefix: Int?
    var version: String?
  }

  static let vectors: [Vector] = {
    let file = Repository.root.appending(path: "../shared/spec/ats-config-vectors.json")
    guard let data = try? Data(contentsOf: file) else { return [] }
    // Unlike a missing file, an unreadable one must fail the test.
    let vectors = (try? JSONDecoder().decode(File.self, from: data).vectors) ?? [unreadable]
    // The kind `pin-reconcile` is about SecTrustPinningRequired, which only `lint` reads (B.12).
    return vectors.filter { $0.kind != "pin-reconcile" }
  }()

  static let unreadable = Vector(id: "unreadable", kind: "unreadable", expect: Expectation())

  static func request(_ vector: Vector) throws -> PolicyRequest {
    PolicyRequest(
      host: (vector.host ?? vector.address).map { HostIdentity($0) } ?? .unknown,
      context: try #require(LoadContext(rawValue: vector.context ?? "app")),
      release: try SystemRelease(named: "ios" + (vector.os ?? "26.0")), isDirect: vector.is_direct,
      isAppleBundle: vector.apple_bundle ?? false)
  }

  @Test(arguments: vectors) func `every vector of the policy text holds`(vector: Vector) throws {
    let expect = vector.expect
    switch vector.kind {
    case "config":
      let resolver = PolicyResolver(dictionary: try vector.ats.flatMap { try readATS($0.value) })
      let policy = resolver.policy(for: try PolicyResolverSharedVectorsTests.request(vector))
      #expect(policy.requiresHTTPS == expect.tls_required)
      #expect((policy.trust == .strict) == expect.ats_enforced)
      #expect(hexadecimal(policy.minimumTLSVersion) == expect.min_tls)
      #expect(policy.cipherPolicy.rawValue == expect.cipher_policy)
      #expect(policy.requiresForwardSecrecy == expect.forward_secrecy_required)
      #expect(policy.matchedEntry == expect.matched)
    case "pins":
      let resolver = PolicyResolver(dictionary: try vector.ats.flatMap { try readATS($0.value) })
      let policy = resolver.policy(for: try PolicyResolverSharedVectorsTests.request(vector))
      #expect(policy.leafPins.map { Set($0) } == expect.leaf.map { Set($0) })
      #expect(policy.caPins.map { Set($0) } == expect.ca.map { Set($0) })
    case "cidr-text":
      let range = try? AddressRange(key: try #require(vector.input))
      #expect((range != nil) == expect.valid)
      #expect(range?.network.description == expect.network)
      #expect(range?.prefixLength == expect.prefix)
    case "min-tls-string":
      #expect(hexadecimal(vector.input.flatMap { TLSVersionText.version(of: $0) }) == expect.version)
    default: Issue.record("a kind that this test does not know: \(vector.kind)")
    }
  }
}
