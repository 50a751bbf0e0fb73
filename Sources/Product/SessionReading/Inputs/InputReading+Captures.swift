import CaptureFormats
import HandshakeDecryption
import SessionLinking
import SessionModel
import SessionRecords
import Values

extension InputReading {
  mutating func readCapture(
    _ source: any ByteSource, _ reading: inout CaptureReading, _ summary: inout InputSummary,
    _ sink: inout some SessionSink & ~Copyable, mayBeReadAgain: Bool = false
  ) throws(ReadingEnded) {
    summary.error = InputReading.fault(try reading.read(source, into: &sink).errors)
    if mayBeReadAgain, reading.secretsCameLate {
      missedSecrets = true
      throw ReadingEnded()
    }
    try finish(&reading, &summary, &sink)
  }

  mutating func finish(
    _ reading: inout CaptureReading, _ summary: inout InputSummary, _ sink: inout some SessionSink & ~Copyable
  ) throws(ReadingEnded) {
    try reading.finish(into: &sink)
    earlier = reading.earlier
    if reading.fitsKeyLog { fitsKeyLog = true }
    summary.sessions = reading.sessions
    let account = reading.account
    account.complete(&summary)
    if account.nothingDecodable, summary.error == nil {
      summary.error = InputSummary.Fault(account.undecodableReason, at: nil)
    }
    let secrets = reading.secrets.counts
    summary.health += KeyLogs.health(of: secrets).filter { $0.count > 0 }
    if secrets.leftOut > 0 { summary.limits.append(KeyLogs.limit(secrets.leftOut)) }
    if reading.secretsCameLate {
      warnings.append(
        "\(DisplayText.escaped(summary.file)): key material appears after the packets it decrypts; a pipe cannot be read twice")
    }
    if !summary.limits.isEmpty { hitLimit = true }
    addSilentServers(account.health.withoutHandshake, elsewhere: account.health.withoutHandshakeElsewhere)
    if let choice = account.choice { noteLimitations(of: choice, in: DisplayText.escaped(summary.file)) }
  }

  /// Adds warnings about packets that a filter excludes although they may be meant.
  private mutating func noteLimitations(of choice: PacketChoice, in file: String) {
    if choice.leftOutInTunnels > 0 {
      warnings.append(
        "\(file): --filter only matches the outermost headers: "
          + choice.leftOutInTunnels.counted("packet{s} with tunnels or tags {was|were} excluded")
          + "; add them to the filter (vlan and …) or remove the filter"
      )
    }
    if choice.leftOutFragments > 0 {
      warnings.append(
        "\(file): --filter does not find the ports of every IP fragment: "
          + choice.leftOutFragments.counted("fragment{s} of TCP {was|were} excluded")
          + "; add them to the filter (… or ip[6:2] & 0x1fff != 0 or ip6[6] = 44) or remove the filter"
      )
    }
    for refusal in choice.refusals {
      warnings.append(
        "\(file): --filter does not support link type \(refusal.linkType), whose packets are excluded: \(refusal.reason)"
      )
    }
  }

  /// Returns the faults of an input as one, the first of which ended its reading; nil if there are none.
  static func fault(_ errors: [CaptureError]) -> InputSummary.Fault? {
    let faults = errors.map(fault)
    guard var fault = faults.first else { return nil }
    fault.text = faults.map(\.text).joined(separator: "; ")
    fault.isTruncated = faults.allSatisfy(\.isTruncated)
    return fault
  }

  static func fault(_ error: CaptureError) -> InputSummary.Fault {
    var isTruncated = false
    switch error.reason {
    case .truncated, .packedDataTruncated, .archiveTruncated: isTruncated = true
    default: break
    }
    return InputSummary.Fault(DisplayText.escaped(error.description), at: UInt64(exactly: error.offset), isTruncated: isTruncated)
  }
}
