/// What the releases differ in, one question each (policy text B, C.4, C.5).
extension SystemRelease {
  /// Whether there is ATS at all (A.2).
  package var hasATS: Bool { isAtLeast(9) }

  /// Whether the keys for web content, media and local networking are read (B.2).
  package var readsNarrowGlobalKeys: Bool { isAtLeast(10) }

  /// Whether local names need no HTTPS unless a key says so (C.5).
  package var exemptsDirectNames: Bool { isAtLeast(10) }

  /// Whether no IP literal needs HTTPS, be it local or public (C.5).
  package var exemptsAllAddresses: Bool { isAtLeast(10) && !isAtLeast(17) }

  /// Whether local addresses need no HTTPS unless a key says so (C.2).
  package var exemptsDirectAddresses: Bool { isAtLeast(17) }

  /// Whether addresses and ranges are read as keys of NSExceptionDomains (B.8).
  package var readsAddressKeys: Bool { isAtLeast(17) }

  /// Whether NSThirdPartyException… and NSTemporaryException… stand in for the current names (B.5).
  package var readsAliases: Bool { hasATS && !isAtLeast(18, 4) }

  /// Whether `TLSv1.3` as a minimum takes effect; before, it is as good as `TLSv1.2` (B.11).
  package var knowsTLS13Minimum: Bool { isAtLeast(14) }

  /// Whether NSPinnedDomains is read (B.12).
  package var readsPins: Bool { isAtLeast(14) }

  /// Whether NSRequiresCertificateTransparency requires two logs (B.5).
  package var readsTransparencyKey: Bool { isAtLeast(10) && !isAtLeast(12, 1) }

  /// Whether the NIAP keys are read (B.13).
  package var readsNIAPKeys: Bool { isAtLeast(26, 4) }

  /// The least version that the system offers where ATS is off, for a program of the given SDK (C.4).
  package func systemMinimumTLSVersion(sdk: SystemRelease) -> UInt16 {
    isAtLeast(26) && sdk.isAtLeast(26) ? 0x0303 : 0x0301
  }

  /// The greatest version that the system offers (C.4).
  package var maximumTLSVersion: UInt16 { isAtLeast(12, 2) ? 0x0304 : 0x0303 }
}
