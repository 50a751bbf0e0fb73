import ArgumentParser
import ATScope

/// Chains for sessions that hide their certificates.
struct SuppliedChainArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Certificates to assume for HOST in sessions that hide them: a file (PEM, DER, or the output of openssl s_client -showcerts), the server's own certificate first, or a folder of such files. Without HOST, a file is for the names in its first certificate, and a file HOST_PORT.pem in a folder for this host. captured: use the chains that other sessions in the inputs show. If several chains fit a session and a rule's outcome depends on which, the rule is unknown. May be repeated.",
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
