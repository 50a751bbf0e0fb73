import SessionModel
import Testing

@Suite struct EvidenceTests {
  @Test func `notes are sorted and unique`() {
    var evidence = Evidence()
    for note in [EvidenceNote.tlsNotAtStart, .closedWithoutAlert, .quicRetry, .tlsNotAtStart] { evidence.add(note) }
    #expect(evidence.notes == [.closedWithoutAlert, .quicRetry, .tlsNotAtStart])
  }
}
