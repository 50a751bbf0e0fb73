import ByteParsing
import TLSParsing
import Testing

@testable import HandshakeDecryption

@Suite struct LateAlertsTests {
  private let secret = Bytes(repeating: 7, count: 32)

  /// The alerts in records with these contents, and whether further ones are expected.
  private func read(_ contents: [(Bytes, ContentType, padding: Int)]) throws -> (alerts: [Alert], isOpen: Bool) {
    var sealer = RecordSealer(suite: .aes128GCM, secret: secret)
    var reader = try #require(LateAlerts(secret: secret, suite: .aes128GCM))
    var alerts: [Alert] = []
    for (content, type, padding) in contents {
      let record = try sealer.seal(content, type: type, padding: padding)
      if let alert = reader.decrypt(record.span) { alerts.append(alert) }
    }
    return (alerts, reader.isOpen)
  }

  @Test(arguments: [0, 16, 125, 1000]) func `an alert after tickets is decrypted, whatever its padding`(padding: Int) throws {
    let ticket = (Bytes(repeating: 4, count: 200), ContentType.handshake, padding: 0)
    let result = try read([ticket, ticket, ([2, 116], .alert, padding)])
    #expect(result.alerts.map(\.description) == [.certificateRequired])
    #expect(!result.isOpen)
  }

  @Test func `a close is not an alert, and application data of its length is not kept`() throws {
    #expect(try read([([1, 0], .alert, 0)]).alerts.isEmpty)
    for (content, padding) in [([2, 116], 0), ([2, 116], 16), ([2, 116, 21], 0), ([2, 116, 21], 9), ([], 2)] as [(Bytes, Int)] {
      let data = try read([(content, .applicationData, padding)])
      #expect(data.alerts.isEmpty && data.isOpen)
    }
  }

  @Test(arguments: [DecryptableSuite.aes128GCM, .chaCha20Poly1305], [0, 100])
  func `the type of a record is recognized without its content`(suite: DecryptableSuite, padding: Int) throws {
    let contents: [(Bytes, ContentType)] = [([2, 40], .alert), ([2, 40], .handshake), ([1, 2, 3], .alert), ([21], .applicationData)]
    for (content, type) in contents {
      var sealer = RecordSealer(suite: suite, secret: secret)
      let protection = try #require(RecordProtection(secret: secret, suite: suite))
      let record = try sealer.seal(content, type: type, padding: padding)
      #expect(protection.containsAlert(record.span) == (type == .alert && content.count == 2))
    }
  }

  @Test func `no alert is expected after eight records, or after one that does not decrypt`() throws {
    let data = (Bytes(repeating: 1, count: 50), ContentType.applicationData, padding: 0)
    let result = try read(Array(repeating: data, count: 8) + [([2, 116], .alert, 0)])
    #expect(result.alerts.isEmpty && !result.isOpen)
    var reader = try #require(LateAlerts(secret: secret, suite: .aes128GCM))
    var sealer = RecordSealer(suite: .aes128GCM, secret: secret)
    var record = try sealer.seal([2, 116], type: .alert)
    record[record.count - 1] ^= 1
    #expect(reader.decrypt(record.span) == nil && !reader.isOpen)
    #expect(LateAlerts(secret: secret, suite: .aes256GCM) == nil)
  }
}
