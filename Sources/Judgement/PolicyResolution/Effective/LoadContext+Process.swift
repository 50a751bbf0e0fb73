extension LoadContext {
  /// Who makes the loads of a process of this name, which captures cut to 16 characters (policy text A.5); nil where
  /// the name does not tell.
  public init?(process: String, in release: SystemRelease) {
    if process.hasPrefix("com.apple.WebKit") {
      self = .web
    } else if process.hasPrefix("mediaplaybackd")
      || process.hasPrefix("mediaserverd") && !release.isAtLeast(18, 4)
    {
      self = .media
    } else if process == "nsurlsessiond" {
      self = .app
    } else {
      return nil
    }
  }
}
