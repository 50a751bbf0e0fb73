import ArgumentParser
import ATScope

/// What speaks for or against certificates besides their chains.
struct StatusArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Verify SCTs under this list of logs (Apple's or Google's JSON, version 3); without it they are counted.",
      valueName: "file"),
    completion: .file(extensions: ["json"]))
  var ctLogList: String?

  @Option(
    help: ArgumentHelp(
      "Apply the CRLs and OCSP responses of this file (PEM or DER); may be repeated. Stapled responses count anyway.",
      valueName: "file"),
    completion: .file(extensions: ["crl", "pem", "der"]))
  var revocations: [String] = []

  func validate() throws {
    if ([ctLogList].compactMap { $0 } + revocations).filter({ $0 == "-" }).count > 1 {
      throw ValidationError("The standard input can be read once only.")
    }
  }

  /// Reads the files.
  func read(leavingOut unusable: inout [AuditError]) -> StatusSources {
    StatusSources(logList: ctLogList, revocations: revocations, leavingOut: &unusable)
  }
}
