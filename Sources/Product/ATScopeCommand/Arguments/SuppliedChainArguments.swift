import ArgumentParser
import ATScope

/// What stands in for certificates that sessions hide.
struct SuppliedChainArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Take the certificates of this file (PEM or DER, the leaf first) for those that a host has, where a session hides them; of a folder as `certificates -o` writes it, all its chains. Without HOST by the leaf's names; may be repeated.",
      valueName: "[host=]file|folder"),
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
