import PolicyResolution

/// The keys by which an NSExceptionDomains entry relaxes ATS, in one of the combinations that the planner tries.
struct EntryShape: Hashable {
  /// The NSExceptionMinimumTLSVersion value, below 1.2; nil for none.
  var minimum: String?
  /// Whether the entry sets NSExceptionRequiresForwardSecrecy to NO.
  var noForwardSecrecy = false
  /// Whether the entry sets NSExceptionAllowsInsecureHTTPLoads to YES.
  var insecure = false
  /// Whether the entry drops a requirement for TLS 1.3.
  var dropsMinimum = false
  /// Whether the entry lifts a requirement for the NIAP package.
  var liftsNIAP = false

  /// The shape with everything that an entry can allow.
  static let broadest = EntryShape(minimum: "TLSv1.0", noForwardSecrecy: true, insecure: true, dropsMinimum: true, liftsNIAP: true)

  /// The combinations from the narrowest on (policy text C.7). Each comes after every combination that it contains, so the first that works
  /// has no superfluous key.
  static func inOrder(mayDropMinimum: Bool, mayLiftNIAP: Bool) -> [EntryShape] {
    var shapes: [EntryShape] = []
    for insecure in [false, true] {
      for (minimum, noForwardSecrecy) in lowerings {
        for liftsNIAP in mayLiftNIAP ? [false, true] : [false] {
          // A lower minimum replaces a raised one.
          for dropsMinimum in mayDropMinimum ? (minimum == nil ? [false, true] : [true]) : [false] {
            shapes.append(
              EntryShape(
                minimum: minimum, noForwardSecrecy: noForwardSecrecy, insecure: insecure, dropsMinimum: dropsMinimum, liftsNIAP: liftsNIAP))
          }
        }
      }
    }
    return shapes
  }

  private static let lowerings: [(String?, Bool)] = [
    (nil, false), (nil, true), ("TLSv1.1", false), ("TLSv1.0", false), ("TLSv1.1", true), ("TLSv1.0", true),
  ]

  /// The entry with this shape; it keeps the app's existing requirements for the host.
  func applied(to entry: ExceptionEntry, isNIAPGlobal: Bool) -> ExceptionEntry {
    var entry = entry
    if dropsMinimum { entry.settings.minimumTLSVersion = nil }
    if let minimum { entry.settings.minimumTLSVersion = minimum }
    if noForwardSecrecy { entry.settings.requiresForwardSecrecy = false }
    if insecure { entry.settings.allowsInsecureHTTPLoads = true }
    if liftsNIAP { entry.requiredNIAPPackage = isNIAPGlobal ? NIAPPackage.none : nil }
    // Requirements may also apply to the hosts below, but the relaxation is needed for this host only.
    if !entry.hasDemand { entry.includesSubdomains = nil }
    return entry
  }
}
