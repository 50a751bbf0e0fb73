package import TLSParsing

/// The differences between releases, one property each (policy text B, C.4, C.5).
extension SystemRelease {
  /// Whether the release has ATS (A.2).
  package var hasATS: Bool { isAtLeast(9) }

  /// Whether the release reads the keys for web content, media and local networking (B.2).
  package var readsNarrowGlobalKeys: Bool { isAtLeast(10) }

  /// Whether local names need no HTTPS unless a key requires it (C.5).
  package var exemptsDirectNames: Bool { isAtLeast(10) }

  /// Whether no IP literal, local or public, needs HTTPS (C.5).
  package var exemptsAllAddresses: Bool { isAtLeast(10) && !isAtLeast(17) }

  /// Whether local addresses need no HTTPS unless a key requires it (C.2).
  package var exemptsDirectAddresses: Bool { isAtLeast(17) }

  /// Whether the release reads addresses and ranges as keys of NSExceptionDomains (B.8).
  package var readsAddressKeys: Bool { isAtLeast(17) }

  /// Whether the release reads NSThirdPartyException… and NSTemporaryException… in place of the current names (B.5).
  package var readsAliases: Bool { hasATS && !isAtLeast(18, 4) }

  /// Whether the minimum `TLSv1.3` takes effect; in earlier releases it is equivalent to `TLSv1.2` (B.11).
  package var knowsTLS13Minimum: Bool { isAtLeast(14) }

  /// Whether the release reads NSPinnedDomains (B.12).
  package var readsPins: Bool { isAtLeast(14) }

  /// Whether NSRequiresCertificateTransparency requires two logs (B.5).
  package var readsTransparencyKey: Bool { isAtLeast(10) && !isAtLeast(12, 1) }

  /// Whether the release reads the NIAP keys (B.13).
  package var readsNIAPKeys: Bool { isAtLeast(26, 4) }

  /// Whether the release fetches the certificates of issuers that a server did not send (D.6).
  package var fetchesIssuers: Bool { platform != .watchos || !isAtLeast(11) }

  /// Whether a path of certificates may continue after one whose issuer has the name of one below it (D.6).
  package var followsNameLoops: Bool { !isAtLeast(11) }

  /// The minimum version that the system offers if ATS is off, for a program linked with this SDK (C.4).
  package func systemMinimumTLSVersion(sdk: SystemRelease) -> TLSVersion {
    isAtLeast(26) && sdk.isAtLeast(26) ? .tls12 : .tls10
  }

  /// The maximum version that the system offers (C.4).
  package var maximumTLSVersion: TLSVersion { isAtLeast(12, 2) ? .tls13 : .tls12 }
}
