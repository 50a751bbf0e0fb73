import ArgumentParser
import ATScope

/// What decides which roots are trusted.
struct TrustArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Trust these certificates too (PEM or DER), as if a user or administrator had installed them; may be repeated.",
      valueName: "file"),
    completion: .file(extensions: ["pem", "crt", "cer", "der"]))
  var anchors: [String] = []

  @Option(
    help: ArgumentHelp(
      "Take the roots of this file (PEM) for the system's own, and not those of this machine.",
      valueName: "file"),
    completion: .file(extensions: ["pem", "crt"]))
  var systemAnchors: String?

  @Flag(help: "Take no roots for the system's own.")
  var noSystemAnchors = false

  func validate() throws {
    if noSystemAnchors, systemAnchors != nil {
      throw ValidationError("--system-anchors and --no-system-anchors exclude each other.")
    }
  }

  /// Reads the anchors. Without all that were named, nothing is said of trust: what one of them would vouch for is no stranger.
  func read(leavingOut unusable: inout [AuditError]) -> TrustAnchors {
    let system: TrustAnchors.System = noSystemAnchors ? .none : systemAnchors.map { .file($0) } ?? .machine
    do throws(AuditError) {
      return try TrustAnchors(system: system, added: anchors)
    } catch {
      unusable.append(error)
      return .none
    }
  }
}
