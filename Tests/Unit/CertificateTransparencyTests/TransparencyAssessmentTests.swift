import ByteParsing
import CertificateSignatures
import CertificateTransparency
import Testing
import Values

struct TransparencyAssessmentTests {
  private static func log(
    _ number: UInt8, _ state: TransparencyLog.State = .accepted, operator name: String = "a"
  ) -> TransparencyLog {
    TransparencyLog(
      identifier: [number], name: "log \(number)", operatorName: name,
      key: VerificationKey(subjectPublicKeyInfo: []), state: state)
  }

  private static func sct(
    _ number: UInt8, _ source: TimestampSource = .certificate, at seconds: Int64 = 100,
    _ result: VerifiedTimestamp.Validity = .valid
  ) -> VerifiedTimestamp {
    VerifiedTimestamp(source: source, logID: [number], time: Timestamp(seconds: seconds), validity: result)
  }

  private static func assess(
    _ timestamps: [VerifiedTimestamp], _ logs: [TransparencyLog], needed: Int = 2, at seconds: Int64? = 1000,
    made: Int64? = nil
  ) -> TransparencyAssessment {
    var list = TransparencyLogList(logs: logs)
    list.timestamp = made.map { Timestamp(seconds: $0) }
    return TransparencyAssessment(timestamps, in: list, needed: needed) { moment in
      seconds.map { Timestamp(seconds: $0) >= moment }
    }
  }

  static let accepted = (1...5).map { log($0) }

  @Test(arguments: [2, 3, 4, 5])
  func `embedded SCTs of the required number of logs pass, one fewer does not`(needed: Int) {
    let scts = (1...5).map { Self.sct($0) }
    #expect(Self.assess(Array(scts.prefix(needed)), Self.accepted, needed: needed).passes)
    #expect(!Self.assess(Array(scts.prefix(needed - 1)), Self.accepted, needed: needed).passes)
    #expect(!Self.assess(Array(scts.prefix(needed - 1)), Self.accepted, needed: needed).couldPass)
  }

  @Test
  func `SCTs of one log count once`() {
    #expect(!Self.assess([Self.sct(1), Self.sct(1, at: 200), Self.sct(1, .tls)], Self.accepted).passes)
  }

  @Test(arguments: [TimestampSource.tls, .ocsp])
  func `two accepted logs pass if one SCT is from the TLS extension or an OCSP response`(source: TimestampSource) {
    #expect(Self.assess([Self.sct(1, source), Self.sct(2, source)], Self.accepted, needed: 5).passes)
    #expect(Self.assess([Self.sct(1, source), Self.sct(2)], Self.accepted, needed: 5).passes)
    #expect(!Self.assess([Self.sct(1), Self.sct(2)], Self.accepted, needed: 5).passes)
    #expect(!Self.assess([Self.sct(1, source)], Self.accepted, needed: 1).passes)
  }

  @Test
  func `an SCT counts only from its timestamp on`() {
    let scts = [Self.sct(1), Self.sct(2, at: 500)]
    #expect(Self.assess(scts, Self.accepted, at: 500).passes)
    #expect(!Self.assess(scts, Self.accepted, at: 499).passes)
    #expect(Self.assess(scts, Self.accepted, at: nil).passes)
  }

  @Test
  func `a pending log may count if the list is older than the time of judgement`() {
    let logs = [Self.log(1), Self.log(2, .pending)]
    let scts = [Self.sct(1), Self.sct(2)]
    let later = Self.assess(scts, logs, made: 900)
    #expect(!later.passes && later.couldPass)
    #expect(later.pendingCount == 1 && later.faults == [:])
    let earlier = Self.assess(scts, logs, made: 1100)
    #expect(!earlier.couldPass)
    #expect(earlier.pendingCount == 0 && earlier.faults == [.notTrusted: 1])
    #expect(Self.assess(scts, logs, at: nil, made: 900).couldPass)
    #expect(Self.assess(scts, logs).couldPass)
    #expect(!Self.assess([Self.sct(2)], logs, made: 900).couldPass)
  }

