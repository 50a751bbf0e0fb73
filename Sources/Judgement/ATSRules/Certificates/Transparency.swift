import ATSEvidence
import ByteParsing
import CertificateParsing
import CertificateTransparency
import PolicyResolution
import SessionModel
import Values

/// The Certificate Transparency evidence of a session (policy text D.16).
struct Transparency {
  /// The SCT lists, with the way in which each was delivered.
  private(set) var lists: [(source: TimestampSource, bytes: Bytes)] = []

  /// The log identifiers of SCTs embedded in the certificate; counted, not verified.
  var embeddedLogs: Set<Bytes> = []

  /// The log identifiers of SCTs from the TLS extension or the stapled response; counted, not verified.
  var deliveredLogs: Set<Bytes> = []

  /// Whether a stapled response, which may contain an SCT list, could not be parsed.
  var hasUnreadableStaple = false

  /// A sentence that the packets' clock may be wrong, so that SCTs may have been dismissed; otherwise nil.
  let clockSuspicion: String?

  /// The number of distinct logs.
  var logCount: Int { embeddedLogs.union(deliveredLogs).count }

  /// Counts the SCTs that are not later than the time of the judgement.
  init(_ session: SessionEvidence, _ context: JudgingContext) {
    clockSuspicion = Transparency.clockSuspicion(context)
    let leaf = context.certificates.leaf?.certificate
    if let list = leaf?.sctList { lists.append((.certificate, list)) }
    if let list = session.tls?.sctList { lists.append((.tls, list)) }
    if let staple = session.tls?.ocspResponse, let leaf { addStaple(staple, leaf) }
    for (source, bytes) in lists {
      let logs = logs(in: bytes, context.clock)
      if source == .certificate { embeddedLogs.formUnion(logs) } else { deliveredLogs.formUnion(logs) }
    }
  }

  /// Adds the SCT list from a stapled response about the leaf.
  private mutating func addStaple(_ staple: Bytes, _ leaf: Certificate) {
    guard let response = try? OCSPResponse(parsing: staple.span) else {
      hasUnreadableStaple = true
      return
    }
    let single = response.responses.first { $0.certificateID.serial == leaf.serial && $0.sctList != nil }
    if let list = single?.sctList { lists.append((.ocsp, list)) }
  }

  /// The time of the earliest SCT of any delivery; nil if there is none.
  var earliest: Timestamp? {
    lists.compactMap { Transparency.earliest(in: $0.bytes) }.min()
  }

  private static func earliest(in bytes: Bytes) -> Timestamp? {
    guard let list = try? SignedCertificateTimestampList(parsing: bytes.span) else { return nil }
    return list.timestamps.lazy.filter { $0.version == 0 }.map(\.time).min()
  }

  /// Assesses the SCTs under the log list, given the number of embedded SCTs that the leaf needs.
  func assessment(_ verifier: TransparencyVerifier, needed: Int, in context: JudgingContext) -> TransparencyAssessment {
    var timestamps: [VerifiedTimestamp] = []
    let path = context.certificates.path
    let issuer = path.count > 1 ? path[1] : nil
    for (source, bytes) in lists {
      guard let leaf = path.first?.certificate,
        let verified = verifier.timestamps(bytes, from: source, of: leaf, issuer: issuer?.certificate)
      else { continue }
      timestamps += verified.map { timestamp in
        // If the issuer is only a namesake of the true one, no embedded SCT verifies.
        guard source == .certificate, timestamp.validity == .invalid(.signature), issuer?.isCertain != true
        else { return timestamp }
        var timestamp = timestamp
        timestamp.validity = .notVerifiable
        return timestamp
      }
    }
    return TransparencyAssessment(timestamps, in: verifier.logList, needed: needed) {
      context.clock.isAtOrAfter($0)
    }
  }

  /// Whether embedded SCTs could not be verified because the issuer's certificate is missing or may be a namesake's.
  func lacksIssuer(_ assessment: TransparencyAssessment, in context: JudgingContext) -> Bool {
    guard lists.contains(where: { $0.source == .certificate }) else { return false }
    guard let issuer = context.certificates.path.dropFirst().first else { return true }
    return !issuer.isCertain && assessment.notVerifiableCount > 0
  }

  /// If the list cannot be split into entries, a device finds none in it either.
  private func logs(in bytes: Bytes, _ clock: JudgingClock) -> Set<Bytes> {
    guard let list = try? SignedCertificateTimestampList(parsing: bytes.span) else { return [] }
    return Set(
      list.timestamps.lazy.filter { $0.version == 0 && clock.isAtOrAfter($0.time) != false }.map(\.logID))
  }

  /// The time of the earliest embedded SCT; nil if the certificate has none that can be read.
  static func earliestEmbedded(in certificate: Certificate) -> Timestamp? {
    certificate.sctList.flatMap { earliest(in: $0) }
  }

  /// A sentence that the packets' clock may be wrong, because a log received the certificate after the session; otherwise nil.
  static func clockSuspicion(_ context: JudgingContext) -> String? {
    guard !context.isTimeStated, let leaf = context.certificates.leaf?.certificate,
      let seen = earliestEmbedded(in: leaf), context.clock.isAtOrAfter(seen) == false
    else { return nil }
    let time = seen.date == context.clock.date ? seen.description : seen.date
    return "A log received the certificate on \(time), after the time of the packets: the capture's clock may be wrong."
  }

  /// The number of embedded SCTs that a certificate needs; nil if its dates cannot be read.
  static func embeddedNeeded(_ leaf: Certificate, in release: SystemRelease) -> Int? {
    guard let notBefore = leaf.notBefore, let notAfter = leaf.notAfter else { return nil }
    if notBefore >= PolicyDates.april2021, release.isAtLeast(14, 6) {
      let (period, overflow) = notAfter.seconds.subtractingReportingOverflow(notBefore.seconds)
      if overflow { return 4 }
      return period <= 180 * PolicyDates.day ? 2 : period <= 825 * PolicyDates.day ? 3 : 4
    }
    switch wholeMonths(from: notBefore, to: notAfter) {
    case ..<15: return 2
    case ...27: return 3
    case ...39: return 4
    default: return 5
    }
  }

  /// Whole calendar months between two times. A month ends on the day with the same number, or on its last day if the month has no such
  /// day.
  static func wholeMonths(from start: Timestamp, to end: Timestamp) -> Int {
    let (a, b) = (start.components, end.components)
    let months = (b.year - a.year) * 12 + b.month - a.month
    let day = min(a.day, Timestamp.days(inMonth: b.month, of: b.year))
    let isShort = (b.day, b.hour, b.minute, b.second) < (day, a.hour, a.minute, a.second)
    return isShort ? months - 1 : months
  }
}
