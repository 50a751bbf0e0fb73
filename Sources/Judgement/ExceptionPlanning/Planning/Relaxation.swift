import ATSEvaluation
import ATSRules
import PolicyResolution
import TLSParsing

/// A key of a dictionary that allows what ATS would refuse.
struct Relaxation {
  var entry: String?
  var key: String
  var value: ExceptionPlan.Value
  private var remove: (inout ATSDictionary) -> Void

  var reference: KeyReference { KeyReference(key: key, entry: entry) }

  func removed(from dictionary: ATSDictionary) -> ATSDictionary {
    var changed = dictionary
    remove(&changed)
    return changed
  }

  /// Every such key of a dictionary, global keys first, in a fixed order.
  static func all(in dictionary: ATSDictionary) -> [Relaxation] {
    var list: [Relaxation] = []
    func global(_ key: String, _ path: WritableKeyPath<ATSDictionary, Bool?>) {
      guard dictionary[keyPath: path] == true else { return }
      list.append(Relaxation(entry: nil, key: key, value: .boolean(true)) { $0[keyPath: path] = nil })
    }
    global(ATSKeys.arbitraryLoads, \.allowsArbitraryLoads)
    global(ATSKeys.arbitraryLoadsForMedia, \.allowsArbitraryLoadsForMedia)
    global(ATSKeys.arbitraryLoadsInWebContent, \.allowsArbitraryLoadsInWebContent)
    global(ATSKeys.localNetworking, \.allowsLocalNetworking)
    for (index, entry) in dictionary.exceptionDomains.enumerated() { list += all(in: entry, at: index) }
    return list
  }

  private static func all(in entry: ExceptionEntry, at index: Int) -> [Relaxation] {
    var list: [Relaxation] = []
    func add(_ key: String, _ value: ExceptionPlan.Value, _ remove: @escaping (inout ExceptionEntry) -> Void) {
      list.append(
        Relaxation(entry: entry.key, key: key, value: value) { remove(&$0.exceptionDomains[index]) })
    }
    if entry.settings.allowsInsecureHTTPLoads == true {
      add(ATSKeys.insecureLoads, .boolean(true)) { $0.settings.allowsInsecureHTTPLoads = nil }
    }
    if let minimum = entry.settings.minimumTLSVersion, let version = TLSVersionText.version(of: minimum),
      version.rawValue < TLSVersion.tls12.rawValue
    {
      add(ATSKeys.minimumTLSVersion, .string(minimum)) { $0.settings.minimumTLSVersion = nil }
    }
    if entry.settings.requiresForwardSecrecy == false {
      add(ATSKeys.forwardSecrecy, .boolean(false)) { $0.settings.requiresForwardSecrecy = nil }
    }
    if entry.requiredNIAPPackage == NIAPPackage.none {
      add(ATSKeys.exceptionNIAP, .string("none")) { $0.requiredNIAPPackage = nil }
    }
    return list
  }
}
