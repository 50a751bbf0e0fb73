import ByteParsing
import InfoPlistReading
import PolicyResolution
import PropertyLists

extension FuzzTarget {
  /// Any bytes either parse or throw; parsed settings can be linted and resolved, and written ones parse to the same settings.
  static let infoPlist = FuzzTarget("InfoPlist") { bytes in
    guard let list = try? InfoPropertyList(reading: Bytes(copying: bytes)) else { return }
    _ = list.lint()
    let resolver = PolicyResolver(dictionary: list.ats)
    for host in ["example.com", "www.example.com", "10.1.2.3", "nas"] {
      _ = resolver.policy(for: PolicyRequest(host: HostIdentity(host)))
    }
    guard var settings = list.ats else { return }
    // The writer omits early names of keys.
    for index in settings.exceptionDomains.indices { settings.exceptionDomains[index].aliases = [:] }
    guard let written = settings.infoPropertyList().xml() else { return }
    guard let again = try? InfoPropertyList(reading: written) else {
      preconditionFailure("cannot be read again")
    }
    precondition(again.ats == settings)
  }
}
