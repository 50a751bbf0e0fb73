import PolicyResolution

/// The keys by which an entry of NSExceptionDomains relaxes ATS, in one of the combinations that are tried.
struct EntryShape: Hashable {
  /// NSExceptionMinimumTLSVersion below 1.2; nil for none.
  var minimum: String?
  /// NSExceptionRequiresForwardSecrecy is NO.
  var noForwardSecrecy = false
  /// NSExceptionAllowsInsecureHTTPLoads is YES.
  var insecure = false
  /// A demand for TLS 1.3 is given up.
  var dropsMinimum = false
  /// A demand for the NIAP package is given up.
  var liftsNIAP = false

  /// Everything that an entry can allow.
  static let broadest = EntryShape(
    minimum: "TLSv1.0", noForwardSecrecy: true, insecure: true, dropsMinimum: true, liftsNIAP: true)

  /// The combinations from the narrowest on (policy text C.7); one follows every other that it contains, so that
  /// the first that does is one of which nothing can be left out.
  static func inOrder(mayDropMinimum: Bool, mayLiftNIAP: Bool) -> [EntryShape] {
    var shapes: [EntryShape] = []
    for insecure in [false, true] {
      for (minimum, noForwardSecrecy) in lowerings {
        for liftsNIAP in mayLiftNIAP ? [false, true] : [false] {
          // A lower minimum takes the place of a raised one.
          for dropsMinimum in mayDropMinimum ? (minimum == nil ? [false, true] : [true]) : [false] {
            shapes.append(
              EntryShape(
                minimum: minimum, noForwardSecrecy: noForwardSecrecy, insecure: insecure,
                dropsMinimum: dropsMinimum, liftsNIAP: liftsNIAP))
          }
        }
      }
    }
    return shapes
  }

  private static let lowerings: [(String?, Bool)] = [
    (nil, false), (nil, true), ("TLSv1.1", false), ("TLSv1.0", false), ("TLSv1.1", true), ("TLSv1.0", true),
  ]

  /// An entry with this shape, which keeps what the app demanded of the host so far.
  func applied(to entry: ExceptionEntry, isNIAPGlobal: Bool) -> ExceptionEntry {
    var entry = entry
    if dropsMinimum { entry.settings.minimumTLSVersion = nil }
    if let minimum { entry.settings.minimumTLSVersion = minimum }
    if noForwardSecrecy { entry.settings.requiresForwardSecrecy = false }
    if insecure { entry.settings.allowsInsecureHTTPLoads = true }
    if liftsNIAP { entry.requiredNIAPPackage = isNIAPGlobal ? NIAPPackage.none : nil }
    // A demand may hold for the hosts below as well; what is allowed here is needed here alone.
    if !entry.hasDemand { entry.includesSubdomains = nil }
    return entry
  }
}
