import AppleTrust
import Values

/// The dates from which rules about certificates hold, in UTC (policy text D.12, D.13, D.16, D.19).
enum PolicyDates {
  /// Two years before the date of the newest of Apple's stores: sessions of before have a release of their own to be judged by.
  static let twoYearsBeforeNewestStore: Timestamp? = {
    let date = Int(AppleRootStore.newest.version / 100)
    return Timestamp(year: date / 10_000 - 2, month: date / 100 % 100, day: date % 100)
  }()

  /// 2016-07-01T00:00:00Z: 39 months at most.
  static let july2016 = Timestamp(seconds: 1_467_331_200)
  /// 2018-03-01T00:00:00Z: 825 days at most under system roots.
  static let march2018 = Timestamp(seconds: 1_519_862_400)
  /// 2018-10-16T00:00:00Z: Certificate Transparency.
  static let october2018 = Timestamp(seconds: 1_539_648_000)
  /// 2019-06-30T23:00:00Z: 825 days at most and serverAuth under all roots. An hour before the documented
  /// date.
  static let july2019 = Timestamp(seconds: 1_561_935_600)
  /// 2020-09-01T00:00:00Z: 398 days at most under system roots.
  static let september2020 = Timestamp(seconds: 1_598_918_400)
  /// 2021-04-21T00:00:00Z: the newer table of SCT counts.
  static let april2021 = Timestamp(seconds: 1_618_963_200)
  /// 2026-03-15, 2027-03-15 and 2029-03-15: the CA/Browser Forum's limits of issuance, in days.
  static let issuanceLimits: [(from: Timestamp, days: Int64)] = [
    (Timestamp(seconds: 1_773_532_800), 200), (Timestamp(seconds: 1_805_068_800), 100),
    (Timestamp(seconds: 1_868_227_200), 47),
  ]

  static let day: Int64 = 86_400
}
