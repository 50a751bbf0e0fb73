package import Values

/// The release dates of iOS, for sessions that are judged by the release of their time (policy text F).
///
/// They come from Apple's release announcements; for the newest releases only the month is reliable.
enum ReleaseDates {
  private static let days: [(version: SystemVersion, day: String)] = [
    (SystemVersion(9), "2015-09-16"), (SystemVersion(9, 1), "2015-10-21"),
    (SystemVersion(9, 2), "2015-12-08"),
    (SystemVersion(9, 3), "2016-03-21"), (SystemVersion(10), "2016-09-13"),
    (SystemVersion(10, 1), "2016-10-24"),
    (SystemVersion(10, 2), "2016-12-12"), (SystemVersion(10, 3), "2017-03-27"),
    (SystemVersion(11), "2017-09-19"),
    (SystemVersion(11, 1), "2017-10-31"), (SystemVersion(11, 2), "2017-12-02"),
    (SystemVersion(11, 3), "2018-03-29"),
    (SystemVersion(11, 4), "2018-05-29"), (SystemVersion(12), "2018-09-17"),
    (SystemVersion(12, 1), "2018-10-30"),
    (SystemVersion(12, 2), "2019-03-25"), (SystemVersion(12, 3), "2019-05-13"),
    (SystemVersion(12, 4), "2019-07-22"),
    (SystemVersion(13), "2019-09-19"), (SystemVersion(13, 1), "2019-09-24"),
    (SystemVersion(13, 2), "2019-10-28"),
    (SystemVersion(13, 3), "2019-12-10"), (SystemVersion(13, 4), "2020-03-24"),
    (SystemVersion(13, 5), "2020-05-20"),
    (SystemVersion(13, 6), "2020-07-15"), (SystemVersion(13, 7), "2020-09-01"),
    (SystemVersion(14), "2020-09-16"),
    (SystemVersion(14, 1), "2020-10-20"), (SystemVersion(14, 2), "2020-11-05"),
    (SystemVersion(14, 3), "2020-12-14"),
    (SystemVersion(14, 4), "2021-01-26"), (SystemVersion(14, 5), "2021-04-26"),
    (SystemVersion(14, 6), "2021-05-24"),
    (SystemVersion(14, 7), "2021-07-19"), (SystemVersion(14, 8), "2021-09-13"),
    (SystemVersion(15), "2021-09-20"),
    (SystemVersion(15, 1), "2021-10-25"), (SystemVersion(15, 2), "2021-12-13"),
    (SystemVersion(15, 3), "2022-01-26"),
    (SystemVersion(15, 4), "2022-03-14"), (SystemVersion(15, 5), "2022-05-16"),
    (SystemVersion(15, 6), "2022-07-20"),
    (SystemVersion(16), "2022-09-12"), (SystemVersion(16, 1), "2022-10-24"),
    (SystemVersion(16, 2), "2022-12-13"),
    (SystemVersion(16, 3), "2023-01-23"), (SystemVersion(16, 4), "2023-03-27"),
    (SystemVersion(16, 5), "2023-05-18"),
    (SystemVersion(16, 6), "2023-07-24"), (SystemVersion(17), "2023-09-18"),
    (SystemVersion(17, 1), "2023-10-25"),
    (SystemVersion(17, 2), "2023-12-11"), (SystemVersion(17, 3), "2024-01-22"),
    (SystemVersion(17, 4), "2024-03-05"),
    (SystemVersion(17, 5), "2024-05-13"), (SystemVersion(17, 6), "2024-07-29"),
    (SystemVersion(18), "2024-09-16"),
    (SystemVersion(18, 1), "2024-10-28"), (SystemVersion(18, 2), "2024-12-11"),
    (SystemVersion(18, 3), "2025-01-27"),
    (SystemVersion(18, 4), "2025-03-31"), (SystemVersion(18, 5), "2025-05-12"),
    (SystemVersion(18, 6), "2025-07-29"),
    (SystemVersion(26), "2025-09-15"), (SystemVersion(26, 1), "2025-11-03"),
    (SystemVersion(26, 2), "2025-12-12"),
    (SystemVersion(26, 3), "2026-02-01"), (SystemVersion(26, 4), "2026-03-15"),
    (SystemVersion(26, 5), "2026-05-01"),
  ]

  static let rows: [(release: SystemRelease, since: Timestamp)] = days.compactMap { row in
    Timestamp(iso8601: row.day + "T00:00:00Z").map {
      (SystemRelease(platform: .ios, version: row.version), $0)
    }
  }
}

extension SystemRelease {
  /// The first release with ATS, and its release date.
  package static let firstWithATS = ReleaseDates.rows.first ?? (.newest, Timestamp(seconds: 0))

  /// The iOS release that was current at a time; the first with ATS for earlier times. `isAtOrAfter` states whether the time is its
  /// argument or later; if it returns nil, the time is unknown and the result is the newest release.
  package static func current(_ isAtOrAfter: (Timestamp) -> Bool?) -> SystemRelease {
    for row in ReleaseDates.rows.reversed() {
      guard let isCurrent = isAtOrAfter(row.since) else { return .newest }
      if isCurrent { return row.release }
    }
    return firstWithATS.release
  }
}
