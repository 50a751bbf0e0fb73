package import Values

/// The release dates of iOS, for sessions that are judged by the release of their time (policy text F).
///
/// They come from Apple's release announcements; for the newest releases only the month is reliable.
enum ReleaseDates {
  /// The major versions, each with the days of its minor versions from 0.
  private static let days: [(major: Int, minors: [String])] = [
    (9, ["2015-09-16", "2015-10-21", "2015-12-08", "2016-03-21"]),
    (10, ["2016-09-13", "2016-10-24", "2016-12-12", "2017-03-27"]),
    (11, ["2017-09-19", "2017-10-31", "2017-12-02", "2018-03-29", "2018-05-29"]),
    (12, ["2018-09-17", "2018-10-30", "2019-03-25", "2019-05-13", "2019-07-22"]),
    (13, ["2019-09-19", "2019-09-24", "2019-10-28", "2019-12-10", "2020-03-24", "2020-05-20", "2020-07-15", "2020-09-01"]),
    (14, ["2020-09-16", "2020-10-20", "2020-11-05", "2020-12-14", "2021-01-26", "2021-04-26", "2021-05-24", "2021-07-19", "2021-09-13"]),
    (15, ["2021-09-20", "2021-10-25", "2021-12-13", "2022-01-26", "2022-03-14", "2022-05-16", "2022-07-20"]),
    (16, ["2022-09-12", "2022-10-24", "2022-12-13", "2023-01-23", "2023-03-27", "2023-05-18", "2023-07-24"]),
    (17, ["2023-09-18", "2023-10-25", "2023-12-11", "2024-01-22", "2024-03-05", "2024-05-13", "2024-07-29"]),
    (18, ["2024-09-16", "2024-10-28", "2024-12-11", "2025-01-27", "2025-03-31", "2025-05-12", "2025-07-29"]),
    (26, ["2025-09-15", "2025-11-03", "2025-12-12", "2026-02-01", "2026-03-15", "2026-05-01"]),
  ]

  static let rows: [(release: SystemRelease, since: Timestamp)] = days.flatMap { major, minors in
    minors.enumerated().compactMap { minor, day in
      Timestamp(iso8601: day + "T00:00:00Z").map {
        (release: SystemRelease(platform: .ios, version: SystemVersion(major, minor)), since: $0)
      }
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
