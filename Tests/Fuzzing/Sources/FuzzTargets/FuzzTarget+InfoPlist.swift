import ByteParsing
import InfoPlistReading
import PolicyResolution
import PropertyLists

extension FuzzTarget {
  /// Any bytes are an Info.plist or not; settings that were read can be reviewed, asked, and written, and are then the same.
  static let infoPlist = FuzzTarget("InfoPlist") { bytes in
    guard let list = try? InfoPropertyList(reading: Bytes(copying: bytes)) else { return }
    _ = list.lint()
    let resolver = PolicyResolver(dictionary: list.ats)
    for host in ["example.com", "www.example.com", "10.1.2.3", "nas"] {
      _ = resolver.policy(for: PolicyRequest(host: HostIdentity(host)))
    }
    guard var settings = list.ats else { return }
    // Early names are not written.
    for index in settings.exceptionDomains.indices { settings.exceptionDomains[index].aliases = [:] }
    guard let written = settings.infoPropertyList.xml() else { return }
    guard let again = try? InfoPropertyList(reading: written) else {
      preconditionFailure("cannot be read again")
    }
    precondition(again.ats == settings)
  }
}
