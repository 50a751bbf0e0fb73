import ArgumentParser
import ATScope

/// Chains for sessions that hide their certificates.
struct SuppliedChainArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Certificates to assume for HOST in sessions that hide them (PEM, DER, or the output of openssl s_client -showcerts; the server's own first), or a folder of such files. Without HOST, the first certificate's names apply, or the file name in a folder (HOST_PORT.pem). captured: the chains that other sessions in the inputs show. If different chains fit a session, a rule is unknown unless its outcome is the same with each. May be repeated.",
      valueName: "[host=]file|folder|captured"), completion: .file(extensions: ["pem", "crt", "cer", "der"])) var chain: [String] = []

  /// The argument for the chains that other sessions in the same inputs show.
  static let captured = "captured"

  func read(leavingOut unusable: inout [AuditError]) -> SuppliedChains {
    var chains = SuppliedChains()
    for argument in chain {
      if argument == SuppliedChainArguments.captured {
        chains.addCaptured()
        continue
      }
      let assigned = AssignedFile(argument)
      chains.add(assigned.file, for: assigned.name, leavingOut: &unusable)
    }
    return chains
  }
}
