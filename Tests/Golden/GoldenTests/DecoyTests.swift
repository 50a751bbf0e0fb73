import ATScope
import ByteParsing
import Foundation
import Testing

/// Decoys: forged segments and fragments that the receiver discards or may discard.
@Suite struct DecoyTests {
  /// The only session of a capture, as its JSON record.
  private static func session(_ path: String) throws -> [String: Any] {
    let report = Goldens.report(["captures/\(path).pcap"], .json)
    let whole = try #require(try JSONSerialization.jsonObject(with: Data(report)) as? [String: Any])
    let sessions = try #require(whole["sessions"] as? [[String: Any]])
    #expect(sessions.count == 1)
    return try #require(sessions.first)
  }

  private static func rules(_ session: [String: Any]) throws -> [String: [String: Any]] {
    let judgement = try #require(session["ats"] as? [String: Any])
    let rules = try #require(judgement["rules"] as? [[String: Any]])
    return Dictionary(
      uniqueKeysWithValues: rules.compactMap { rule in (rule["id"] as? String).map { ($0, rule) } })
  }

  private static func outcomes(_ session: [String: Any]) throws -> [String: String] {
    var outcomes = try rules(session).compactMapValues { $0["outcome"] as? String }
    let judgement = try #require(session["ats"] as? [String: Any])
    for key in ["passed", "notApplicable"] {
      for id in try #require(judgement[key] as? [String]) { outcomes[id] = key }
    }
    return outcomes
  }

  @Test(arguments: [
    ("decoy/hello", "tls12/ecdhe-rsa-gcm"), ("decoy/hello-after", "tls12/ecdhe-rsa-gcm"),
    ("decoy/ip-header", "tls12/ecdhe-rsa-gcm"), ("decoy/server-hello", "tls12/ecdhe-rsa-gcm"),
    ("decoy/edge", "tls12/ecdhe-rsa-gcm"), ("decoy/ahead", "tls12/ecdhe-rsa-gcm"),
    ("decoy/several", "tls12/ecdhe-rsa-gcm"), ("decoy/fragment", "tls12/ecdhe-rsa-gcm"),
    ("decoy/request", "http/post"),
  ])
  func `a decoy with a wrong checksum does not change the session`(decoy: String, base: String) throws {
    let judged = try Self.session("variants/\(decoy)")
    let expected = try Self.session(base)
    let name = try #require(judged["serverName"] as? String)
    #expect(name == expected["serverName"] as? String)
    #expect(try Self.outcomes(judged) == Self.outcomes(expected))
    // A session of cleartext HTTP has no TLS facts.
    let facts = (judged["tls"] as? [String: Any], expected["tls"] as? [String: Any])
    #expect((facts.0 == nil) == (base == "http/post"))
    for key in ["clientRandom", "serverRandom", "cipherSuite", "ja3", "ja3s"] where facts.0 != nil {
      let fact = try #require(facts.0?[key] as? String)
      #expect(fact == facts.1?[key] as? String)
    }
    let certificates = [judged, expected].map { session in
      (session["certificates"] as? [[String: Any]])?.compactMap { $0["sha256"] as? String }
    }
    #expect(certificates[0] == certificates[1])
  }

  @Test(arguments: [
    ("decoy/hello-contested", ["ATS-HTTPS", "ATS-CERT-HOST"], [4, 5]),
    ("decoy/acknowledgement", ["ATS-HTTPS", "ATS-CERT-HOST"], [4, 5]),
    ("decoy/offloaded", ["ATS-HTTPS", "ATS-CERT-HOST"], [4, 5]),
    ("decoy/fragment-contested", ["ATS-HTTPS", "ATS-CERT-HOST"], [5, 6]),
    ("decoy/server-hello-contested", ["ATS-TLS-VERSION", "ATS-CIPHER", "ATS-PFS"], [6, 7]),
    ("decoy/key-exchange-contested", ["ATS-PFS", "ATS-HANDSHAKE-SIG"], [8, 9]),
    ("decoy/certificate-contested", ["ATS-CERT-TRUST", "ATS-CERT-DATES", "ATS-CERT-HOST"], [6, 7]),
    ("stream/overlap-disagrees", ["ATS-CERT-TRUST", "ATS-CERT-DATES", "ATS-CERT-HOST"], [6, 8]),
    ("decoy/request-contested", ["ATS-HTTPS"], [4, 5]),
  ])
  func `rules that depend on contested bytes are unknown`(
    name: String, unknown: [String], frames: [Int]
  ) throws {
    let session = try Self.session("variants/\(name)")
    let rules = try Self.rules(session)
    for id in unknown {
      #expect(rules[id]?["outcome"] as? String == "unknown")
      #expect(rules[id]?["missing"] as? String == "contested")
      let notes = rules[id]?["notes"] as? [String]
      #expect(notes?.first?.hasPrefix("Contested bytes, frames \(frames[0]) and \(frames[1])") == true)
    }
    let verdict = (session["ats"] as? [String: Any])?["verdict"] as? String
    #expect(verdict == "unknown" || verdict == "fail")
    #expect(try Self.outcomes(session).values.contains("passed") || name == "decoy/request-contested")
  }

  @Test(arguments: ["tls/signature-parameters", "tls/signature-changed", "tls/signature-ecdsa"])
  func `a handshake whose signature does not verify with the leaf's key fails`(name: String) throws {
    let session = try Self.session("variants/\(name)")
    #expect((session["tls"] as? [String: Any])?["handshakeSignature"] as? String == "invalid")
    let rule = try #require(try Self.rules(session)["ATS-HANDSHAKE-SIG"])
    #expect(rule["outcome"] as? String == "fail")
    #expect(rule["required"] as? Bool == true)
    let judgement = try #require(session["ats"] as? [String: Any])
    #expect(judgement["verdict"] as? String == "fail")
    #expect(judgement["primaryRule"] as? String == "ATS-HANDSHAKE-SIG")
    let exception = try #require(judgement["narrowestException"] as? [Any])
    #expect(exception.isEmpty)
  }
}
