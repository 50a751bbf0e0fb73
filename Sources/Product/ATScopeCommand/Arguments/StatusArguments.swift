import ArgumentParser
import ATScope

/// What speaks for or against certificates besides their chains.
struct StatusArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The list that SCTs are verified with: Apple's own (default), none (they are counted), or a file (Apple's or Google's JSON).",
      valueName: "apple|none|file"),
    completion: .file(extensions: ["json"]))
  var ctLogList: String?

  @Option(
    help: ArgumentHelp(
      "Apply the CRLs and OCSP responses of this file (PEM or DER); may be repeated. Stapled responses count anyway.",
      valueName: "file"),
    completion: .file(extensions: ["crl", "pem", "der"]))
  var revocations: [String] = []

  func validate() throws {
    if (logListFiles + revocations).filter({ $0 == "-" }).count > 1 {
      throw ValidationError("The standard input can be read once only.")
    }
  }

  /// The list that the arguments name.
  private var logList: StatusSources.LogList {
    switch ctLogList {
    case nil, "apple"?: .apple
    case "none"?: .none
    case let file?: .file(file)
    }
  }

  /// The file of the list, as far as one is named.
  var logListFiles: [String] { if case .file(let file) = logList { [file] } else { [] } }

  /// Reads the files.
  func read(leavingOut unusable: inout [AuditError]) -> StatusSources {
    StatusSources(logList: logList, revocations: revocations, leavingOut: &unusable)
  }
}
