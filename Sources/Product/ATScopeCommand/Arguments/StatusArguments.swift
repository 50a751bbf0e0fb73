import ArgumentParser
import ATScope

/// The options for Certificate Transparency and revocation.
struct StatusArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The list of logs that verifies SCTs: Apple's own (default), none (SCTs are counted, not verified), or a file (Apple's or Google's JSON).",
      valueName: "apple|none|file"), completion: .file(extensions: ["json"])) var ctLogList: String?

  @Option(
    help: ArgumentHelp(
      "Apply the CRLs and OCSP responses in this file (PEM or DER); may be repeated. Stapled responses always count.", valueName: "file"),
    completion: .file(extensions: ["crl", "pem", "der"])) var revocations: [String] = []

  private var logList: StatusSources.LogList {
    switch ctLogList {
    case nil, "apple"?: .apple
    case "none"?: .none
    case let file?: .file(file)
    }
  }

  /// The file of the list, if one is given.
  var logListFiles: [String] { if case .file(let file) = logList { [file] } else { [] } }

  func read(leavingOut unusable: inout [AuditError]) -> StatusSources {
    StatusSources(logList: logList, revocations: revocations, leavingOut: &unusable)
  }
}
