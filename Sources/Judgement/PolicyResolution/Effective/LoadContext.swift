/// Who made a load (policy text A.5).
public enum LoadContext: String, Hashable, Sendable, CaseIterable {
  /// The app's own code, with the URL loading system.
  case app
  /// A web view.
  case web
  /// AVFoundation.
  case media

  /// The origin of the context of a load.
  package enum Source: String, Hashable, Sendable {
    /// An option of the user.
    case option
    /// The process of the session.
    case process
    /// Neither an option nor a process; the app is assumed.
    case assumed = "default"
  }
}
