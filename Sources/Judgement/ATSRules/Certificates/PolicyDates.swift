import Values

/// The dates from which certificate rules apply, in UTC (policy text D.6, D.12, D.13, D.16, D.19).
enum PolicyDates {
  /// 2016-07-01T00:00:00Z: at most 39 months.
  static let july2016 = Timestamp(seconds: 1_467_331_200)
  /// 2016-12-01T00:00:00Z: partial distrust of StartCom and WoSign.
  static let december2016 = Timestamp(seconds: 1_480_550_400)
  /// 2018-03-01T00:00:00Z: at most 825 days under system roots.
  static let march2018 = Timestamp(seconds: 1_519_862_400)
  /// 2018-10-16T00:00:00Z: Certificate Transparency is required.
  static let october2018 = Timestamp(seconds: 1_539_648_000)
  /// 2019-06-30T23:00:00Z, an hour before the documented date: at most 825 days, and serverAuth, under all roots.
  static let july2019 = Timestamp(seconds: 1_561_935_600)
  /// 2020-09-01T00:00:00Z: at most 398 days under system roots.
  static let september2020 = Timestamp(seconds: 1_598_918_400)
  /// 2021-04-21T00:00:00Z: the newer table of SCT counts applies.
  static let april2021 = Timestamp(seconds: 1_618_963_200)
  /// 2024-11-15T23:59:59Z: partial distrust of Entrust.
  static let november2024 = Timestamp(seconds: 1_731_715_199)
  /// The CA/Browser Forum's limits of issuance, in days, from 2026-03-15, 2027-03-15 and 2029-03-15.
  static let issuanceLimits: [(from: Timestamp, days: Int64)] = [
    (Timestamp(seconds: 1_773_532_800), 200), (Timestamp(seconds: 1_805_068_800), 100),
    (Timestamp(seconds: 1_868_227_200), 47),
  ]

  static let day: Int64 = 86_400
}
