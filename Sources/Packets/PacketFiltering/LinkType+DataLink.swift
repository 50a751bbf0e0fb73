import Values

extension LinkType {
  /// libpcap's number (DLT) for this link type.
  var dataLinkType: Int32 {
    switch self {
    // Raw IP is 12 on most systems and 14 on OpenBSD; the other numbers in this range follow the system that they come from.
    case .rawDLT12, .rawDLT14, .raw: LinkType.rawIPOfThisSystem
    case .atmRFC1483: 11
    default: Int32(rawValue)
    }
  }

  #if os(OpenBSD)
    private static let rawIPOfThisSystem: Int32 = 14
  #else
    private static let rawIPOfThisSystem: Int32 = 12
  #endif
}