  @Test
  func `a retired log counts if it and an accepted log signed before its retirement`() {
    let logs = [Self.log(1), Self.log(2, .retired(since: Timestamp(seconds: 300)))]
    #expect(Self.assess([Self.sct(1, at: 299), Self.sct(2, at: 299)], logs).passes)
    #expect(!Self.assess([Self.sct(1, at: 300), Self.sct(2, at: 299)], logs).passes)
    #expect(!Self.assess([Self.sct(1, at: 299), Self.sct(2, at: 300)], logs).passes)
  }

  @Test
  func `retired logs alone do not pass, nor does a retired log with an SCT from the TLS extension`() {
    let retired = [1, 2, 3].map { Self.log($0, .retired(since: Timestamp(seconds: 300))) }
    #expect(!Self.assess([Self.sct(1), Self.sct(2), Self.sct(3)], retired).passes)
    let logs = [Self.log(1), Self.log(2, .retired(since: Timestamp(seconds: 300)))]
    #expect(!Self.assess([Self.sct(1), Self.sct(2, .tls)], logs, needed: 2).passes)
  }

  @Test
  func `a log that retires after the time of judgement counts as accepted`() {
    let logs = [1, 2].map { Self.log($0, .retired(since: Timestamp(seconds: 2000))) }
    #expect(Self.assess([Self.sct(1), Self.sct(2)], logs, at: 1999).passes)
    #expect(!Self.assess([Self.sct(1), Self.sct(2)], logs, at: 2000).passes)
    #expect(!Self.assess([Self.sct(1), Self.sct(2)], logs, at: nil).passes)
  }

  @Test
  func `an SCT of an unlisted log leaves the result undecided if it could change it`() {
    let scts = [Self.sct(1), Self.sct(9, .certificate, at: 100, .unknownLog)]
    let open = Self.assess(scts, Self.accepted)
    #expect(!open.passes && open.couldPass && open.unknownCount == 1)
    #expect(!Self.assess(scts, Self.accepted, needed: 3).couldPass)
    let sure = Self.assess(scts + [Self.sct(2)], Self.accepted)
    #expect(sure.passes)
  }

  @Test
  func `an unverifiable SCT leaves the result undecided, an invalid SCT does not count`() {
    let open = Self.assess([Self.sct(1), Self.sct(2, .certificate, at: 100, .notVerifiable)], Self.accepted)
    #expect(!open.passes && open.couldPass && open.notVerifiableCount == 1)
    let bad = Self.assess(
      [Self.sct(1), Self.sct(2, .certificate, at: 100, .invalid(.signature))], Self.accepted)
    #expect(!bad.passes && !bad.couldPass && bad.faults == [.signature: 1])
  }

  @Test
  func `a log counts before its rejection and not from then on`() {
    let logs = [Self.log(1), Self.log(2, .rejected(since: Timestamp(seconds: 500)))]
    let after = Self.assess([Self.sct(1), Self.sct(2)], logs, at: 500)
    #expect(!after.passes && !after.couldPass && after.faults == [.notTrusted: 1])
    let before = Self.assess([Self.sct(1), Self.sct(2)], logs, at: 499)
    #expect(before.passes && before.rejectedLaterCount == 1)
  }

  @Test
  func `each SCT counts for the operator of its log at the time of the SCT`() {
    var moved = Self.log(3, operator: "b")
    moved.previousOperators = [("a", Timestamp(seconds: 50)), ("c", Timestamp(seconds: 150))]
    let assessment = Self.assess([Self.sct(1), Self.sct(2), Self.sct(3)], Self.accepted.prefix(2) + [moved])
    #expect(assessment.operators == ["a": 2, "c": 1])
    #expect(assessment.isDiverse(needed: 2, atMost: 1))
    #expect(!assessment.isDiverse(needed: 3, atMost: 1))
    #expect(assessment.isDiverse(needed: 3, atMost: 2))
  }
}
