import PolicyResolution

/// Proposes keys in place of faulty ones.
extension Linter {
  /// The fix for a key with a part that neither a host nor a range has.
  static func replacement(forURL key: String, isPin: Bool) -> String {
    let range = String(HostKeyFault.trimmed(key))
    if !isPin, range.contains("/"), !HostKeyFault.isURL(range) {
      if let accepted = try? AddressRange(key: range) { return "write \(accepted.key)" }
      return replacement(for: range) ?? "write the range alone"
    }
    return HostKeyFault.host(in: key).map { "write \($0)" } ?? "write the host alone"
  }
}
