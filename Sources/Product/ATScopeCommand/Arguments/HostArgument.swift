import ArgumentParser
import PolicyResolution

/// The check of a host that the user names.
enum HostArgument {
  /// Throws if the text is not the host of a URL.
  static func check(_ host: String) throws(ValidationError) {
    if host.contains("/") || host.contains(where: \.isWhitespace) || hasStrayBracket(host) {
      throw ValidationError("'\(host)' is not a host. Pass only the host part of the URL, such as api.example.com.")
    }
    let identity = HostIdentity(host)
    guard let text = identity.text else { throw ValidationError("A host cannot be empty.") }
    guard case .name = identity else { return }
    if text.contains(":") { throw ValidationError("'\(host)' is not a host: no port follows the colon in '\(text)'.") }
    if text.contains("*") { throw ValidationError("'\(host)' is not a host: a URL has no wildcard. Pass one of the hosts.") }
    let labels = (text.hasSuffix(".") ? text.dropLast() : text[...]).split(separator: ".", omittingEmptySubsequences: false)
    if labels.contains("") { throw ValidationError("'\(host)' is not a host: one of its labels is empty.") }
    if text.utf8.contains(where: { $0 >= 0x80 }) {
      throw ValidationError("'\(host)' is not in normalized Unicode. Write its A-labels (xn--…).")
    }
  }

  /// Whether a bracket is anywhere except around the whole address.
  private static func hasStrayBracket(_ host: String) -> Bool {
    guard host.contains("[") || host.contains("]") else { return false }
    guard case .address = HostIdentity(host), let close = host.lastIndex(of: "]") else { return true }
    let rest = host[host.index(after: close)...]
    return !(rest.isEmpty || rest.first == ":")
  }
}
