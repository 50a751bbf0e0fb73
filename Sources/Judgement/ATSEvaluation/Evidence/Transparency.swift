import ByteParsing
import CertificateParsing
import PolicyResolution
import SessionObservation
import Values

/// What a session shows of Certificate Transparency, counted and not verified (policy text D.16).
struct Transparency {
  /// The logs that speak for the certificate in its own extension, by their identifiers.
  var embeddedLogs: Set<Bytes> = []

  /// The logs that speak for it in the TLS extension.
  var deliveredLogs: Set<Bytes> = []

  /// Whether a list could not be read.
  var hasUnreadableList = false

  /// How many logs speak for the certificate.
  var logCount: Int { embeddedLogs.union(deliveredLogs).count }

  /// Counts the SCTs whose time is not after that of the judgement.
  init(_ session: ObservedSession, _ context: JudgingContext) {
    if let list = context.certificates.leaf?.certificate.sctList {
      embeddedLogs = logs(in: list, context.clock)
    }
    if let list = session.tls?.sctList { deliveredLogs = logs(in: list, context.clock) }
  }

  private mutating func logs(in bytes: Bytes, _ clock: JudgingClock) -> Set<Bytes> {
    guard let list = try? SignedCertificateTimestampList(parsing: bytes.span) else {
      hasUnreadableList = true
      return []
    }
    return Set(
      list.timestamps.lazy.filter { $0.version == 0 && clock.isAtOrAfter($0.time) != false }.map(\.logID))
  }

  /// The time at which the first log saw a certificate; nil where the certificate does not tell.
  static func earliestEmbedded(in certificate: Certificate) -> Timestamp? {
    guard let bytes = certificate.sctList,
      let list = try? SignedCertificateTimestampList(parsing: bytes.span)
    else { return nil }
    return list.timestamps.lazy.filter { $0.version == 0 }.map(\.time).min()
  }

  /// How many embedded SCTs a certificate needs; nil where its dates cannot be read.
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

  /// Whole calendar months between two moments.
  static func wholeMonths(from start: Timestamp, to end: Timestamp) -> Int {
    let (a, b) = (start.components, end.components)
    let months = (b.year - a.year) * 12 + b.month - a.month
    let isShort = (b.day, b.hour, b.minute, b.second) < (a.day, a.hour, a.minute, a.second)
    return isShort ? months - 1 : months
  }
}
