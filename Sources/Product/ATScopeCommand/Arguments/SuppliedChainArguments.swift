import ArgumentParser
import ATScope

/// What stands in for certificates that sessions hide.
struct SuppliedChainArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Certificates to assume for HOST where a session hides them (PEM, DER, or the output of openssl s_client -showcerts, the leaf first), or a folder of such files. Without HOST, hosts are taken from the leaf's names, or from file names of the form HOST_PORT.pem in a folder. captured: the chains that other sessions in the inputs show. May be repeated.",
      valueName: "[host=]file|folder|captured"),
    completion: .file(extensions: ["pem", "crt", "cer", "der"]))
  var chain: [String] = []

  /// Reads the chains.
  func read(leavingOut unusable: inout [AuditError]) -> SuppliedChains {
    var chains = SuppliedChains()
    for argument in chain {
      do throws(AuditError) {
        try chains.add(argument)
      } catch {
        unusable.append(error)
      }
    }
    return chains
  }
}
