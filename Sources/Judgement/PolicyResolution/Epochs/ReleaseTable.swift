/// The existing releases, and the iOS release with the same policy for each (policy text F.2).
enum ReleaseTable {
  /// The newest version that the policy text describes, the same number on every system.
  static let newest = SystemVersion(26, 5)

  /// The minor versions by major version, from the first with ATS to the last.
  private static let minors: [SystemRelease.Platform: [Int: ClosedRange<Int>]] = [
    .ios: iOSMinors,
    .ipados: iOSMinors.filter { $0.key >= 13 },
    .tvos: [
      9: 0...2, 10: 0...2, 11: 0...4, 12: 0...4, 13: 0...4, 14: 0...7, 15: 0...6, 16: 0...6, 17: 0...6,
      18: 0...6, 26: 0...5,
    ],
    .watchos: [
      2: 0...2, 3: 0...2, 4: 0...3, 5: 0...3, 6: 0...3, 7: 0...6, 8: 0...8, 9: 0...6, 10: 0...6, 11: 0...6,
      26: 0...5,
    ],
    .visionos: [1: 0...3, 2: 0...6, 26: 0...5],
    .macos: [10: 11...15, 11: 0...7, 12: 0...7, 13: 0...7, 14: 0...8, 15: 0...7, 26: 0...5],
  ]

  private static let iOSMinors: [Int: ClosedRange<Int>] = [
    9: 0...3, 10: 0...3, 11: 0...4, 12: 0...5, 13: 0...7, 14: 0...8, 15: 0...8, 16: 0...7, 17: 0...7,
    18: 0...7, 26: 0...5,
  ]

  /// The known versions of a system, the oldest first.
  static func versions(of platform: SystemRelease.Platform) -> [SystemVersion] {
    (minors[platform] ?? [:]).sorted { $0.key < $1.key }.flatMap { major, minors in
      minors.map { SystemVersion(major, $0) }
    }
  }

  /// Why a version is not a release of the platform; nil if it is one.
  static func problem(with version: SystemVersion, of platform: SystemRelease.Platform) -> String? {
    let known = minors[platform] ?? [:]
    let name = platform.displayName
    if let minors = known[version.major] {
      if minors.contains(version.minor) { return nil }
      if version.major == newest.major { return "the newest known release is \(name) \(newest)" }
      if version.minor < minors.lowerBound {
        return "\(name) \(version.major).\(version.minor) has no ATS, which begins with "
          + "\(name) \(version.major).\(minors.lowerBound)"
      }
      return "\(name) \(version.major) went up to \(version.major).\(minors.upperBound)"
    }
    if version > newest { return "the newest known release is \(name) \(newest)" }
    if let first = known.keys.min(), version.major < first { return "the first known \(name) with ATS is \(first)" }
    return "there is no \(name) \(version.major)"
  }

  static func iOSEquivalent(of platform: SystemRelease.Platform, _ version: SystemVersion) -> SystemVersion {
    switch platform {
    // From 26 on all systems carry the same number.
    case _ where version.major >= 26: SystemVersion(version.major, version.minor)
    case .ios, .ipados, .tvos: SystemVersion(version.major, version.minor)
    case .watchos: SystemVersion(version.major + 7, iOSMinor(ofWatchOS: version))
    // visionOS 1.0 to 1.3 were released with iOS 17.3 to 17.6, 2.0 and later with the same minor version of iOS 18.
    case .visionos: SystemVersion(version.major + 16, version.minor + (version.major == 1 ? 3 : 0))
    case .macos: macOSRows.last { $0.macOS <= version }?.iOS ?? SystemVersion(8)
    }
  }

  /// The minor version of the iOS that was released together with a watchOS.
  private static func iOSMinor(ofWatchOS version: SystemVersion) -> Int {
    guard let minors = iOSMinorsOfWatchOS[version.major], minors.indices.contains(version.minor) else { return version.minor }
    return minors[version.minor]
  }

  /// For the major versions of watchOS whose minor versions differ from those of iOS: the latter, by the former. There was no watchOS 8.2.
  private static let iOSMinorsOfWatchOS: [Int: [Int]] = [
    5: [0, 1, 2, 4], 6: [0, 2, 4, 7], 7: [0, 2, 3, 4, 5, 6, 7], 8: [0, 1, 1, 2, 3, 4, 5, 6, 7],
  ]

  /// The macOS release that was published with an iOS release, up to iOS 12 that with the same policy; the first with ATS for anything
  /// earlier.
  static func macOSEquivalent(ofIOS version: SystemVersion) -> SystemVersion {
    if version.major >= 26 { return version }
    // iOS 13.4 to 13.6 were published with macOS 10.15.4 to 10.15.6.
    if version.major == 13 { return SystemVersion(10, 15, version.minor) }
    if let lead = leadsOfIOS[version.major] { return SystemVersion(version.major - 3, max(0, version.minor - lead)) }
    return macOSRows.last { $0.iOS <= version }?.macOS ?? SystemVersion(10, 11)
  }

  /// By the major version of iOS: how much its minor version exceeds that of the macOS published with it (14.6 ↔ 11.4, 15.4 ↔ 12.3,
  /// 18.4 ↔ 15.4).
  private static let leadsOfIOS = [14: 2, 15: 1, 16: 1, 17: 0, 18: 0]

  /// The macOS releases with the iOS release of the same policy; a release that is not listed counts as the nearest earlier one.
  static let macOSRows: [(macOS: SystemVersion, iOS: SystemVersion)] = [
    (SystemVersion(10, 11), SystemVersion(9)),
    (SystemVersion(10, 12), SystemVersion(10)),
    (SystemVersion(10, 13), SystemVersion(11)),
    (SystemVersion(10, 14), SystemVersion(12)),
    (SystemVersion(10, 14, 2), SystemVersion(12, 1)),
    (SystemVersion(10, 14, 4), SystemVersion(12, 2)),
    (SystemVersion(10, 15), SystemVersion(13)),
    (SystemVersion(11), SystemVersion(14)),
    (SystemVersion(11, 4), SystemVersion(14, 6)),
    (SystemVersion(12), SystemVersion(15)),
    (SystemVersion(12, 3), SystemVersion(15, 4)),
    (SystemVersion(13), SystemVersion(16)),
    (SystemVersion(14), SystemVersion(17)),
    (SystemVersion(15), SystemVersion(18)),
    (SystemVersion(15, 4), SystemVersion(18, 4)),
    (SystemVersion(15, 5), SystemVersion(18, 5)),
  ]
}
