import ArgumentParser
import ATScope

/// The options for trusted roots and intermediates.
struct TrustArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Also trust these certificates (PEM or DER), as if a user or administrator had installed them; may be repeated.", valueName: "file"),
    completion: .file(extensions: ["pem", "crt", "cer", "der"])) var anchors: [String] = []

  @Option(
    help: ArgumentHelp(
      "The system roots: Apple's own store for the release (default), this machine's store, or a PEM file.", valueName: "apple|machine|file"
    ), completion: .file(extensions: ["pem", "crt"])) var systemAnchors: String?

  @Option(
    help: ArgumentHelp(
      "Intermediates (PEM or DER) that may complete every chain. none: use no intermediates from other sessions, and do not link saved sessions of different captures, so that their order does not matter. May be repeated.",
      valueName: "file|none"), completion: .file(extensions: ["pem", "crt", "cer", "der"])) var intermediates: [String] = []

  @Flag(help: "Do not trust the system roots.")
  var noSystemAnchors = false

  func validate() throws {
    if noSystemAnchors, systemAnchors != nil { throw ValidationError("--system-anchors and --no-system-anchors cannot be used together.") }
  }

  private var system: TrustAnchors.System {
    if noSystemAnchors { return .none }
    return switch systemAnchors {
    case nil, "apple"?: .apple
    case "machine"?: .machine
    case let file?: .file(file)
    }
  }

  var intermediateFiles: [String] { intermediates.filter { $0 != "none" } }

  /// The file of the system roots, if one is given.
  var systemFiles: [String] { if case .file(let file) = system { [file] } else { [] } }

  func read(leavingOut unusable: inout [AuditError]) -> TrustAnchors {
    TrustAnchors(
      system: system, added: anchors, intermediates: intermediateFiles,
      takesShownIntermediates: !intermediates.contains("none"), leavingOut: &unusable)
  }
}
