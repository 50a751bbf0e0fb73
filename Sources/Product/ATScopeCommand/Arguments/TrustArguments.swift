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
      "The system's roots: Apple's own store of the release (default), the store of this machine, or a PEM file.",
      valueName: "apple|machine|file"),
    completion: .file(extensions: ["pem", "crt"]))
  var systemAnchors: String?

  @Option(
    help: ArgumentHelp(
      "Intermediates (PEM or DER) that may complete every chain; none: use no intermediates that other sessions showed, and link no saved sessions of different captures, so that their order does not matter. May be repeated.",
      valueName: "file|none"),
    completion: .file(extensions: ["pem", "crt", "cer", "der"]))
  var intermediates: [String] = []

  @Flag(help: "Use no system roots.")
  var noSystemAnchors = false

  func validate() throws {
    if noSystemAnchors, systemAnchors != nil {
      throw ValidationError("--system-anchors and --no-system-anchors exclude each other.")
    }
  }

  /// The system's roots that the arguments name.
  private var system: TrustAnchors.System {
    if noSystemAnchors { return .none }
    return switch systemAnchors {
    case nil, "apple"?: .apple
    case "machine"?: .machine
    case let file?: .file(file)
    }
  }

  /// The files of intermediates.
  var intermediateFiles: [String] { intermediates.filter { $0 != "none" } }

  /// The file of the system's roots, as far as one is named.
  var systemFiles: [String] { if case .file(let file) = system { [file] } else { [] } }

  /// Reads the anchors. Without all that were named, nothing is said of trust: what one of them would vouch for is no stranger.
  func read(leavingOut unusable: inout [AuditError]) -> TrustAnchors {
    do throws(AuditError) {
      return try TrustAnchors(
        system: system, added: anchors, intermediates: intermediateFiles,
        takesShownIntermediates: !intermediates.contains("none"))
    } catch {
      unusable.append(error)
      return .none
    }
  }
}
